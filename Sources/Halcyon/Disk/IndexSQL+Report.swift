/// What is asked about all entries together, for people. See ``IndexSQL``.
extension IndexSQL {
    // MARK: Who takes up the room

    static let reported: StaticString = """
        SELECT size, accessed_at, CASE WHEN pinned = 0 THEN expires_at END, key, base_length FROM entries
        """

    static let keys: StaticString = "SELECT size, key, base_length FROM entries"

    // MARK: Who goes next

    /// In the order of ``evict``.
    static let evictable: StaticString = """
        SELECT accessed_at, size FROM entries WHERE pinned = 0 ORDER BY accessed_at, size, id
        """

    static let evictedNext: StaticString = """
        SELECT id, name, key, token, inode, size, created_at, accessed_at, expires_at, time_to_live,
            pinned
        FROM entries WHERE pinned = 0 ORDER BY accessed_at, size, id LIMIT ?1
        """

    /// As in ``planned``.
    static let plannedForReport: [(name: String, sql: StaticString)] = [
        ("reported", reported), ("keys", keys), ("evictable", evictable),
        ("evictedNext", evictedNext),
    ]
}
