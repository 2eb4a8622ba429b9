internal import HalcyonSQLite

/// Which entries meet a filter, and in which order. See ``EntryStore/page(matching:in:descending:after:limit:)`` for when
/// which way is taken.
extension IndexSession {
    /// A filter whose texts have been looked up.
    struct Conditions {
        let filter: EntryFilter
        let now: Timestamp
        var host: Int64?
        var processor: Int64?
        /// Hashed once; nil where no image is asked for.
        var source: Int64?

        /// What no entry can have.
        static let nobody: Int64 = -1
    }

    func conditions(_ filter: EntryFilter, at now: Timestamp) throws(SQLiteError) -> Conditions {
        var conditions = Conditions(filter: filter, now: now)
        if let host = filter.host { conditions.host = try id(ofName: KeyOrigin.lowercased(host)) ?? Conditions.nobody }
        if let processor = filter.processorIdentifier {
            conditions.processor = try id(ofName: processor) ?? Conditions.nobody
        }
        conditions.source = filter.baseKey.map { KeyOrigin(baseKey: $0).source }
        return conditions
    }

    // MARK: Matching

    /// Hands over the rows with ids in a range that meet the conditions, in the order of their ids, until `body` returns
    /// false.
    ///
    /// - Parameter body: reads the columns that ``record(_:)`` reads.
    func forEachMatch(
        in ids: ClosedRange<Int64>, _ conditions: Conditions, _ body: (Statement) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) {
        try connection.with(IndexSQL.matching) { (statement) throws(SQLiteError) in
            try conditions.bind(to: statement)
            statement.bind(ids.lowerBound, at: 1)
            statement.bind(ids.upperBound, at: 2)
            while try statement.step() { guard try body(statement) else { return } }
        }
    }

    /// Ids of all entries that meet the conditions, found by reading the table as it lies; nil where they are more than `limit`.
    func matches(_ conditions: Conditions, limit: Int) throws(SQLiteError) -> Set<Int64>? {
        var ids: Set<Int64> = []
        try forEachMatch(in: .min ... .max, conditions) { (statement) throws(SQLiteError) in
            ids.insert(statement.integer(at: 0))
            return ids.count <= limit
        }
        return ids.count <= limit ? ids : nil
    }

    /// Asks of one entry after the other whether it meets the conditions.
    ///
    /// - Parameter body: is given the question, which answers with the entry's record.
    func matching<Result>(
        _ conditions: Conditions, _ body: ((Int64) throws(SQLiteError) -> EntryRecord?) throws -> Result
    ) throws -> Result {
        try connection.with(throwing: IndexSQL.matching) { statement in
            try conditions.bind(to: statement)
            return try body { (id) throws(SQLiteError) in
                statement.rewind()
                statement.bind(id, at: 1)
                statement.bind(id, at: 2)
                return try statement.step() ? record(statement) : nil
            }
        }
    }

    /// An entry with its uses; tags and metadata are added by ``describe(_:)``.
    func record(_ statement: Statement) -> EntryRecord {
        EntryRecord(
            entry: Entry(statement), hits: statement.quantity(at: 11), slack: statement.slack(at: 12),
            baseLength: statement.isNull(at: 13) ? nil : Int(clamping: statement.quantity(at: 13)))
    }

    /// Ids of entries among which are all that meet the conditions, by the one of them that has an index; nil where none has,
    /// or where they are more than `limit`.
    func candidates(_ conditions: Conditions, limit: Int) throws(SQLiteError) -> Set<Int64>? {
        let filter = conditions.filter
        if let source = conditions.source, let key = filter.baseKey {
            if let found = try variants(of: key, source, limit: limit) { return found }
        }
        if let tag = filter.tag, let found = try few(limit, of: [try ids(tagged: tag, limit)]) { return found }
        if let prefix = filter.keyPrefix, let found = try few(limit, of: [try ids(from: prefix, limit)]) {
            return found
        }
        let indexed: [(StaticString, Int64?)] = [
            (IndexSQL.idsByHost, conditions.host), (IndexSQL.idsByProcessor, conditions.processor),
            (IndexSQL.idsOfExpired, filter.isExpired == true ? conditions.now.milliseconds : nil),
            (IndexSQL.idsOfPinned, filter.isPinned == true ? 0 : nil),
        ]
        for case (let sql, let value?) in indexed {
            if let found = try few(limit, of: [try ids(sql, value, limit)]) { return found }
        }
        return nil
    }

    private func few(_ limit: Int, of lists: [[Int64]]) throws(SQLiteError) -> Set<Int64>? {
        lists.contains { $0.count > limit } ? nil : Set(lists.joined())
    }

    /// Those that say so, and those that may be by their keys.
    private func variants(of key: String, _ source: Int64, limit: Int) throws(SQLiteError) -> Set<Int64>? {
        try few(
            limit,
            of: [
                try ids(IndexSQL.idsBySource, source, limit), try ids(from: key, to: key + "\0", limit),
                try ids(from: "\(key)@", limit),
            ])
    }

    private func ids(_ sql: StaticString, _ value: Int64, _ limit: Int) throws(SQLiteError) -> [Int64] {
        try connection.with(sql) { (statement) throws(SQLiteError) in
            statement.bind(value, at: 1)
            return try ids(statement, limit)
        }
    }

    private func ids(tagged tag: String, _ limit: Int) throws(SQLiteError) -> [Int64] {
        try connection.with(IndexSQL.idsByTag) { (statement) throws(SQLiteError) in
            try statement.bind(tag, at: 1)
            return try ids(statement, limit)
        }
    }

    private func ids(from prefix: String, _ limit: Int) throws(SQLiteError) -> [Int64] {
        try ids(from: prefix, to: prefix.successor, limit)
    }

    private func ids(from start: String, to end: String?, _ limit: Int) throws(SQLiteError) -> [Int64] {
        try connection.with(IndexSQL.idsByKeyRange) { (statement) throws(SQLiteError) in
            try statement.bind(start, at: 1)
            try statement.bindBound(end, at: 3)
            return try ids(statement, limit)
        }
    }

    /// One more than asked for, so that "more" can be told from "all".
    private func ids(_ statement: Statement, _ limit: Int) throws(SQLiteError) -> [Int64] {
        statement.bind(Int64(limit + 1), at: 2)
        var ids: [Int64] = []
        while try statement.step() { ids.append(statement.integer(at: 0)) }
        return ids
    }

    // MARK: Walking in an order

    /// Hands over the places of entries in an order, behind a position, until `body` returns false.
    ///
    /// - Parameter start: nil for the beginning.
    func walk(
        _ order: EntryOrder, descending: Bool, after start: EntryPosition?, _ body: (EntryPosition) throws -> Bool
    ) throws {
        let start = start ?? (descending ? .beyondAll : .beforeAll)
        guard order == .expiration else {
            _ = try walk(order, order.sql(descending: descending), behind: start, body)
            return
        }
        // Two walks, one behind the other: what expires has an index of its own.
        let isAmongLasting = start.value == .max
        let lasting = descending ? IndexSQL.lastingDescending : IndexSQL.lasting
        let expiring = order.sql(descending: descending)
        if descending {
            if isAmongLasting, try !walk(order, lasting, behind: start, body) { return }
            _ = try walk(order, expiring, behind: isAmongLasting ? .beyondAll : start, body)
        } else {
            if !isAmongLasting, try !walk(order, expiring, behind: start, body) { return }
            let first = EntryPosition(value: .max, id: .min)
            _ = try walk(order, lasting, behind: isAmongLasting ? start : first, body)
        }
    }

    /// - Returns: whether it came to the end.
    private func walk(
        _ order: EntryOrder, _ sql: StaticString, behind start: EntryPosition,
        _ body: (EntryPosition) throws -> Bool
    ) throws -> Bool {
        try connection.with(throwing: sql) { statement in
            statement.bind(start.value, at: 1)
            statement.bind(start.second, at: 2)
            statement.bind(start.id, at: 3)
            if order == .key { try statement.bindBound(start.isBeyondAll ? nil : start.key, at: 4) }
            while try statement.step() {
                guard try body(EntryPosition(statement, in: order)) else { return false }
            }
            return true
        }
    }

    // MARK: Totals

    func pinnedTotals() throws(SQLiteError) -> Totals { try totals(IndexSQL.pinnedTotals) }

    /// Bytes that blobs take up beyond their sizes.
    func slack() throws(SQLiteError) -> Int64 {
        try connection.with(IndexSQL.slack) { (statement) throws(SQLiteError) in
            try statement.step() ? statement.slack(at: 0) : 0
        }
    }
}

extension IndexSession.Conditions {
    fileprivate func bind(to statement: Statement) throws(SQLiteError) {
        let created = EntryFilter.range(after: filter.createdAfter, before: filter.createdBefore)
        let accessed = EntryFilter.range(after: filter.accessedAfter, before: filter.accessedBefore)
        let ends = [
            filter.minimumSize ?? .min, filter.maximumSize ?? .max, created.lowerBound, created.upperBound,
            accessed.lowerBound, accessed.upperBound,
        ]
        for (index, value) in ends.enumerated() { statement.bind(value, at: Int32(index + 3)) }
        statement.bind(filter.isPinned.map { $0 ? 1 : 0 }, at: 9)
        statement.bind(filter.isExpired.map { $0 ? 1 : 0 }, at: 10)
        statement.bind(now.milliseconds, at: 11)
        statement.bind(filter.expiresBefore.map { Timestamp.first(notBefore: $0).milliseconds }, at: 12)
        try bindKeys(to: statement)
        statement.bind(host, at: 20)
        statement.bind(processor, at: 21)
        try statement.bind(filter.tag, at: 22)
    }

    private func bindKeys(to statement: Statement) throws(SQLiteError) {
        // Nothing is in each key, also in one that is not known.
        if let prefix = filter.keyPrefix, !prefix.isEmpty {
            try statement.bind(prefix, at: 13)
            try statement.bindBound(prefix.successor, at: 14)
        }
        try statement.bind(filter.text.flatMap { $0.isEmpty ? nil : KeyOrigin.lowercased($0) }, at: 15)
        guard let source, let key = filter.baseKey else { return }
        statement.bind(source, at: 16)
        try statement.bind(key, at: 17)
        try statement.bind("\(key)@", at: 18)
        try statement.bindBound("\(key)@".successor, at: 19)
    }
}

extension Statement {
    /// The end of a range of texts; nil for one behind all of them. SQLite sorts bytes behind texts.
    fileprivate func bindBound(_ end: String?, at index: Int32) throws(SQLiteError) {
        if let end { try bind(end, at: index) } else { try bind([UInt8](), at: index) }
    }
}

extension String {
    /// The first text, in the order of bytes, behind all that begin with this one; nil where there is none.
    var successor: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are no characters.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            return String(String.UnicodeScalarView(scalars))
        }
        return nil
    }
}

extension EntryPosition {
    /// As ``EntryOrder/position(of:)`` has it: a cursor of one way to a page has to serve the other.
    fileprivate init(_ statement: Statement, in order: EntryOrder) {
        self.init(
            key: order == .key ? statement.text(at: 3) : "", value: order == .key ? 0 : statement.integer(at: 1),
            second: order == .access ? statement.integer(at: 2) : 0, id: statement.integer(at: 0))
    }

    static let beforeAll = EntryPosition(value: .min, second: .min, id: .min)
    static let beyondAll = EntryPosition(value: .max, second: .max, id: .max)

    fileprivate var isBeyondAll: Bool { self == .beyondAll }
}

extension EntryOrder {
    fileprivate func sql(descending: Bool) -> StaticString {
        switch self {
        case .access: descending ? IndexSQL.byAccessDescending : IndexSQL.byAccess
        case .size: descending ? IndexSQL.bySizeDescending : IndexSQL.bySize
        case .created: descending ? IndexSQL.byCreationDescending : IndexSQL.byCreation
        case .expiration: descending ? IndexSQL.byExpirationDescending : IndexSQL.byExpiration
        case .key: descending ? IndexSQL.byKeyDescending : IndexSQL.byKey
        }
    }

    /// Whether the listing is what knows it.
    @_spi(HalcyonTool) public var needsListing: Bool { self != .access }

    /// Where an entry stands in this order.
    func position(of entry: Entry) -> EntryPosition {
        switch self {
        case .access:
            EntryPosition(value: entry.accessedAt.milliseconds, second: entry.size, id: entry.id)
        case .size: EntryPosition(value: entry.size, id: entry.id)
        case .created: EntryPosition(value: entry.createdAt.milliseconds, id: entry.id)
        case .expiration:
            EntryPosition(
                value: entry.isPinned ? .max : entry.lifetime.expiresAt?.milliseconds ?? .max, id: entry.id)
        case .key: EntryPosition(key: entry.key ?? "", id: entry.id)
        }
    }

    /// The places between which a filter's entries lie.
    func bounds(_ filter: EntryFilter) -> (lower: EntryPosition?, upper: EntryPosition?) {
        func bound(_ value: Int64?, _ id: Int64) -> EntryPosition? {
            value.map { EntryPosition(value: $0, second: id, id: id) }
        }
        func bounds(_ range: ClosedRange<Int64>) -> (EntryPosition?, EntryPosition?) {
            (bound(range.lowerBound, .min), bound(range.upperBound, .max))
        }
        switch self {
        case .access: return bounds(EntryFilter.range(after: filter.accessedAfter, before: filter.accessedBefore))
        case .created: return bounds(EntryFilter.range(after: filter.createdAfter, before: filter.createdBefore))
        case .size: return (bound(filter.minimumSize, .min), bound(filter.maximumSize, .max))
        case .expiration:
            return (nil, bound(filter.expiresBefore.map { Timestamp.first(notBefore: $0).milliseconds }, .max))
        case .key:
            return (
                filter.keyPrefix.map { EntryPosition(key: $0, id: .min) },
                filter.keyPrefix?.successor.map { EntryPosition(key: $0, id: .min) }
            )
        }
    }
}
