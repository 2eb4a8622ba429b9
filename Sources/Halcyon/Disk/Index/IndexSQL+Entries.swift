/// Statements for filters, pins, tags, metadata and statistics. See ``IndexSQL``.
extension IndexSQL {
    // MARK: Filters

    // Parts of statements: a head, the filter's conditions and an order. NOT INDEXED, because SQLite has no statistics here: it
    // would choose an index that contains most rows, and look up each of them in the table.

    static let selectRecords: StaticString = """
        SELECT id, name, key, token, inode, size, created_at, coalesce(accessed_at, rank), expires_at, time_to_live,
            pinned, base_length, boot, uptime, hits, slack, \u{20}
        """
    static let fromEntries: StaticString = " FROM entries NOT INDEXED WHERE true"
    static let selectIDs: StaticString = "SELECT id FROM entries NOT INDEXED WHERE true"
    static let selectTotals: StaticString = """
        SELECT count(*), coalesce(sum(min(max(CAST(size AS INTEGER), 0), 1099511627776)), 0) FROM entries NOT INDEXED WHERE true
        """

    // All entries by access, after a position: the sort columns (?1, ?2) and the id (?3). A row-value comparison
    // would start at the first entry of an access and walk past the others, so each column has its own part. Entries that share an
    // access and a size are walked past, and sorted by id: the index continues with the expiration.

    static let fromUsed: StaticString = "rank AS used, size AS bytes FROM entries WHERE pinned = "
    static func used(_ isBeyond: StaticString) -> [[StaticString]] {
        [
            [" AND rank = ?1 AND size = ?2 AND id ", isBeyond, " ?3"], [" AND rank = ?1 AND size ", isBeyond, " ?2"],
            [" AND rank ", isBeyond, " ?1"],
        ]
    }

    /// A column to sort by: pinned entries, and those that never expire, come last.
    static let expiration: StaticString = """
        CASE WHEN pinned <> 0 OR expires_at IS NULL THEN 9223372036854775807 ELSE CAST(expires_at AS INTEGER) END
        """

    /// Finds what only another program writes: text as a rank, which sorts after all numbers, and pins other than 0 and 1.
    static let hasOddAccesses: StaticString = """
        SELECT EXISTS (SELECT 1 FROM entries WHERE pinned IN (0, 1) AND rank > 9223372036854775807)
            OR EXISTS (SELECT 1 FROM entries WHERE pinned < 0 OR (pinned > 0 AND pinned < 1) OR pinned > 1)
        """

    static let pinnedTotals: StaticString =
        "SELECT count(*), coalesce(sum(min(max(CAST(size AS INTEGER), 0), 1099511627776)), 0) FROM entries WHERE pinned > 0 OR pinned < 0"

    // MARK: Pins, tags, metadata

    static let pin: StaticString = "UPDATE entries SET pinned = ?2 WHERE id = ?1"

    /// Reads do not move an expiration without a time to live. If the entry has none, the earlier one is unknown, and it becomes
    /// the time from its store to its expiration. The time of a store may be ahead of the clock;
    /// that of its access is not.
    static let setKeepsExpiration: StaticString = """
        UPDATE entries SET time_to_live = CASE WHEN ?2 THEN NULL
            ELSE coalesce(time_to_live, max(0, expires_at - min(created_at, coalesce(accessed_at, rank)))) END
        WHERE id = ?1 AND expires_at IS NOT NULL
        """

    /// Halcyon writes only 0 and 1. Other values are pins too, but the order by access has only those two.
    static let normalizePins: StaticString =
        "UPDATE entries SET pinned = 1 WHERE pinned < 0 OR (pinned > 0 AND pinned < 1) OR pinned > 1"

    static let tags: StaticString = "SELECT tag FROM tags WHERE id = ?1 ORDER BY tag"

    static let addTag: StaticString = "INSERT INTO tags (tag, id) VALUES (?2, ?1) ON CONFLICT (tag, id) DO NOTHING"

    static let dropTags: StaticString = "DELETE FROM tags WHERE id = ?1"

    static let moveTags: StaticString = "UPDATE tags SET id = ?2 WHERE id = ?1"

    static let metadata: StaticString = """
        SELECT etag, last_modified, max_age, fields, checked_at, age, stale_while_revalidate, must_revalidate
        FROM metadata WHERE id = ?1 AND stored_at = ?2
        """

    /// For an index before version 7.
    static let formerMetadata: StaticString = """
        SELECT etag, last_modified, max_age, fields, NULL, NULL, NULL, NULL FROM metadata WHERE id = ?1 AND stored_at = ?2
        """

    static let setMetadata: StaticString = """
        INSERT OR REPLACE INTO metadata (
            id, stored_at, etag, last_modified, max_age, fields, checked_at, age, stale_while_revalidate, must_revalidate)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        """

    static let dropMetadata: StaticString = "DELETE FROM metadata WHERE id = ?1"

    static let moveMetadata: StaticString = "UPDATE metadata SET id = ?2 WHERE id = ?1"

    // MARK: Forgetting keys

    static let idWithKey: StaticString = "SELECT id FROM entries WHERE key IS NOT NULL OR host IS NOT NULL LIMIT 1"

    static let forgetKey: StaticString = """
        UPDATE entries SET key = NULL, base_length = NULL, host = NULL
        WHERE id = ?1 AND (key IS NOT NULL OR host IS NOT NULL)
        """

    // MARK: Statistics

    static let statistics: StaticString = """
        SELECT since, hits, misses, stores, removals, evictions, expirations, bytes_read, bytes_written,
            bytes_evicted, unused_evicted
        FROM statistics WHERE id = 1
        """

    static let addStatistics: StaticString = """
        UPDATE statistics SET
            since = CASE WHEN since > 0 AND since < ?1 THEN since ELSE ?1 END, hits = hits + ?2, misses = misses + ?3,
            stores = stores + ?4, removals = removals + ?5, evictions = evictions + ?6, expirations = expirations + ?7,
            bytes_read = bytes_read + ?8, bytes_written = bytes_written + ?9, bytes_evicted = bytes_evicted + ?10,
            unused_evicted = unused_evicted + ?11
        WHERE id = 1
        """

    /// Restores the id of the only row, if it was edited.
    static let mendStatistics: StaticString = """
        UPDATE statistics SET id = 1 WHERE id <> 1 AND NOT EXISTS (SELECT 1 FROM statistics WHERE id = 1)
        """

    static let resetStatistics: StaticString = """
        UPDATE statistics SET
            since = ?1, hits = 0, misses = 0, stores = 0, removals = 0, evictions = 0, expirations = 0, bytes_read = 0,
            bytes_written = 0, bytes_evicted = 0, unused_evicted = 0, evictions_before = 0
        WHERE id = 1
        """
}

extension IndexSQL {
    /// A page of entries that meet a filter, after a position unless it is the first page.
    static func page(
        _ conditions: EntryConditions, in order: EntryOrder, descending: Bool, isFirst: Bool
    ) -> [StaticString] {
        let start: [StaticString] =
            isFirst ? [] : [" AND ("] + order.columns + [descending ? ") < (?, ?, ?)" : ") > (?, ?, ?)"]
        return [selectRecords] + order.columns + [fromEntries] + conditions.fragments + start
            + sorting(by: order, descending: descending) + [" LIMIT ?"]
    }

    /// The entry with an id, if it meets a filter.
    static func entry(_ conditions: EntryConditions) -> [StaticString] {
        [selectRecords, "id", fromEntries] + conditions.fragmentsOfOne + [" AND id = ?"]
    }

    /// A page of all entries by access, after a position unless it is the first page.
    static func walk(descending: Bool, isFirst: Bool) -> [StaticString] {
        let starts = isFirst ? [[]] : used(descending ? "<" : ">")
        let pins: [StaticString] = ["0", "1"]
        let parts = pins.flatMap { pin in starts.map { [selectRecords, fromUsed, pin] + $0 } }
        return Array(parts.joined(separator: [" UNION ALL "]))
            + [descending ? " ORDER BY used DESC, bytes DESC, id DESC LIMIT ?4" : " ORDER BY used, bytes, id LIMIT ?4"]
    }

    static func sorting(by order: EntryOrder?, descending: Bool) -> [StaticString] {
        order.map { [" ORDER BY "] + (descending ? $0.descending : $0.columns) } ?? []
    }
}

extension EntryOrder {
    /// The three columns to sort by, the id last. Anyone may have edited them, so they are cast to the numbers and bytes of a
    /// position.
    private var terms: [StaticString] {
        switch self {
        case .access: ["CAST(coalesce(accessed_at, rank) AS INTEGER)", "CAST(size AS INTEGER)", "id"]
        case .eviction: ["CAST(rank AS INTEGER)", "CAST(size AS INTEGER)", "id"]
        case .size: ["CAST(size AS INTEGER)", "id", "id"]
        case .created: ["CAST(created_at AS INTEGER)", "id", "id"]
        case .expiration: [IndexSQL.expiration, "id", "id"]
        case .key: ["CAST(coalesce(key, '') AS BLOB)", "id", "id"]
        }
    }

    fileprivate var columns: [StaticString] { Array(terms.map { [$0] }.joined(separator: [", "])) }

    fileprivate var descending: [StaticString] { Array(terms.map { [$0] }.joined(separator: [" DESC, "])) + [" DESC"] }
}
