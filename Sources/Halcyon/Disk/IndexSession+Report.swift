internal import HalcyonSQLite

/// Figures about all entries together. See ``StorageReport``.
extension IndexSession {
    /// - Parameter progress: called now and then with how many entries have been counted.
    func report(
        _ question: StorageReport.Question, freeBytes: Int64?, progress: (Int64) throws -> Void
    ) throws -> StorageReport {
        var report = StorageReport()
        report.totals = try totals()
        report.allocatedBytes = report.totals.bytes + (try slack())
        report.pinned = try pinnedTotals()
        (report.oldestAccess, report.newestAccess) = try accessRange()
        try count(question, progress).note(in: &report)
        report.eviction = try question.limits.target(report.totals, freeBytes: freeBytes).map { target in
            try eviction(of: report.totals, downTo: target)
        }
        return report
    }

    // MARK: Groups and steps

    private func count(
        _ question: StorageReport.Question, _ progress: (Int64) throws -> Void
    ) throws -> StorageReport.Count {
        try connection.with(throwing: IndexSQL.reported) { statement in
            var count = StorageReport.Count(question)
            while try statement.step() {
                count.add(
                    size: statement.blobSize(at: 0), accessedAt: statement.timestamp(at: 1),
                    expiresAt: statement.optionalTimestamp(at: 2), origin: statement.origin(at: 3))
                if count.entries.isMultiple(of: 10_000) { try progress(count.entries) }
            }
            try progress(count.entries)
            return count
        }
    }

    /// The largest ones. Reads the whole table, some 0.5 µs a row.
    func hosts(limit: Int) throws(SQLiteError) -> [StorageReport.Group] {
        try connection.with(IndexSQL.keys) { (statement) throws(SQLiteError) in
            var hosts = StorageReport.Groups()
            while try statement.step() { hosts.add(statement.origin(at: 1).host, size: statement.blobSize(at: 0)) }
            return hosts.ranking(limit: limit).largest
        }
    }

    // MARK: Eviction

    /// Least recently used first.
    func evictedNext(limit: Int) throws(SQLiteError) -> [Entry] {
        try connection.with(IndexSQL.evictedNext) { (statement) throws(SQLiteError) in
            statement.bind(Int64(limit), at: 1)
            var entries: [Entry] = []
            while try statement.step() { entries.append(Entry(statement)) }
            return entries
        }
    }

    /// As ``EntryStore/evict(downTo:shouldContinue:)`` would go about it.
    private func eviction(of all: Totals, downTo target: Totals) throws(SQLiteError) -> StorageReport.Eviction {
        var eviction = StorageReport.Eviction()
        return try connection.with(IndexSQL.evictable) { (statement) throws(SQLiteError) in
            while all.entries &- eviction.gone.entries > target.entries
                || all.bytes &- eviction.gone.bytes > target.bytes
            {
                guard try statement.step() else { break }
                eviction.usedUntil = statement.timestamp(at: 0)
                eviction.gone = eviction.gone + Totals(entries: 1, bytes: statement.blobSize(at: 1))
            }
            return eviction
        }
    }
}

extension Statement {
    /// Host and processor of a key, and of what stands in the next column about it.
    fileprivate func origin(at column: Int32) -> (host: String?, processor: String?) {
        guard !isNull(at: column) else { return (nil, nil) }
        let key = bytes(at: column)
        let baseLength = isNull(at: column + 1) ? nil : Int(clamping: quantity(at: column + 1))
        let parts = baseLength.flatMap { KeyOrigin.parts(of: key, baseLength: $0) }
        return (
            KeyOrigin.host(of: parts?.base ?? key[...]).map {
                KeyOrigin.lowercased(String(decoding: $0, as: UTF8.self))
            },
            parts.map { String(decoding: $0.processor, as: UTF8.self) }
        )
    }
}
