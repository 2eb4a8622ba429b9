internal import HalcyonSQLite

extension EntryStore {
    /// Some of the entries that meet a filter.
    struct Page {
        var records: [EntryRecord] = []
        /// Where each of them stands in the order.
        var positions: [EntryPosition] = []
        var hasMore = false
    }

    /// Of candidates that an index names, so many are looked at one by one; more are met sooner by walking in the order that
    /// was asked for: then one entry in 250 or so meets the condition, among a million.
    private static let candidateLimit = 4_096

    /// Entries that are looked at one by one, all over the file, before the whole table is read in its own order instead: what
    /// meets the filter is rare.
    private static let walkLimit = 16_384

    /// The first entries that meet a filter, behind a position in an order. As of one moment.
    ///
    /// Where a condition with an index is met by few, these are looked at one by one and sorted; otherwise the walk is in the
    /// order that was asked for, which has an index too, past what does not meet the filter. Should that be nearly everything, the
    /// table is read once as it lies.
    func page(
        matching filter: EntryFilter, in order: EntryOrder, descending: Bool, after start: EntryPosition?, limit: Int
    ) throws -> Page {
        let request = PageRequest(order: order, isDescending: descending, start: start, limit: limit)
        return try readListed(filter, order) { session, now in
            let conditions = try session.conditions(filter, at: now)
            let candidates = try session.candidates(conditions, limit: Self.candidateLimit)
            var page = try page(request, conditions, candidates, in: session)
            page.cut(to: limit)
            for index in page.records.indices { try session.describe(&page.records[index]) }
            return page
        }
    }

    private func page(
        _ request: PageRequest, _ conditions: IndexSession.Conditions, _ candidates: Set<Int64>?,
        in session: IndexSession
    ) throws -> Page {
        func page(of ids: Set<Int64>) throws -> Page {
            try session.matching(conditions) { match in try request.page(of: ids.sorted().compactMap(match)) }
        }
        func walk(past limit: Int) throws -> Page? {
            try session.matching(conditions) {
                try Self.walkedPage(request, conditions.filter, past: limit, in: session, $0)
            }
        }
        if let candidates { return try page(of: candidates) }
        if let found = try walk(past: Self.walkLimit) { return found }
        if let few = try session.matches(conditions, limit: Self.candidateLimit) { return try page(of: few) }
        return try walk(past: .max) ?? Page()
    }

    /// - Parameters:
    ///   - most: entries that do not meet the filter, after which the walk is given up.
    ///   - match: whether an entry meets the filter.
    private static func walkedPage(
        _ request: PageRequest, _ filter: EntryFilter, past most: Int, in session: IndexSession,
        _ match: (Int64) throws -> EntryRecord?
    ) throws -> Page? {
        let order = request.order
        var passed = 0
        // Since the listing was brought up to date: these are not where it has them.
        let changed = order.needsListing ? Set(try session.unlisted(limit: .max).map(\.id)) : []
        var late = try request.page(of: changed.compactMap(match))
        var page = Page()
        try session.walk(
            order, descending: request.isDescending, bounds: order.bounds(filter), after: request.start
        ) { position in
            guard !changed.contains(position.id), let record = try match(position.id) else {
                passed += 1
                return passed <= most
            }
            while let next = late.positions.first, request.isBefore(next, position) { page.moveFirst(of: &late) }
            page.add(record, position)
            return page.records.count <= request.limit
        }
        while !late.records.isEmpty { page.moveFirst(of: &late) }
        return passed <= most ? page : nil
    }

    /// Which of an order's pages is asked for.
    private struct PageRequest {
        let order: EntryOrder
        let isDescending: Bool
        let start: EntryPosition?
        let limit: Int

        func isBefore(_ left: EntryPosition, _ right: EntryPosition) -> Bool {
            isDescending ? EntryPosition.isOrdered(right, left) : EntryPosition.isOrdered(left, right)
        }

        /// The first of some records, one more than asked for.
        func page(of records: [EntryRecord]) -> Page {
            let sorted =
                records.map { ($0, order.position(of: $0.entry)) }
                .filter { _, position in start.map { isBefore($0, position) } ?? true }
                .sorted { isBefore($0.1, $1.1) }
            var page = Page()
            for (record, position) in sorted.prefix(limit + 1) { page.add(record, position) }
            return page
        }
    }

    /// Number and bytes of the entries that meet a filter, without handing any of them over.
    func totals(matching filter: EntryFilter) throws -> Totals {
        if filter.isUnconditional { return try totals() }
        return try readListed(filter, nil) { session, now in
            if filter == EntryFilter(isExpired: true) { return try session.expiredTotals(at: now) }
            if filter == EntryFilter(isPinned: true) { return try session.pinnedTotals() }
            return try count(try session.conditions(filter, at: now), in: session)
        }
    }

    private func count(_ conditions: IndexSession.Conditions, in session: IndexSession) throws -> Totals {
        var totals = Totals(entries: 0, bytes: 0)
        if let candidates = try session.candidates(conditions, limit: Self.candidateLimit) {
            try session.matching(conditions) { match in
                for id in candidates { if let record = try match(id) { totals.add(size: record.entry.size) } }
            }
        } else {
            try session.forEachMatch(in: .min ... .max, conditions) { (statement) throws(SQLiteError) in
                totals.add(size: session.size(statement))
                return true
            }
        }
        return totals
    }

    /// The row of a name with everything that is known of it; nil where there is none.
    func record(of name: BlobName) throws -> EntryRecord? {
        try finishAdoption(of: name.withFormer)
        flushAccessLog()
        return try index.read { try record(of: name, in: $0) }
    }

    /// As ``record(of:)``, in a transaction.
    func record(of name: BlobName, in session: IndexSession) throws -> EntryRecord? {
        let record = try session.record(of: name.withFormer, at: now)
        return try record.flatMap { try isBeingCleared($0.entry, in: session) ? nil : $0 }
    }

    /// Ids of entries that meet a filter, and perhaps of some that do not, a bounded number at a time, in their order.
    ///
    /// - Parameter body: must look again, under the write lock. Returns false to end it.
    func forEachBatch(matching filter: EntryFilter, _ body: ([Int64]) throws -> Bool) throws {
        let size = environment.tuning.batchSize
        let candidates = try readListed(filter, nil) { session, now in
            try session.candidates(try session.conditions(filter, at: now), limit: Self.candidateLimit)
        }
        if let candidates = candidates?.sorted() {
            for start in stride(from: 0, to: candidates.count, by: size) {
                guard try body(Array(candidates[start..<min(start + size, candidates.count)])) else { return }
            }
            return
        }
        var last = Int64.min
        while true {
            let ids = try idsOfMatches(of: filter, from: last, limit: size)
            guard let end = ids.last, try body(ids), ids.count == size, end < .max else { return }
            last = end + 1
        }
    }

    private func idsOfMatches(of filter: EntryFilter, from first: Int64, limit: Int) throws -> [Int64] {
        try readAtOneMoment { session in
            var ids: [Int64] = []
            let conditions = try session.conditions(filter, at: now)
            try session.forEachMatch(in: first ... .max, conditions) { (statement) throws(SQLiteError) in
                ids.append(statement.integer(at: 0))
                return ids.count < limit
            }
            return ids
        }
    }

    // MARK: Before a query

    /// Brings up to date what a query reads: rows of files, accesses of this process, and the listing where it is needed.
    func prepareQuery(_ filter: EntryFilter, _ order: EntryOrder?) throws {
        try finishAdoption()
        flushAccessLog()
        if filter.needsListing || order?.needsListing ?? false { try updateListing() }
        // So written by somebody: the order by access knows of pinned and not pinned alone.
        if try index.read({ try $0.hasInvalidPins() }) { try index.write { try $0.normalizePins() } }
    }

    /// Runs `body` on what entries and listing are at one moment.
    ///
    /// Between bringing the listing up to date and that moment somebody who removes everything, or finds it far behind, may have
    /// dropped it.
    ///
    /// - Parameter body: is given what "expired" is measured against.
    func readListed<Result>(
        _ filter: EntryFilter, _ order: EntryOrder?, _ body: (IndexSession, Timestamp) throws -> Result
    ) throws -> Result {
        let needsListing = filter.needsListing || order?.needsListing ?? false
        for _ in 0..<8 {
            try prepareQuery(filter, order)
            let now = now
            let result: Result? = try readAtOneMoment { session in
                if needsListing, try !session.isListed() { return nil }
                return try body(session, now)
            }
            if let result { return result }
        }
        throw SQLiteError(code: .busy, message: "the listing is dropped as fast as it is made")
    }

    /// On a connection of its own: lookups do not wait for it.
    private func readAtOneMoment<Result>(_ body: (IndexSession) throws -> Result) throws -> Result {
        try index.readAtLength { session in try session.connection.reading { try body(session) } }
    }

    /// Makes rows of single files while others are still to be adopted.
    func finishAdoption(of names: [BlobName]) throws { for name in names { try adoptBeforeReplacing(name) } }
}

extension EntryStore.Page {
    fileprivate mutating func add(_ record: EntryRecord, _ position: EntryPosition) {
        records.append(record)
        positions.append(position)
    }

    fileprivate mutating func moveFirst(of other: inout Self) {
        add(other.records.removeFirst(), other.positions.removeFirst())
    }

    fileprivate mutating func cut(to limit: Int) {
        hasMore = records.count > limit
        records.removeLast(max(0, records.count - limit))
        positions.removeLast(max(0, positions.count - limit))
    }
}

extension Totals {
    fileprivate mutating func add(size: Int64) {
        entries += 1
        bytes = bytes.addingReportingOverflow(size).partialValue
    }
}

extension EntryFilter {
    /// Whether the listing is what knows the answer.
    @_spi(HalcyonTool) public var needsListing: Bool {
        keyPrefix != nil || baseKey != nil || host != nil || processorIdentifier != nil
    }
}

extension IndexSession {
    /// The row of the first of some names that has one, with everything that is known of it.
    func record(of names: [BlobName], at now: Timestamp) throws -> EntryRecord? {
        // There is one name, or two.
        guard let entry = try names.compactMap({ try entry(named: $0) }).first,
            var record = try matching(try conditions(.all, at: now), { match in try match(entry.id) })
        else { return nil }
        try describe(&record)
        return record
    }

    func size(_ statement: Statement) -> Int64 { statement.integer(at: 5) }

    /// As ``walk(_:descending:after:_:)``, between two places only.
    func walk(
        _ order: EntryOrder, descending: Bool, bounds: (lower: EntryPosition?, upper: EntryPosition?),
        after start: EntryPosition?, _ body: (EntryPosition) throws -> Bool
    ) throws {
        let (first, last) = descending ? (bounds.upper, bounds.lower) : (bounds.lower, bounds.upper)
        func isBehind(_ left: EntryPosition, _ right: EntryPosition) -> Bool {
            descending ? EntryPosition.isOrdered(left, right) : EntryPosition.isOrdered(right, left)
        }
        let begin = [start, first].compactMap(\.self).max { isBehind($1, $0) }
        try walk(order, descending: descending, after: begin) { position in
            if let last, isBehind(position, last) { return false }
            return try body(position)
        }
    }
}
