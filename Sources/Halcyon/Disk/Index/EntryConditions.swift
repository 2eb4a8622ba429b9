internal import HalcyonSQLite

/// A filter as SQL: static fragments and the values to bind.
struct EntryConditions {
    private(set) var fragments: [StaticString] = []
    private var values: [Value] = []

    private enum Value {
        case integer(Int64)
        case text(String)
        case predicate(Predicate)
    }

    /// - Parameter clearedUpTo: a clear is removing the entries stored up to this time, so they meet no filter.
    init(_ filter: EntryFilter, at now: Timestamp, clearedUpTo: Timestamp? = nil) {
        if let clearedUpTo {
            add(IndexSQL.isNotBeingCleared, clearedUpTo)
            values.append(.integer(clearedUpTo.milliseconds))
        }
        add(IndexSQL.sizeAtLeast, filter.minimumSize)
        add(IndexSQL.sizeAtMost, filter.maximumSize)
        add(IndexSQL.createdFrom, filter.createdAfter.map { Timestamp.first(after: $0) })
        add(IndexSQL.createdBefore, filter.createdBefore.map { Timestamp.first(notBefore: $0) })
        add(IndexSQL.accessedFrom, filter.accessedAfter.map { Timestamp.first(after: $0) })
        add(IndexSQL.accessedBefore, filter.accessedBefore.map { Timestamp.first(notBefore: $0) })
        add(IndexSQL.expiresBefore, filter.expiresBefore.map { Timestamp.first(notBefore: $0) })
        if let isExpired = filter.isExpired { add(isExpired ? IndexSQL.isExpired : IndexSQL.isValid, now) }
        if let isPinned = filter.isPinned { fragments.append(isPinned ? IndexSQL.isPinned : IndexSQL.isUnpinned) }
        if let tag = filter.tag { add(IndexSQL.isTagged, .text(tag)) }
        if let host = filter.host { add(IndexSQL.mayHaveHost, .text(KeyOrigin.lowercased(host))) }
        // Last, so that SQLite calls it only for rows that meet the other conditions.
        if let keys = KeyConditions(filter) { add(IndexSQL.meetsKeyConditions, .predicate(Predicate(keys))) }
    }

    private mutating func add(_ fragment: StaticString, _ value: Value) {
        fragments.append(fragment)
        values.append(value)
    }

    private mutating func add(_ fragment: StaticString, _ value: Int64?) {
        if let value { add(fragment, .integer(value)) }
    }

    private mutating func add(_ fragment: StaticString, _ value: Timestamp?) { add(fragment, value?.milliseconds) }

    func bind(_ parameters: inout Parameters) throws(SQLiteError) {
        for value in values {
            switch value {
            case .integer(let integer): try parameters.add(integer)
            case .text(let text): try parameters.add(text)
            case .predicate(let predicate): try parameters.add(predicate)
            }
        }
    }
}

extension Predicate {
    fileprivate convenience init(_ keys: KeyConditions) {
        self.init { values in
            keys.admit(
                values.text(at: 0), baseLength: values.optionalInteger(at: 1).map { Int(clamping: $0) },
                source: values.optionalInteger(at: 2))
        }
    }
}

/// Binds values to the question marks in order.
struct Parameters {
    let statement: Statement
    private(set) var next: Int32 = 1

    init(of statement: Statement) { self.statement = statement }

    mutating func add(_ value: Int64) throws(SQLiteError) {
        statement.bind(value, at: next)
        next += 1
    }

    mutating func add(_ value: String) throws(SQLiteError) {
        try statement.bind(value, at: next)
        next += 1
    }

    mutating func add(_ value: [UInt8]) throws(SQLiteError) {
        try statement.bind(value, at: next)
        next += 1
    }

    mutating func add(_ value: Predicate) throws(SQLiteError) {
        try statement.bind(value, at: next)
        next += 1
    }
}
