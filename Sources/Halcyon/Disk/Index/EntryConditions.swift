internal import HalcyonSQLite

/// A filter as SQL: static fragments and the values to bind.
struct EntryConditions {
    private(set) var fragments: [StaticString] = []
    private(set) var values: [any Bindable] = []

    /// - Parameter clearedUpTo: a clear is removing the entries stored up to this time, so they meet no filter.
    init(_ filter: EntryFilter, at now: Timestamp, clearedUpTo: Timestamp? = nil) {
        if let clearedUpTo {
            add(IndexSQL.isNotBeingCleared, clearedUpTo)
            values.append(clearedUpTo)
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
        add(IndexSQL.isTagged, filter.tag)
        add(IndexSQL.mayHaveHost, filter.host.map(KeyOrigin.lowercased))
        // Last, so that SQLite calls it only for rows that meet the other conditions.
        add(IndexSQL.meetsKeyConditions, KeyConditions(filter).map(Predicate.init(_:)))
    }

    /// Adds no condition for nil.
    private mutating func add(_ fragment: StaticString, _ value: (any Bindable)?) {
        guard let value else { return }
        fragments.append(fragment)
        values.append(value)
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
