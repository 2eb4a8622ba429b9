internal import HalcyonSQLite

/// A filter as SQL: static fragments and the values to bind.
struct EntryConditions {
    private(set) var fragments: [StaticString] = []
    /// The same, for a statement that looks at one row.
    private(set) var fragmentsOfOne: [StaticString] = []
    private(set) var values: [any Bindable] = []

    /// - Parameter clearedUpTo: a clear is removing the entries stored up to this time, so they meet no filter.
    init(_ filter: EntryFilter, at now: Timestamp, clearedUpTo: Timestamp? = nil) {
        if let clearedUpTo {
            // See ``FolderWork/isBeingCleared(_:in:)``.
            add(
                " AND created_at > ? AND created_at <= max(?, (SELECT stored_at FROM totals WHERE id = 1))", clearedUpTo
            )
            values.append(clearedUpTo)
        }
        add(" AND size >= ?", filter.minimumSize)
        add(" AND size <= ?", filter.maximumSize)
        add(" AND created_at >= ?", filter.createdAfter.map { Timestamp.first(after: $0) })
        add(" AND created_at < ?", filter.createdBefore.map { Timestamp.first(notBefore: $0) })
        add(" AND coalesce(accessed_at, rank) >= ?", filter.accessedAfter.map { Timestamp.first(after: $0) })
        add(" AND coalesce(accessed_at, rank) < ?", filter.accessedBefore.map { Timestamp.first(notBefore: $0) })
        add(" AND pinned = 0 AND expires_at < ?", filter.expiresBefore.map { Timestamp.first(notBefore: $0) })
        switch filter.isExpired {
        case true: add(" AND pinned = 0 AND expires_at <= ?", now)
        case false: add(" AND NOT (pinned = 0 AND coalesce(expires_at <= ?, 0))", now)
        case nil: break
        }
        add(" AND (pinned <> 0) = ?", filter.isPinned.map { $0 ? 1 : 0 } as Int64?)
        // For one row, SQLite would still make the whole list.
        add(
            " AND id IN (SELECT id FROM tags WHERE tag = ?)", filter.tag,
            ofOne: " AND EXISTS (SELECT 1 FROM tags WHERE tag = ? AND tags.id = entries.id)")
        // If a row's host is NULL, the last condition computes it.
        add(" AND (host = ? OR host IS NULL)", filter.host.map(KeyOrigin.lowercased))
        // Last, so that SQLite calls it only for rows that meet the other conditions.
        add(" AND meets(?, key, base_length, source)", KeyConditions(filter).map(Predicate.init(_:)))
    }

    /// Adds no condition for nil.
    private mutating func add(_ fragment: StaticString, _ value: (any Bindable)?, ofOne: StaticString? = nil) {
        guard let value else { return }
        fragments.append(fragment)
        fragmentsOfOne.append(ofOne ?? fragment)
        values.append(value)
    }
}

extension Predicate {
    fileprivate convenience init(_ keys: KeyConditions) {
        self.init { values in
            keys.admits(
                values.text(at: 0), baseLength: values.optionalInteger(at: 1).map { Int(clamping: $0) },
                source: values.optionalInteger(at: 2))
        }
    }
}
