internal import HalcyonSQLite

/// Pins, tags, validators, metadata, forgetting keys, upgrades and statistics.
extension IndexSession {
    // MARK: One entry

    /// Fills in the tags, validators and metadata of an entry.
    func describe(_ record: inout EntryRecord) throws(SQLiteError) {
        record.tags = try tags(of: record.entry)
        try readMetadata(of: &record)
    }

    func tags(of entry: Entry) throws(SQLiteError) -> [String] { try connection.texts(IndexSQL.tags, entry.id) }

    /// Fills in the validators and metadata of an entry.
    func readMetadata(
        of record: inout EntryRecord, _ sql: StaticString = IndexSQL.metadata
    ) throws(SQLiteError) {
        let (validators, fields) = try metadata(of: record.entry, sql)
        record.validators = validators
        record.metadata = MetadataText.metadata(of: fields)
    }

    private func metadata(
        of entry: Entry, _ sql: StaticString = IndexSQL.metadata
    ) throws(SQLiteError) -> (DiskStorage.HTTPValidators?, fields: String?) {
        try connection.first(sql, entry.id, entry.createdAt) { statement in
            let validators = DiskStorage.HTTPValidators(statement, storedAt: entry.createdAt)
            return (validators.isEmpty ? nil : validators, statement.optionalText(at: 3))
        } ?? (nil, nil)
    }

    /// Writes the attributes that are not nil.
    func note(_ attributes: DiskStorage.EntryAttributes, of entry: Entry) throws {
        if let isPinned = attributes.isPinned { try connection.run(IndexSQL.pin, entry.id, isPinned) }
        if let tags = attributes.tags { try setTags(tags, of: entry.id) }
        if let keeps = attributes.keepsExpiration { try connection.run(IndexSQL.setKeepsExpiration, entry.id, keeps) }
        guard attributes.validators != nil || attributes.metadata != nil else { return }
        let (validators, fields) = try metadata(of: entry)
        let text = try attributes.metadata.map(MetadataText.text(of:)) ?? fields
        try setMetadata(attributes.validators ?? validators, text, of: entry)
    }

    private func setTags(_ tags: Set<String>, of id: Int64) throws(SQLiteError) {
        try connection.run(IndexSQL.dropTags, id)
        for tag in tags { try connection.run(IndexSQL.addTag, id, tag) }
    }

    func dropMetadata(id: Int64) throws(SQLiteError) { try connection.run(IndexSQL.dropMetadata, id) }

    private func setMetadata(
        _ validators: DiskStorage.HTTPValidators?, _ fields: String?, of entry: Entry
    ) throws(SQLiteError) {
        let validators = validators ?? .init()
        guard !validators.isEmpty || fields != nil else { return try dropMetadata(id: entry.id) }
        try connection.run(
            IndexSQL.setMetadata, entry.id, entry.createdAt, validators.etag, validators.lastModified,
            validators.maxAge, fields, validators.validatedAt.map { Timestamp($0) }, validators.age,
            validators.staleWhileRevalidate, validators.mustRevalidate ? true : nil)
    }

    /// Gives an entry another name, and the id that belongs to it.
    func rename(_ entry: Entry, to name: BlobName, key: String?) throws(SQLiteError) {
        try connection.run(IndexSQL.rename, entry.id, name.rowID, name, key)
        try connection.run(IndexSQL.moveTags, entry.id, name.rowID)
        try connection.run(IndexSQL.moveMetadata, entry.id, name.rowID)
    }

    func normalizePins() throws(SQLiteError) { try connection.run(IndexSQL.normalizePins) }

    // MARK: Keys

    /// An entry with a key; nil if there is none. Then reads the whole table.
    func idWithKey() throws(SQLiteError) -> Int64? { try connection.integer(IndexSQL.idWithKey) }

    func forgetKey(of id: Int64) throws(SQLiteError) { try connection.run(IndexSQL.forgetKey, id) }

    // MARK: The upgrade to version 7

    /// The next step of the upgrade; nil if it is complete.
    func upgradeStep() throws -> UpgradeStep? {
        try connection.integer(IndexSQL.upgrading).flatMap { UpgradeStep(rawValue: Int(clamping: $0)) }
    }

    func setUpgradeStep(_ step: UpgradeStep?) throws(SQLiteError) {
        try connection.run(IndexSQL.setUpgrading, step?.rawValue ?? 0)
    }

    func finishUpgradeIfEmpty() throws {
        guard try connection.integer(IndexSQL.hasEntries) == 0 else { return }
        try UpgradeStep.allCases.forEach(complete)
        try setUpgradeStep(nil)
    }

    /// The part of a step that is one transaction.
    func complete(_ step: UpgradeStep) throws(SQLiteError) {
        switch step {
        case .index: try connection.run(IndexSQL.makeIndex)
        case .formerIndexes: try drop(IndexSQL.dropFormerIndexes)
        case .hosts: break
        // Its pages contain keys until the file shrinks.
        case .listing: try drop(IndexSQL.dropFormerListing)
        }
    }

    private func drop(_ sql: String) throws(SQLiteError) {
        // Overwriting the pages would take fifty times as much of the log. But a file without auto-vacuum does not shrink.
        if try connection.integer("PRAGMA auto_vacuum") != 0 { try connection.execute("PRAGMA secure_delete = OFF") }
        defer { try? connection.execute("PRAGMA secure_delete = ON") }
        try connection.execute(sql)
    }

    /// Computes the hosts of at most `limit` entries with ids after `id`.
    ///
    /// - Returns: the id of the last one; nil if there are no more.
    func fillHosts(after id: Int64, limit: Int) throws -> Int64? {
        let keys = try connection.rows(IndexSQL.unknownHosts, id, limit) {
            (id: $0.integer(at: 0), key: $0.optionalText(at: 1) ?? "", baseLength: $0.optionalInteger(at: 2))
        }
        for (id, key, length) in keys {
            let host = length.flatMap { KeyOrigin.host(ofKey: key, baseLength: Int(clamping: $0)) }
            try connection.run(IndexSQL.setHost, id, host ?? KeyOrigin.host(ofKey: key) ?? "")
        }
        return keys.count < limit ? nil : keys.last?.id
    }

    // MARK: Statistics

    func statistics() throws(SQLiteError) -> (counts: Counts, since: Timestamp?) {
        try connection.first(IndexSQL.statistics) { statement in
            var counts = Counts()
            for (index, path) in Counts.all.enumerated() {
                counts[keyPath: path] = statement.quantity(at: Int32(index + 1))
            }
            let since = statement.timestamp(at: 0)
            return (counts, since.milliseconds > 0 ? since : nil)
        } ?? (Counts(), nil)
    }

    /// - Parameter now: the time, or when the counting of these counts began.
    func add(_ counts: Counts, at now: Timestamp) throws(SQLiteError) {
        try connection.with(IndexSQL.addStatistics) { (statement) throws(SQLiteError) in
            statement.bind(now.milliseconds, at: 1)
            for (index, path) in Counts.all.enumerated() { statement.bind(counts[keyPath: path], at: Int32(index + 2)) }
            _ = try statement.step()
        }
    }

    func mendStatistics() throws(SQLiteError) { try connection.run(IndexSQL.mendStatistics) }

    func resetStatistics(at now: Timestamp) throws(SQLiteError) { try connection.run(IndexSQL.resetStatistics, now) }
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
