internal import HalcyonSQLite

/// Pins, tags, validators, metadata, forgetting keys, upgrades and statistics.
extension IndexSession {
    // MARK: One entry

    /// Fills in the tags, validators and metadata of an entry.
    ///
    /// - Parameter sql: the statement that reads its metadata.
    func describe(_ record: inout EntryRecord, metadata sql: StaticString = IndexSQL.metadata) throws(SQLiteError) {
        record.tags = try tags(of: record.entry.id)
        let (validators, fields) = try metadata(of: record.entry, sql)
        record.validators = validators
        record.metadata = MetadataText.metadata(of: fields)
    }

    private func tags(of id: Int64) throws(SQLiteError) -> [String] {
        try connection.with(IndexSQL.tags) { (statement) throws(SQLiteError) in
            statement.bind(id, at: 1)
            var tags: [String] = []
            while try statement.step() { tags.append(statement.text(at: 0)) }
            return tags
        }
    }

    private func metadata(
        of entry: Entry, _ sql: StaticString = IndexSQL.metadata
    ) throws(SQLiteError) -> (DiskStorage.HTTPValidators?, fields: String?) {
        try connection.with(sql) { (statement) throws(SQLiteError) in
            statement.bind(entry.id, at: 1)
            statement.bind(entry.createdAt.milliseconds, at: 2)
            guard try statement.step() else { return (nil, nil) }
            let validators = DiskStorage.HTTPValidators(statement, storedAt: entry.createdAt)
            return (validators.isEmpty ? nil : validators, statement.optionalText(at: 3))
        }
    }

    /// Writes the attributes that are not nil.
    func note(_ attributes: DiskStorage.EntryAttributes, of entry: Entry) throws {
        if let isPinned = attributes.isPinned { try pin(entry.id, isPinned) }
        if let tags = attributes.tags { try setTags(tags, of: entry.id) }
        if let keeps = attributes.keepsExpiration { try setKeepsExpiration(keeps, of: entry.id) }
        guard attributes.validators != nil || attributes.metadata != nil else { return }
        let (validators, fields) = try metadata(of: entry)
        let text = try attributes.metadata.map(MetadataText.text(of:)) ?? fields
        try setMetadata(attributes.validators ?? validators, text, of: entry)
    }

    private func pin(_ id: Int64, _ isPinned: Bool) throws(SQLiteError) {
        try connection.with(IndexSQL.pin) { (statement) throws(SQLiteError) in
            statement.bind(id, at: 1)
            statement.bind(isPinned ? 1 : 0, at: 2)
            _ = try statement.step()
        }
    }

    private func setKeepsExpiration(_ keeps: Bool, of id: Int64) throws(SQLiteError) {
        try connection.with(IndexSQL.setKeepsExpiration) { (statement) throws(SQLiteError) in
            statement.bind(id, at: 1)
            statement.bind(keeps ? 1 : 0, at: 2)
            _ = try statement.step()
        }
    }

    private func setTags(_ tags: Set<String>, of id: Int64) throws(SQLiteError) {
        try run(IndexSQL.dropTags, id)
        for tag in tags {
            try connection.with(IndexSQL.addTag) { (statement) throws(SQLiteError) in
                statement.bind(id, at: 1)
                try statement.bind(tag, at: 2)
                _ = try statement.step()
            }
        }
    }

    func dropMetadata(id: Int64) throws(SQLiteError) { try run(IndexSQL.dropMetadata, id) }

    private func setMetadata(
        _ validators: DiskStorage.HTTPValidators?, _ fields: String?, of entry: Entry
    ) throws(SQLiteError) {
        let validators = validators ?? .init()
        guard !validators.isEmpty || fields != nil else { return try dropMetadata(id: entry.id) }
        try connection.with(IndexSQL.setMetadata) { (statement) throws(SQLiteError) in
            statement.bind(entry.id, at: 1)
            statement.bind(entry.createdAt.milliseconds, at: 2)
            try statement.bind(validators.etag, at: 3)
            try statement.bind(validators.lastModified, at: 4)
            statement.bind(validators.maxAge.map(Int64.init), at: 5)
            try statement.bind(fields, at: 6)
            statement.bind(validators.validatedAt.map { Timestamp($0).milliseconds }, at: 7)
            statement.bind(validators.age.map(Int64.init), at: 8)
            statement.bind(validators.staleWhileRevalidate.map(Int64.init), at: 9)
            statement.bind(validators.mustRevalidate ? 1 : nil, at: 10)
            _ = try statement.step()
        }
    }

    /// Gives an entry another name, and the id that belongs to it.
    func rename(_ entry: Entry, to name: BlobName, key: String?) throws(SQLiteError) {
        try connection.with(IndexSQL.rename) { (statement) throws(SQLiteError) in
            statement.bind(entry.id, at: 1)
            statement.bind(name.rowID, at: 2)
            try statement.bind(name, at: 3)
            try statement.bind(key, at: 4)
            _ = try statement.step()
        }
        for sql in [IndexSQL.moveTags, IndexSQL.moveMetadata] {
            try connection.with(sql) { (statement) throws(SQLiteError) in
                statement.bind(entry.id, at: 1)
                statement.bind(name.rowID, at: 2)
                _ = try statement.step()
            }
        }
    }

    // MARK: Pins edited by hand

    /// Whether the index has pins other than 0 and 1, which Halcyon never writes.
    func hasInvalidPins() throws(SQLiteError) -> Bool { try (connection.integer(IndexSQL.countInvalidPins) ?? 0) > 0 }

    func normalizePins() throws(SQLiteError) { try connection.run(IndexSQL.normalizePins) }

    // MARK: Keys

    /// Reads the whole table if there are none.
    func hasKeys() throws(SQLiteError) -> Bool { try connection.integer(IndexSQL.hasKeys) == 1 }

    func forgetKey(of id: Int64) throws(SQLiteError) { try run(IndexSQL.forgetKey, id) }

    // MARK: The listing of version 0.1.0

    /// Deletes at most `limit` rows.
    ///
    /// - Returns: whether there may be more.
    func emptyFormerListing(limit: Int) throws -> Bool {
        for (table, columns) in try formerListing() {
            let sql: [StaticString] = [
                "DELETE FROM ", table, " WHERE (", columns, ") IN (SELECT ", columns, " FROM ", table, " LIMIT ?1)",
            ]
            try connection.with(joining: sql) { statement in
                statement.bind(Int64(limit), at: 1)
                _ = try statement.step()
            }
            if connection.changes > 0 { return true }
        }
        return false
    }

    func dropFormerListing() throws {
        for (table, _) in try formerListing() { try connection.execute("DROP TABLE \(table)") }
    }

    /// Those of its tables that exist: anyone may have dropped some.
    private func formerListing() throws -> [(table: StaticString, columns: StaticString)] {
        let tables = Set(try connection.texts(IndexSQL.tables))
        return IndexSQL.formerListing.filter { tables.contains($0.table.description) }
    }

    // MARK: The upgrade to version 7

    /// The next step of the upgrade; nil if it is complete.
    func upgradeStep() throws -> UpgradeStep? {
        try connection.integer(IndexSQL.upgrading).flatMap { UpgradeStep(rawValue: Int(clamping: $0)) }
    }

    func setUpgradeStep(_ step: UpgradeStep?) throws(SQLiteError) {
        try run(IndexSQL.setUpgrading, Int64(step?.rawValue ?? 0))
    }

    func finishUpgradeIfEmpty() throws {
        guard try connection.integer(IndexSQL.hasEntries) == 0 else { return }
        try makeIndex()
        try dropFormerIndexes()
        try dropFormerListing()
        try setUpgradeStep(nil)
    }

    func makeIndex() throws(SQLiteError) { try connection.run(IndexSQL.makeIndex) }

    func dropFormerIndexes() throws(SQLiteError) {
        // Their pages contain no keys, and overwriting them would take fifty times as much of the log.
        try connection.execute("PRAGMA secure_delete = OFF")
        defer { try? connection.execute("PRAGMA secure_delete = ON") }
        try connection.execute(IndexSQL.dropFormerIndexes)
    }

    /// Computes the hosts of at most `limit` entries with ids after `id`.
    ///
    /// - Returns: the id of the last one; nil if there are no more.
    func fillHosts(after id: Int64, limit: Int) throws -> Int64? {
        let keys = try connection.with(throwing: IndexSQL.unknownHosts) { statement in
            statement.bind(id, at: 1)
            statement.bind(Int64(limit), at: 2)
            var keys: [(id: Int64, host: String)] = []
            while try statement.step() { keys.append((statement.integer(at: 0), statement.host(at: 1) ?? "")) }
            return keys
        }
        for (id, host) in keys {
            try connection.with(IndexSQL.setHost) { (statement) throws(SQLiteError) in
                statement.bind(id, at: 1)
                try statement.bind(host, at: 2)
                _ = try statement.step()
            }
        }
        return keys.count < limit ? nil : keys.last?.id
    }

    // MARK: Statistics

    func statistics() throws(SQLiteError) -> (counts: Counts, since: Timestamp?) {
        try connection.with(IndexSQL.statistics) { (statement) throws(SQLiteError) in
            guard try statement.step() else { return (Counts(), nil) }
            var counts = Counts()
            for (index, path) in Counts.all.enumerated() {
                counts[keyPath: path] = statement.quantity(at: Int32(index + 1))
            }
            let since = statement.timestamp(at: 0)
            return (counts, since.milliseconds > 0 ? since : nil)
        }
    }

    func add(_ counts: Counts, at now: Timestamp) throws(SQLiteError) {
        try connection.with(IndexSQL.addStatistics) { (statement) throws(SQLiteError) in
            statement.bind(now.milliseconds, at: 1)
            for (index, path) in Counts.all.enumerated() { statement.bind(counts[keyPath: path], at: Int32(index + 2)) }
            _ = try statement.step()
        }
    }

    func mendStatistics() throws(SQLiteError) { try connection.run(IndexSQL.mendStatistics) }

    func resetStatistics(at now: Timestamp) throws(SQLiteError) { try run(IndexSQL.resetStatistics, now.milliseconds) }

    /// Runs a statement with one integer.
    func run(_ sql: StaticString, _ value: Int64) throws(SQLiteError) {
        try connection.with(sql) { (statement) throws(SQLiteError) in
            statement.bind(value, at: 1)
            _ = try statement.step()
        }
    }
}

extension DiskStorage.HTTPValidators {
    /// Reads a row of ``IndexSQL/metadata``.
    fileprivate init(_ statement: Statement, storedAt: Timestamp) {
        func seconds(_ column: Int32) -> Int? { statement.optionalInteger(at: column).map { Int(clamping: $0) } }
        self.init(
            etag: statement.optionalText(at: 0), lastModified: statement.optionalText(at: 1), maxAge: seconds(2),
            validatedAt: statement.optionalInteger(at: 4) == nil ? nil : statement.timestamp(at: 4).date,
            age: seconds(5), staleWhileRevalidate: seconds(6), mustRevalidate: seconds(7) == 1)
        if !isEmpty, validatedAt == nil { validatedAt = storedAt.date }
    }
}
