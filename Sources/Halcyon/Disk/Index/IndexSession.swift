package import HalcyonSQLite

/// Reads and writes the index over one connection. Write only inside ``EntryIndex/write(_:_:)``.
package struct IndexSession {
    let connection: Connection
    /// Of the current transaction.
    var effects: Effects?

    /// What a transaction changes in this process once it has committed.
    final class Effects {
        /// The entries that it has stored, as in their rows.
        var stored: [SharedEntry] = []
        /// The directory's state, if the transaction has changed it.
        var state: IndexState?
        fileprivate(set) var actions: [() -> Void] = []
    }

    /// Runs `action` after the commit, still under the write lock, so it must not use the index. If the transaction fails, it does
    /// not run. Only for sessions of ``EntryIndex/write(_:_:)``.
    func afterCommit(_ action: @escaping () -> Void) {
        assert(effects != nil)
        effects?.actions.append(action)
    }

    // MARK: One entry

    /// The entry of a name. Compares the name too, because two names may share a row id.
    package func entry(named name: BlobName) throws(SQLiteError) -> Entry? {
        try entry(named: name, by: IndexSQL.row)
    }

    /// - Parameter sql: ``IndexSQL/row``, or ``IndexSQL/formerRow``.
    func entry(named name: BlobName, by sql: StaticString) throws(SQLiteError) -> Entry? {
        try connection.with(sql) { (statement) throws(SQLiteError) in
            statement.bind(name.rowID, at: 1)
            guard try statement.step(), statement.isName(name, at: 1) else { return nil }
            return Entry(statement, name: name)
        }
    }

    package func entry(id: Int64) throws(SQLiteError) -> Entry? {
        try connection.first(IndexSQL.row, id) { Entry($0) }
    }

    /// Inserts the entry. Returns false, and changes nothing, if there is one with its id. After an error, end the transaction.
    package func insert(_ entry: Entry) throws(SQLiteError) -> Bool {
        try write(entry, pinned: nil, by: IndexSQL.insert)
    }

    /// Inserts the entry, or replaces the one with its id. After an error, end the transaction.
    ///
    /// - Throws: ``SQLiteError``, also if a trigger of another program keeps the row out: the entry would miss.
    /// - Parameters:
    ///   - pinned: nil keeps the pin of the replaced entry.
    ///   - isNew: whether there is probably none. Then it is inserted with one statement, otherwise replaced with one.
    package func upsert(_ entry: Entry, pinned: Bool? = nil, isNew: Bool = true) throws(SQLiteError) {
        let (first, second) = isNew ? (IndexSQL.insert, IndexSQL.replace) : (IndexSQL.replace, IndexSQL.insert)
        if try write(entry, pinned: pinned, by: first) { return }
        if try write(entry, pinned: pinned, by: second) { return }
        throw SQLiteError(code: .constraint, message: "a trigger that another program has added keeps the row out")
    }

    private func write(_ entry: Entry, pinned: Bool?, by sql: StaticString) throws(SQLiteError) -> Bool {
        try connection.with(sql) { (statement) throws(SQLiteError) in
            try entry.bind(to: statement)
            statement.bind(pinned.map { $0 ? 1 : 0 }, at: 11)
            statement.bind(entry.origin?.source, at: 13)
            statement.bind(entry.key == nil ? nil : entry.origin.map { Int64($0.baseLength) }, at: 14)
            try statement.bind(entry.host, at: 15)
            statement.bind(entry.bootTime?.uptime, at: 16)
            _ = try statement.step()
            return connection.changes > 0
        }
    }

    /// - Throws: ``SQLiteError``, also if a trigger of another program keeps the row: a removal would not end.
    package func delete(id: Int64) throws(SQLiteError) {
        try connection.run(IndexSQL.delete, id)
        // A damaged index may have returned the row twice.
        guard connection.changes == 0, try entry(id: id) != nil else { return }
        throw SQLiteError(code: .constraint, message: "a trigger that another program has added keeps the row")
    }

    /// Records the inode and token of a blob in a copied directory.
    package func relearn(_ entry: Entry, inode: UInt64?, token: Int64) throws(SQLiteError) {
        try connection.run(IndexSQL.relearn, entry.id, inode, entry.token, token)
    }

    /// Writes one note of the access log. The token must match, so a note never revives, extends or ages a newer entry.
    ///
    /// - Parameter bonus: the milliseconds by which each of the first three reads moves the rank ahead.
    func touch(id: Int64, _ note: AccessLog.Note, bonus: Int64 = 0) throws(SQLiteError) {
        let sql = note.lifetime == nil ? IndexSQL.touch : IndexSQL.extend
        try connection.with(sql) { (statement) throws(SQLiteError) in
            statement.bind(id, at: 1)
            statement.bind(note.token, at: 2)
            statement.bind(note.accessedAt.milliseconds, at: 3)
            let (origin, host) = (note.keyDescription?.origin, note.keyDescription?.host)
            try statement.bind(note.keyDescription?.key, at: 4)
            statement.bind(note.hits, at: 5)
            statement.bind(origin?.source, at: 6)
            statement.bind(host == nil ? nil : origin.map { Int64($0.baseLength) }, at: 7)
            try statement.bind(host, at: 8)
            statement.bind(bonus, at: 11)
            if let lifetime = note.lifetime {
                statement.bind(lifetime.expiresAt?.milliseconds, at: 9)
                statement.bind(lifetime.timeToLive, at: 10)
                statement.bind(note.renewedAt?.milliseconds, at: 12)
            }
            _ = try statement.step()
        }
    }

    // MARK: Many entries

    /// The entries with the lowest ranks whose removal frees `need` bytes and entries, at most `limit`, lowest rank first.
    package func victims(need: Totals, limit: Int) throws(SQLiteError) -> [Entry] {
        try entries(IndexSQL.victims, need.bytes, limit, need.entries)
    }

    /// Whether nothing can have expired at `now`. O(1).
    func nothingHasExpired(at now: Timestamp) throws(SQLiteError) -> Bool {
        try connection.integer(IndexSQL.nothingHasExpired, now) == 1
    }

    func invalidateEarliestExpiry() throws(SQLiteError) { try connection.run(IndexSQL.invalidateEarliestExpiry) }

    func beginExpiryScan(_ scan: Int64) throws(SQLiteError) { try connection.run(IndexSQL.beginExpiryScan, scan) }

    /// At most `limit` ids of entries that have expired at `now`. Scans an index of all rows until it has found them.
    func expired(at now: Timestamp, limit: Int) throws(SQLiteError) -> [Int64] {
        try connection.rows(IndexSQL.expired, now, limit) { $0.integer(at: 0) }
    }

    /// When the first entry expires; nil if none does. Scans an index of all rows.
    func nextExpiry() throws(SQLiteError) -> Int64? { try connection.integer(IndexSQL.nextExpiry) }

    func endExpiryScan(_ scan: Int64, next: Int64?) throws(SQLiteError) {
        try connection.run(IndexSQL.endExpiryScan, scan, next)
    }

    /// Entries with ids after `id` that were stored up to `time`, or after `future`, before the clock jumped back.
    package func stored(
        upTo time: Timestamp, orAfter future: Timestamp, after id: Int64, limit: Int
    ) throws(SQLiteError) -> [Entry] {
        try entries(IndexSQL.stored, id, time, limit, future)
    }

    /// At most `limit` entries with ids after `id`, in the order of their ids.
    package func page(after id: Int64, limit: Int) throws(SQLiteError) -> [Entry] {
        let entries = try entries(IndexSQL.pageByID, id, limit)
        // SQLite trusts the order of its pages. If damage has swapped them, paging through them might never end.
        let ids = [id] + entries.map(\.id)
        guard zip(ids, ids.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw SQLiteError(code: .corrupt, message: "rows are out of order")
        }
        return entries
    }

    /// Whether an access or a rank is further ahead than possible.
    func hasFuture(beyond bounds: FutureBounds) throws(SQLiteError) -> Bool {
        let sql = try hasRanksAhead() ? IndexSQL.hasFutureBesideRanksAhead : IndexSQL.hasFuture
        return try connection.integer(sql, bounds.access, bounds.rank) == 1
    }

    /// Sets the last access of entries beyond the bounds to `now`.
    ///
    /// - Returns: the number of changed entries, at most `limit`.
    func clampFuture(beyond bounds: FutureBounds, to now: Timestamp, limit: Int) throws(SQLiteError) -> Int {
        try connection.run(IndexSQL.clampFuture, now, bounds.access, limit, bounds.rank)
        return connection.changes
    }

    /// The oldest and the latest access of unpinned entries; nil if there are none. Reads the whole table.
    func accessRange() throws(SQLiteError) -> (oldest: Timestamp?, latest: Timestamp?) {
        try connection.first(IndexSQL.accessRange) { ($0.optionalTimestamp(at: 0), $0.optionalTimestamp(at: 1)) }
            ?? (nil, nil)
    }

    // MARK: Ranks ahead of accesses

    /// Whether the rank of any entry is ahead of its last access. O(1).
    func hasRanksAhead() throws(SQLiteError) -> Bool { try connection.integer(IndexSQL.hasRanksAhead) == 1 }

    /// Lets ranks run ahead of accesses from now on. The first call reads the whole table.
    func allowRanksAhead() throws(SQLiteError) { try connection.execute(IndexSQL.makeIndexOfRanksAhead) }

    /// The milliseconds from the lowest rank of the unpinned entries to `now`.
    func ageSpan(at now: Timestamp) throws(SQLiteError) -> Int64 {
        try connection.first(IndexSQL.lowestRank) { $0.optionalTimestamp(at: 0).map { max(0, now - $0) } ?? 0 } ?? 0
    }

    func entries<each Value: Bindable>(
        _ sql: StaticString, _ value: repeat each Value
    ) throws(SQLiteError) -> [Entry] {
        try connection.rows(sql, repeat each value) { Entry($0) }
    }

    // MARK: Totals and state

    /// The totals that the triggers keep. O(1), unless they are missing or negative: then it counts the rows.
    package func totals() throws(SQLiteError) -> Totals {
        if let noted = try plausibleTotals() { noted } else { try countedTotals() }
    }

    /// What the triggers have kept; nil where it is what they cannot have kept.
    func plausibleTotals() throws(SQLiteError) -> Totals? {
        guard let noted = try notedTotals(), noted.entries >= 0, noted.bytes >= 0 else { return nil }
        return Totals(entries: min(noted.entries, Totals.limit), bytes: min(noted.bytes, Totals.limit))
    }

    /// The recorded totals, unchecked; nil if missing.
    package func notedTotals() throws(SQLiteError) -> Totals? {
        let noted = try connection.first(IndexSQL.totals) { ($0.optionalInteger(at: 0), $0.optionalInteger(at: 1)) }
        guard case (let entries?, let bytes?)? = noted else { return nil }
        return Totals(entries: entries, bytes: bytes)
    }

    /// Reads an index of all rows.
    func largestEntries(limit: Int) throws -> [Entry] {
        try connection.rows(IndexSQL.largest, limit) { $0.integer(at: 0) }.compactMap(entry(id:))
    }

    /// Whether the SQL index has one of these ids. Reads it whole.
    func hasIndexed(_ ids: Set<Int64>) throws(SQLiteError) -> Bool {
        try connection.with(IndexSQL.indexedIDs) { (statement) throws(SQLiteError) in
            while try statement.step() {
                if ids.contains(statement.integer(at: 0)) { return true }
            }
            return false
        }
    }

    /// Counts the rows: reads each of them.
    package func countedTotals() throws(SQLiteError) -> Totals { try totals(IndexSQL.countedTotals) }

    package func expiredTotals(at now: Timestamp) throws(SQLiteError) -> Totals {
        try totals(IndexSQL.expiredTotals, now)
    }

    /// Reads each row.
    func areTotalsRight() throws(SQLiteError) -> Bool { try connection.integer(IndexSQL.areTotalsRight) == 1 }

    package func repairTotals() throws(SQLiteError) { try connection.run(IndexSQL.repairTotals) }

    func totals<each Value: Bindable>(_ sql: StaticString, _ value: repeat each Value) throws(SQLiteError) -> Totals {
        try connection.first(sql, repeat each value) { $0.totals(at: 0) } ?? Totals(entries: 0, bytes: 0)
    }

    /// `created_at` of the latest store by any process.
    func storedAt() throws(SQLiteError) -> Timestamp {
        try connection.first(IndexSQL.storedAt) { $0.timestamp(at: 0) } ?? Timestamp(milliseconds: 0)
    }

    func setLatestStore(as state: IndexState) throws(SQLiteError) {
        try connection.run(IndexSQL.setLatestStore, state.storedAt, state.storedIn?.boot, state.storedIn?.uptime)
    }

    func setStoredAt(_ time: Timestamp) throws(SQLiteError) { try connection.run(IndexSQL.setStoredAt, time) }

    func raiseStoredAt(to time: Timestamp) throws(SQLiteError) { try connection.run(IndexSQL.raiseStoredAt, time) }

    package func state() throws(SQLiteError) -> IndexState {
        try connection.with(IndexSQL.state) { (statement) throws(SQLiteError) in
            guard try statement.step() else {
                throw SQLiteError(code: .corrupt, message: "the index has no state", isForeignSchema: true)
            }
            // If damage has put another table's page here, it may look like a row of numbers that distrusts every entry.
            guard let adoption = Adoption(rawValue: statement.text(at: 5)),
                statement.isNull(at: 0) || statement.isText(at: 0)
            else { throw SQLiteError(code: .corrupt, message: "the index's state is invalid", isForeignSchema: true) }
            return IndexState(statement, adoption: adoption)
        }
    }

    func setState(_ state: IndexState) throws(SQLiteError) {
        let (from, until) = (state.distrustedBoots?.lowerBound, state.distrustedBoots?.upperBound)
        try connection.run(
            IndexSQL.setState, state.boot, state.settledAt, state.indexInode, state.relearning.rawValue,
            state.adoption.rawValue, state.adoptsUntil, state.distrusted?.lowerBound, state.distrusted?.upperBound,
            state.reconciledAt, state.awaitsLegacyNames ? 2 : 0, state.boots, state.settledUptime, from?.boot,
            from?.uptime, until?.boot, until?.uptime)
        effects?.state = state
    }

    // MARK: The file

    /// Deletes the tables of `ANALYZE`. With the statistics of a few entries, SQLite scans the table once there are many.
    func dropPlannerStatistics() throws(SQLiteError) {
        try connection.execute("DROP TABLE IF EXISTS sqlite_stat1; DROP TABLE IF EXISTS sqlite_stat4")
    }

    func hasPlannerStatistics() throws(SQLiteError) -> Bool {
        try connection.integer(IndexSQL.hasPlannerStatistics) == 1
    }

    /// The kind and name of each object of the schema, with its SQL.
    func schema() throws(SQLiteError) -> [String: String] {
        let objects = try connection.rows(IndexSQL.schema) { ($0.text(at: 0), $0.text(at: 1)) }
        return Dictionary(objects) { first, _ in first }
    }

    /// Corrects SQL that differs only in single bytes.
    ///
    /// - Returns: whether there was any.
    func restoreSchema(to schema: [String: String]) throws -> Bool {
        try connection.transaction {
            var count = 0
            for (object, sql) in schema {
                try connection.run(IndexSQL.restoreSchema, object, sql)
                count += connection.changes
            }
            guard count > 0 else { return false }
            // So that all connections read it again.
            let version = try connection.integer("PRAGMA schema_version") ?? 0
            try connection.execute("PRAGMA schema_version = \(Int32(truncatingIfNeeded: version &+ 1))")
            return true
        }
    }

    /// The number of unused pages of the file.
    package func freePages() throws(SQLiteError) -> Int {
        Int(clamping: try connection.integer(IndexSQL.freePages) ?? 0)
    }

    /// Whether most pages of the file are unused, and they are worth releasing.
    func isMostlyFree() throws(SQLiteError) -> Bool {
        let (free, pages) = (try freePages(), try connection.integer(IndexSQL.pages) ?? 0)
        return free >= 256 && Int64(free) * 2 > pages
    }

    /// Releases at most `count` free pages. The file shrinks at the next checkpoint.
    func releasePages(_ count: Int) throws(SQLiteError) {
        try connection.execute("PRAGMA incremental_vacuum(\(count))")
    }

    /// For tests that damage an index on purpose.
    package func execute(_ sql: String) throws(SQLiteError) { try connection.execute(sql) }

}

// MARK: - Rows

extension Entry {
    /// Reads the columns in the order in which all statements of ``IndexSQL`` return them.
    init(_ statement: Statement, name: BlobName? = nil) {
        self.init(
            id: statement.integer(at: 0), name: name ?? statement.blobName(at: 1), key: statement.optionalText(at: 2),
            token: statement.integer(at: 3), inode: statement.optionalInteger(at: 4).map { UInt64(bitPattern: $0) },
            size: statement.blobSize(at: 5), createdAt: statement.timestamp(at: 6),
            accessedAt: statement.timestamp(at: 7),
            lifetime: Lifetime(
                expiresAt: statement.optionalTimestamp(at: 8),
                timeToLive: statement.isNull(at: 9) ? nil : statement.quantity(at: 9)),
            // A fraction, or text, of another program is a pin too. NULL is a damaged 0.
            isPinned: statement.integer(at: 10) != 0 || !(statement.isInteger(at: 10) || statement.isNull(at: 10)))
        baseLength = statement.isNull(at: 11) ? nil : Int(clamping: statement.quantity(at: 11))
        bootTime = statement.bootTime(at: 12)
    }

    fileprivate func bind(to statement: Statement) throws(SQLiteError) {
        statement.bind(id, at: 1)
        try name.bind(to: statement, at: 2)
        try statement.bind(key, at: 3)
        statement.bind(token, at: 4)
        statement.bind(inode.map { Int64(bitPattern: $0) }, at: 5)
        statement.bind(size, at: 6)
        statement.bind(createdAt.milliseconds, at: 7)
        statement.bind(accessedAt.milliseconds, at: 8)
        statement.bind(lifetime.expiresAt?.milliseconds, at: 9)
        statement.bind(lifetime.timeToLive, at: 10)
        statement.bind(slack, at: 12)
    }
}

extension IndexState {
    fileprivate init(_ statement: Statement, adoption: Adoption) {
        let from = statement.optionalTimestamp(at: 7)
        let until = statement.optionalTimestamp(at: 8)
        self.init(
            boot: statement.optionalText(at: 0), settledAt: statement.timestamp(at: 1),
            storedAt: statement.timestamp(at: 2),
            indexInode: statement.optionalInteger(at: 3).map { UInt64(bitPattern: $0) },
            relearning: Relearning(rawValue: statement.integer(at: 4)) ?? .byLength,
            adoption: adoption, adoptsUntil: statement.timestamp(at: 6),
            distrusted: from.flatMap { from in until.map { from...max(from, $0) } },
            reconciledAt: statement.timestamp(at: 9),
            awaitsLegacyNames: !(0...1).contains(statement.integer(at: 10)),
            boots: statement.quantity(at: 11), settledUptime: statement.quantity(at: 12),
            storedIn: statement.bootTime(at: 13),
            distrustedBoots: statement.bootTime(at: 15).flatMap { from in
                statement.bootTime(at: 17).map { from...max(from, $0) }
            })
    }
}

/// Reads numbers and clamps them to plausible ranges. Anyone may have edited the index, and calculations must not overflow.
extension Statement {
    /// A time from 1970 to ``Timestamp/latest``.
    func timestamp(at column: Int32) -> Timestamp {
        Timestamp(milliseconds: integer(at: column, in: 0...Timestamp.latest.milliseconds))
    }

    /// The size of one file in bytes.
    func blobSize(at column: Int32) -> Int64 { integer(at: column, in: Entry.sizes) }

    /// A number of bytes, entries, uses or milliseconds, at most 2⁶⁰.
    func quantity(at column: Int32) -> Int64 { integer(at: column, in: 0...Totals.limit) }

    /// Allocated bytes beyond a size; negative if the volume compresses blobs.
    func slack(at column: Int32) -> Int64 { integer(at: column, in: -Totals.limit...Totals.limit) }

    /// The number of entries, with their bytes in the next column.
    func totals(at column: Int32) -> Totals {
        Totals(entries: quantity(at: column), bytes: quantity(at: column + 1))
    }

    /// A boot, with the uptime in the next column; nil if either is NULL.
    func bootTime(at column: Int32) -> BootTime? {
        guard !isNull(at: column), !isNull(at: column + 1) else { return nil }
        return BootTime(boot: quantity(at: column), uptime: quantity(at: column + 1))
    }

    func optionalTimestamp(at column: Int32) -> Timestamp? {
        isNull(at: column) ? nil : timestamp(at: column)
    }

    /// Not a condition of the statement, because binding a name takes longer.
    fileprivate func isName(_ name: BlobName, at column: Int32) -> Bool {
        isText(at: column)
            ? PackedName.pack(name.text) == nil && bytes(at: column).elementsEqual(name.text.utf8)
            : PackedName.isPacked(bytes(at: column), of: name.text)
    }

    fileprivate func blobName(at column: Int32) -> BlobName {
        BlobName(untrusted: isText(at: column) ? text(at: column) : PackedName.unpack(bytes(at: column)))
    }
}

extension Timestamp: Bindable {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(milliseconds, at: index) }
}

extension BlobName: Bindable {
    /// Packs 64 leading hexadecimal digits into 32 bytes, followed by the rest of the name.
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        if let bytes = PackedName.pack(text) {
            try statement.bind(bytes, at: index)
        } else {
            try statement.bind(text, at: index)
        }
    }
}
