internal import HalcyonSQLite

/// Figures about all entries together. See ``StorageReport``.
extension IndexSession {
    func report(_ question: StorageReport.Question, freeBytes: Int64?) throws(SQLiteError) -> StorageReport {
        var report = StorageReport()
        report.totals = try totals()
        report.allocatedBytes = report.totals.bytes + (try slack())
        report.pinned = try pinnedTotals()
        (report.oldestAccess, report.newestAccess) = try accessRange()
        report.hosts = try ranking(IndexSQL.bytesByHost, count: IndexSQL.countHosts, limit: question.groups)
        report.processors = try ranking(
            IndexSQL.bytesByProcessor, count: IndexSQL.countProcessors, limit: question.groups)
        report.ages = try ages(question)
        report.sizes = try sizes(question)
        report.expirations = try expirations(question)
        report.eviction = try question.limits.target(report.totals, freeBytes: freeBytes).map {
            (target) throws(SQLiteError) in try eviction(of: report.totals, downTo: target)
        }
        return report
    }

    // MARK: Groups

    private func ranking(
        _ sql: StaticString, count: StaticString, limit: Int
    ) throws(SQLiteError) -> StorageReport.Ranking {
        var ranking = StorageReport.Ranking(largest: try groups(sql, limit: limit))
        ranking.otherGroups = max(0, (try connection.integer(count) ?? 0) - Int64(ranking.largest.count))
        ranking.others = try totals(IndexSQL.listedTotals)
        for group in ranking.largest { ranking.others = ranking.others - group.totals }
        return ranking
    }

    /// The largest ones. Needs the listing.
    func groups(_ sql: StaticString, limit: Int) throws(SQLiteError) -> [StorageReport.Group] {
        try connection.with(sql) { (statement) throws(SQLiteError) in
            statement.bind(Int64(limit), at: 1)
            var groups: [StorageReport.Group] = []
            while try statement.step() {
                groups.append(.init(name: statement.optionalText(at: 0), totals: statement.totals(at: 1)))
            }
            return groups
        }
    }

    // MARK: Steps

    private func ages(_ question: StorageReport.Question) throws(SQLiteError) -> [Totals] {
        // The youngest first; an access that lies in the future is as young as any.
        var end = Int64.max
        var steps: [Totals] = []
        for age in question.ages {
            let begin = question.now.milliseconds - age + 1
            steps.append(try totals(IndexSQL.accessedBetween, from: begin, to: end))
            end = begin - 1
        }
        return steps + [try totals(IndexSQL.accessedBetween, from: .min, to: end)]
    }

    private func sizes(_ question: StorageReport.Question) throws(SQLiteError) -> [Totals] {
        var begin = Int64.min
        var steps: [Totals] = []
        for size in question.sizes {
            steps.append(try totals(IndexSQL.sizedBetween, from: begin, to: size - 1))
            begin = size
        }
        return steps + [try totals(IndexSQL.sizedBetween, from: begin, to: .max)]
    }

    private func totals(_ sql: StaticString, from begin: Int64, to end: Int64) throws(SQLiteError) -> Totals {
        try connection.with(sql) { (statement) throws(SQLiteError) in
            statement.bind(begin, at: 1)
            statement.bind(end, at: 2)
            return try statement.step() ? statement.totals(at: 0) : Totals(entries: 0, bytes: 0)
        }
    }

    private func expirations(_ question: StorageReport.Question) throws(SQLiteError) -> StorageReport.Expirations {
        var result = StorageReport.Expirations(
            days: Array(repeating: Totals(entries: 0, bytes: 0), count: question.days.count))
        return try connection.with(IndexSQL.expiringBetween) { (statement) throws(SQLiteError) in
            for (index, moment) in ([question.now] + question.days).enumerated() {
                statement.bind(moment.milliseconds, at: Int32(index + 1))
            }
            while try statement.step() {
                result.note(statement.totals(at: 1), step: statement.optionalInteger(at: 0).map { Int(clamping: $0) })
            }
            return result
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

extension StorageReport.Expirations {
    /// - Parameter step: how many of now and the ends of the days its entries outlive.
    fileprivate mutating func note(_ totals: Totals, step: Int?) {
        switch step {
        case nil: never = totals
        case 0: expired = totals
        case let step? where step <= days.count: days[step - 1] = totals
        default: later = totals
        }
    }
}

extension Totals {
    /// The index may change between two statements that nothing holds together: never less than nothing.
    fileprivate static func - (left: Totals, right: Totals) -> Totals {
        Totals(entries: max(0, left.entries &- right.entries), bytes: max(0, left.bytes &- right.bytes))
    }
}
