internal import HalcyonSQLite

/// What can be said of a cache in a few lines.
package struct StorageSummary: Equatable, Sendable {
    /// One applied change of the schema.
    package struct AppliedMigration: Equatable, Sendable {
        package let version: Int
        package let name: String
        package let appliedAt: Timestamp
    }

    package var totals = Totals(entries: 0, bytes: 0)
    /// Part of ``totals``.
    package var expired = Totals(entries: 0, bytes: 0)
    /// nil in an empty cache.
    package var oldestAccess: Timestamp?
    package var newestAccess: Timestamp?
    package var adoption = Adoption.done
    /// Oldest first.
    package var ledger: [AppliedMigration] = []
}

extension EntryStore {
    /// What is in the cache now, notes of this process included.
    package func summary() throws -> StorageSummary {
        flushAccessLog()
        var summary = StorageSummary()
        summary.totals = try totals()
        try index.read { session in
            summary.expired = try session.expiredTotals(at: now)
            (summary.oldestAccess, summary.newestAccess) = try session.accessRange()
            summary.adoption = try session.state().adoption
        }
        summary.ledger = try index.ledger().map {
            .init(version: $0.version, name: $0.name, appliedAt: Timestamp(milliseconds: $0.appliedAt))
        }
        return summary
    }

    /// Ids of all entries in an order: eight bytes for each, so that whoever shows a million of them to a pager need not
    /// keep a read transaction, and with it the write-ahead log, open while somebody reads.
    package func entryIDs(in order: IndexSession.Order) throws -> [Int64] {
        try finishAdoption()
        flushAccessLog()
        return try index.read { try $0.ids(in: order) }
    }

    /// The entries of some ids, in that order; what was removed meanwhile is left out.
    package func entries(ids: some Collection<Int64>) throws -> [Entry] {
        try index.read { session in try ids.compactMap { try session.entry(id: $0) } }
    }

    /// Whether there is a row or a file under a name, expired or not.
    package func hasTrace(of name: BlobName) throws -> Bool {
        try index.read { try $0.entry(named: name) } != nil || blobs.status(of: name) != nil
    }
}

// MARK: - Cleaning that can be stopped

/// What a cleaning took away.
package struct Removal: Sendable {
    package var entries = 0
    package var bytes: Int64 = 0
    /// Why it ended early, if it did: nothing more of what had to go could be removed.
    package var failure: CacheStorageError?

    package init(entries: Int = 0, bytes: Int64 = 0) {
        self.entries = entries
        self.bytes = bytes
    }
}

extension EntryStore {
    /// As ``removeExpired(at:)``, counting bytes, and asked before each batch whether to go on.
    package func removeExpired(goingOn: (Removal) -> Bool) throws -> Removal {
        try finishAdoption()
        try prepareForEviction()
        let now = now
        return counting(goingOn) { try $0.expire(at: now, limit: environment.tuning.batchSize) }
    }

    /// Evicts the least recently used entries down to half of `limit` bytes, once the total has reached it; counting
    /// bytes, and asked before each batch whether to go on.
    package func evict(limit: Int64, goingOn: (Removal) -> Bool) throws -> Removal {
        guard try totals().bytes >= limit else { return Removal() }
        try prepareForEviction()
        return counting(goingOn) { session in
            let need = try session.totals().bytes - limit / 2
            return need > 0 ? try session.evict(need: need, limit: environment.tuning.batchSize) : []
        }
    }

    /// Writes the access notes and takes accesses of the future for made now.
    private func prepareForEviction() throws {
        // No cache is that large: nothing goes.
        _ = try evict(downTo: .max)
    }

    private func counting(
        _ goingOn: (Removal) -> Bool, _ next: (IndexSession) throws -> [Entry]
    ) -> Removal {
        var sizes: [Int64: Int64] = [:]
        var sum = Removal()
        let result = removeBatches { session in
            guard goingOn(sum) else { return [] }
            let entries = try next(session)
            for entry in entries { sizes[entry.id] = entry.size }
            sum = Removal(entries: sizes.count, bytes: sum.bytes + entries.reduce(0) { $0 + $1.size })
            return entries
        }
        // A batch may keep an entry whose blob could not be moved: only the names tell what went.
        var removal = Removal()
        removal.entries = result.removed.count
        removal.bytes = result.removed.reduce(0) { $0 + (sizes[$1.rowID] ?? 0) }
        removal.failure = result.failure.map(CacheStorageError.init)
        return removal
    }
}

// MARK: - SQL

extension IndexSession {
    fileprivate func ids(in order: Order) throws(SQLiteError) -> [Int64] {
        let sql =
            switch order {
            case .access: IndexSQL.idsByAccess
            case .size: IndexSQL.idsBySize
            case .expiration: IndexSQL.idsByExpiration
            }
        return try connection.with(sql) { (statement) throws(SQLiteError) in
            var ids: [Int64] = []
            while try statement.step() { ids.append(statement.integer(at: 0)) }
            return ids
        }
    }

    fileprivate func accessRange() throws(SQLiteError) -> (Timestamp?, Timestamp?) {
        try connection.with(IndexSQL.accessRange) { (statement) throws(SQLiteError) in
            guard try statement.step() else { return (nil, nil) }
            return (
                statement.optionalInteger(at: 0).map(Timestamp.init(milliseconds:)),
                statement.optionalInteger(at: 1).map(Timestamp.init(milliseconds:))
            )
        }
    }
}

extension IndexSQL {
    // The first two columns of a row decide; the id makes the order the same each time.
    fileprivate static let idsByAccess: StaticString = "SELECT id FROM entries ORDER BY accessed_at DESC, size, id"
    fileprivate static let idsBySize: StaticString = "SELECT id FROM entries ORDER BY size DESC, id"
    fileprivate static let idsByExpiration: StaticString =
        "SELECT id FROM entries ORDER BY expires_at IS NULL, expires_at, id"
    fileprivate static let accessRange: StaticString = "SELECT min(accessed_at), max(accessed_at) FROM entries"
}
