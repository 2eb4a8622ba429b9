/// What is asked about all entries together, for people. See ``IndexSQL``.
extension IndexSQL {
    // MARK: Who takes up the room

    static let bytesByHost: StaticString = """
        SELECT (SELECT name FROM names WHERE names.id = host), count(*), sum(min(max(size, 0), 1099511627776)) AS bytes
        FROM listing GROUP BY host ORDER BY bytes DESC, host LIMIT ?1
        """

    static let bytesByProcessor: StaticString = """
        SELECT (SELECT name FROM names WHERE names.id = processor), count(*), sum(min(max(size, 0), 1099511627776)) AS bytes
        FROM listing GROUP BY processor ORDER BY bytes DESC, processor LIMIT ?1
        """

    // What has no host is a group too, which DISTINCT does not count.

    static let countHosts: StaticString = """
        SELECT (SELECT count(DISTINCT host) FROM listing_by_host)
            + EXISTS (SELECT 1 FROM listing WHERE host IS NULL)
        """

    static let countProcessors: StaticString = """
        SELECT (SELECT count(DISTINCT processor) FROM listing_by_processor)
            + EXISTS (SELECT 1 FROM listing WHERE processor IS NULL)
        """

    static let listedTotals: StaticString =
        "SELECT count(*), coalesce(sum(min(max(size, 0), 1099511627776)), 0) FROM listing_by_size"

    // MARK: How they are spread

    /// Once for each step: each reads its own part of an index, and all together read it once.
    static let accessedBetween: StaticString = """
        SELECT count(*), coalesce(sum(min(max(size, 0), 1099511627776)), 0) FROM entries
        WHERE pinned IN (0, 1) AND accessed_at BETWEEN ?1 AND ?2
        """

    static let sizedBetween: StaticString = """
        SELECT count(*), coalesce(sum(min(max(size, 0), 1099511627776)), 0) FROM listing_by_size WHERE size BETWEEN ?1 AND ?2
        """

    /// How many of the moments ?1 to ?8 an entry outlives; NULL for one that never expires. One walk over the table: the index
    /// by expiration does not know the sizes, and looking each of them up costs more.
    static let expiringBetween: StaticString = """
        SELECT
            CASE WHEN pinned = 0 THEN
                (expires_at > ?1) + (expires_at > ?2) + (expires_at > ?3) + (expires_at > ?4)
                + (expires_at > ?5) + (expires_at > ?6) + (expires_at > ?7) + (expires_at > ?8)
            END AS step,
            count(*), sum(min(max(size, 0), 1099511627776))
        FROM entries GROUP BY step
        """

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
        ("bytesByHost", bytesByHost), ("bytesByProcessor", bytesByProcessor), ("countHosts", countHosts),
        ("countProcessors", countProcessors), ("listedTotals", listedTotals), ("accessedBetween", accessedBetween),
        ("sizedBetween", sizedBetween), ("expiringBetween", expiringBetween), ("evictable", evictable),
        ("evictedNext", evictedNext),
    ]
}
