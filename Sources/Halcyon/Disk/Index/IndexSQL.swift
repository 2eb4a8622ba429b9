/// Every SQL statement of the cache.
///
/// Texts are static and values are bound. A test pins the query plans.
package enum IndexSQL {
    // MARK: One entry

    static let row: StaticString = """
        SELECT id, name, key, token, inode, size, created_at, coalesce(accessed_at, rank), expires_at, time_to_live,
            pinned, base_length, boot, uptime
        FROM entries WHERE id = ?1
        """

    /// Like ``row``, for an index of version 6 or earlier.
    static let formerRow: StaticString = """
        SELECT id, name, key, token, inode, size, created_at, accessed_at, expires_at, time_to_live,
            pinned, NULL, NULL, NULL
        FROM entries WHERE id = ?1
        """

    // Without OR FAIL, and with a function, SQLite would copy each page before these statements change it, to undo them alone. The
    // cache always undoes the whole transaction.

    /// The boot comes from the index, because another process may have counted a new one.
    static let insert: StaticString = """
        INSERT OR FAIL INTO entries
            (id, name, key, token, inode, size, created_at, rank, expires_at, time_to_live, pinned, slack,
            source, base_length, host, boot, uptime)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, coalesce(?11, 0), ?12, ?13, ?14, ?15,
            CASE WHEN ?16 IS NOT NULL THEN (SELECT boots FROM state WHERE id = 1) END, ?16)
        ON CONFLICT (id) DO NOTHING
        """

    /// With the parameters of ``insert``. A store without a pin (?11) or an origin (?13, ?14) keeps those of the row. A store
    /// without a key removes what came from an earlier key.
    static let replace: StaticString = """
        UPDATE OR FAIL entries SET
            name = ?2, key = ?3, token = ?4, inode = ?5, size = ?6, created_at = ?7, rank = ?8, accessed_at = NULL,
            expires_at = ?9, time_to_live = ?10, pinned = coalesce(?11, pinned <> 0),
            slack = ?12, source = coalesce(?13, source), hits = 0,
            base_length = CASE WHEN ?3 IS NOT NULL THEN coalesce(?14, base_length) END,
            host = CASE WHEN ?3 IS NOT NULL THEN coalesce(?15, host) END,
            boot = CASE WHEN ?16 IS NOT NULL THEN (SELECT boots FROM state WHERE id = 1) END, uptime = ?16
        WHERE id = ?1
        """

    static let delete: StaticString = "DELETE FROM entries WHERE id = ?1"

    /// Also for an index that was set aside.
    static let uses: StaticString = "SELECT hits, source, base_length FROM entries WHERE id = ?1"

    static let setHits: StaticString = "UPDATE entries SET hits = ?2 WHERE id = ?1"

    /// Gives the entry under a former name its current name.
    static let rename: StaticString = "UPDATE entries SET id = ?2, name = ?3, key = ?4 WHERE id = ?1"

    static let relearn: StaticString = "UPDATE entries SET inode = ?2, token = ?4 WHERE id = ?1 AND token = ?3"

    // MARK: The access log

    /// Records a read. Each of the first three reads moves `rank` ahead of it by ?11 milliseconds; 0 under LRU. A rank that is
    /// already further ahead stays. While `rank` is ahead, `accessed_at` has the time of the last read.
    static let touch: StaticString = """
        UPDATE entries
        SET
            rank = max(rank, ?3 + CAST(min(max(hits + ?5, 0), 3) AS INTEGER) * ?11),
            accessed_at = CASE
                WHEN max(rank, ?3 + CAST(min(max(hits + ?5, 0), 3) AS INTEGER) * ?11) > max(coalesce(accessed_at, rank), ?3)
                THEN max(coalesce(accessed_at, rank), ?3) END,
            key = coalesce(key, ?4), hits = hits + ?5,
            source = coalesce(source, ?6), base_length = coalesce(base_length, ?7), host = coalesce(?8, host)
        WHERE id = ?1 AND token = ?2
        """

    /// Like ``touch``, for a read that moves the expiration: to ?12 plus the time to live that the row has now, or if ?12 is NULL,
    /// to ?9 with the time to live ?10. The later of two reads decides, even if another process wrote its note first. No read
    /// moves an expiration without a time to live.
    ///
    /// A statement of its own, because one that names `expires_at` runs the trigger for earlier expirations. So it does without
    /// functions: see ``insert``.
    static let extend: StaticString = """
        UPDATE OR FAIL entries
        SET
            rank = CASE
                WHEN rank > ?3 + ?11 * CASE WHEN hits + ?5 > 3 THEN 3 WHEN hits + ?5 > 0 THEN CAST(hits + ?5 AS INTEGER) ELSE 0 END
                THEN rank
                ELSE ?3 + ?11 * CASE WHEN hits + ?5 > 3 THEN 3 WHEN hits + ?5 > 0 THEN CAST(hits + ?5 AS INTEGER) ELSE 0 END END,
            accessed_at = CASE
                WHEN coalesce(accessed_at, rank) > ?3 THEN CASE
                    WHEN rank > coalesce(accessed_at, rank) OR coalesce(accessed_at, rank) < ?3
                        + ?11 * CASE WHEN hits + ?5 > 3 THEN 3 WHEN hits + ?5 > 0 THEN CAST(hits + ?5 AS INTEGER) ELSE 0 END
                    THEN coalesce(accessed_at, rank) END
                WHEN rank > ?3 OR ?11 * (hits + ?5 >= 1) > 0 THEN ?3 END,
            key = coalesce(key, ?4), hits = hits + ?5,
            source = coalesce(source, ?6), base_length = coalesce(base_length, ?7), host = coalesce(?8, host),
            expires_at = CASE
                WHEN coalesce(accessed_at, rank) > ?3 OR (expires_at IS NOT NULL AND time_to_live IS NULL) THEN expires_at
                WHEN ?12 IS NULL THEN ?9
                WHEN ?12 + time_to_live > 253402300799999 THEN 253402300799999
                ELSE coalesce(?12 + time_to_live, expires_at) END,
            time_to_live = CASE
                WHEN coalesce(accessed_at, rank) > ?3 OR (expires_at IS NOT NULL AND time_to_live IS NULL) OR ?12 IS NOT NULL
                THEN time_to_live ELSE ?10 END
        WHERE id = ?1 AND token = ?2
        """

    // MARK: Many entries, a batch at a time

    /// The entries to evict for at least ?1 bytes and at least ?3 entries, but at most ?2 entries, lowest rank first.
    ///
    /// Without the inner LIMIT, even a small need would read the whole table.
    static let victims: StaticString = """
        SELECT id, name, key, token, inode, size, created_at, coalesce(accessed_at, rank), expires_at, time_to_live,
            pinned, base_length, boot, uptime
        FROM entries WHERE id IN (
            SELECT id FROM (
                SELECT
                    id, sum(bytes) OVER earlier - bytes AS bytes_before, count(*) OVER earlier - 1 AS entries_before
                FROM (
                    SELECT id, rank, size, min(max(CAST(size AS INTEGER), 0), 1099511627776) AS bytes FROM entries
                    WHERE pinned = 0 ORDER BY rank, size, id LIMIT ?2
                )
                WINDOW earlier AS (ORDER BY rank, size, id ROWS UNBOUNDED PRECEDING)
            ) WHERE bytes_before < ?1 OR entries_before < ?3
        )
        ORDER BY +rank
        """

    /// What was stored up to ?2, or after ?4 (before the clock jumped back), in the order of ids after ?1.
    static let stored: StaticString = """
        SELECT id, name, key, token, inode, size, created_at, coalesce(accessed_at, rank), expires_at, time_to_live,
            pinned, base_length, boot, uptime
        FROM entries WHERE id > ?1 AND (created_at <= ?2 OR created_at > ?4) ORDER BY id LIMIT ?3
        """

    static let pageByID: StaticString = """
        SELECT id, name, key, token, inode, size, created_at, coalesce(accessed_at, rank), expires_at, time_to_live,
            pinned, base_length, boot, uptime
        FROM entries WHERE id > ?1 ORDER BY id LIMIT ?2
        """

    /// Whether a last access is after ?1, or a rank after ?2, because the clock has jumped back.
    static let hasFuture: StaticString = """
        SELECT EXISTS (
            SELECT 1 FROM entries WHERE pinned = 0 AND rank > ?1 AND (coalesce(accessed_at, rank) > ?1 OR rank > ?2)
        )
        """

    /// The same where many ranks are ahead of accesses for good reasons: then the rows without an `accessed_at` are those that
    /// one index has and the other lacks. Counting in both takes a twentieth of the time of reading the rows.
    static let hasFutureBesideRanksAhead: StaticString = """
        SELECT EXISTS (SELECT 1 FROM entries WHERE pinned = 0 AND rank > ?2)
            OR EXISTS (SELECT 1 FROM entries WHERE +pinned = 0 AND accessed_at > ?1)
            OR (SELECT count(*) FROM entries WHERE pinned = 0 AND rank > ?1)
                > (SELECT count(*) FROM entries WHERE +pinned = 0 AND +rank > ?1 AND accessed_at IS NOT NULL)
        """

    /// Sets the last access to ?1 in rows that ``hasFuture`` finds with the bounds ?2 and ?4.
    static let clampFuture: StaticString = """
        UPDATE entries SET
            rank = ?1, accessed_at = NULL,
            expires_at = coalesce(
                min(expires_at, ?1 + time_to_live),
                CASE WHEN created_at > ?2
                    THEN min(expires_at, ?1 + expires_at - min(created_at, coalesce(accessed_at, rank))) END,
                expires_at)
        WHERE id IN (
            SELECT id FROM entries
            WHERE pinned = 0 AND rank > ?2 AND (coalesce(accessed_at, rank) > ?2 OR rank > ?4) ORDER BY rank LIMIT ?3
        )
        """

    // MARK: Accesses and ranks

    static let lowestRank: StaticString = "SELECT min(rank) FROM entries WHERE pinned = 0"

    /// Reads the whole table.
    static let accessRange: StaticString = """
        SELECT min(coalesce(accessed_at, rank)), max(coalesce(accessed_at, rank)) FROM entries NOT INDEXED WHERE pinned = 0
        """

    /// Indexes the rows whose rank is ahead of their last access. Only an eviction order that counts reads has such rows, and
    /// it creates the index.
    static let makeIndexOfRanksAhead =
        "CREATE INDEX IF NOT EXISTS entries_ahead ON entries (accessed_at, rank, pinned) WHERE accessed_at IS NOT NULL"

    /// O(1): without the index there is no such row, and SQLite does not search the table.
    static let hasRanksAhead: StaticString = """
        SELECT CASE WHEN EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = 'entries_ahead')
            THEN EXISTS (SELECT 1 FROM entries WHERE accessed_at IS NOT NULL) ELSE 0 END
        """

    static let largestHosts: StaticString = """
        SELECT nullif(host, '') AS site, count(*), sum(min(max(CAST(size AS INTEGER), 0), 1099511627776)) AS bytes
        FROM entries GROUP BY site ORDER BY bytes DESC, site LIMIT ?1
        """

    // MARK: Totals and state

    static let totals: StaticString = "SELECT entries, bytes FROM totals WHERE id = 1"

    static let slack: StaticString = "SELECT slack FROM totals WHERE id = 1"

    static let countedTotals: StaticString =
        "SELECT count(*), coalesce(sum(min(max(CAST(size AS INTEGER), 0), 1099511627776)), 0) FROM entries"

    /// O(1) while nothing has expired.
    static let expiredTotals: StaticString = """
        SELECT count(*), coalesce(sum(min(max(CAST(size AS INTEGER), 0), 1099511627776)), 0) FROM entries
        WHERE pinned = 0 AND expires_at <= ?1
            AND NOT EXISTS (SELECT 1 FROM totals WHERE expiry_scan IS NULL AND earliest_expiry > ?1)
        """

    // MARK: Expiration

    static let nothingHasExpired: StaticString =
        "SELECT EXISTS (SELECT 1 FROM totals WHERE expiry_scan IS NULL AND earliest_expiry > ?1)"

    /// From now on, the triggers record the expirations that are written while a scan reads.
    static let beginExpiryScan: StaticString =
        "UPDATE totals SET expiry_scan = ?1, earliest_expiry = 9223372036854775807 WHERE id = 1"

    /// Makes the next removal of expired entries scan for them.
    static let invalidateEarliestExpiry: StaticString = "UPDATE totals SET earliest_expiry = 0 WHERE id = 1"

    static let expired: StaticString = "SELECT id FROM entries WHERE pinned = 0 AND expires_at <= ?1 LIMIT ?2"

    static let nextExpiry: StaticString = "SELECT min(expires_at) FROM entries WHERE pinned = 0"

    /// Does nothing if another scan has begun since.
    static let endExpiryScan: StaticString = """
        UPDATE totals SET expiry_scan = NULL, earliest_expiry = min(earliest_expiry, coalesce(?2, earliest_expiry))
        WHERE id = 1 AND expiry_scan = ?1
        """

    /// Reads an index of all rows. Changed SQL of the table can turn "id" into another column.
    static let indexedIDs: StaticString = "SELECT rowid FROM entries"

    static let largest: StaticString = "SELECT id FROM entries ORDER BY size DESC LIMIT ?1"

    /// Reads the rows of the table: only an index has their sizes.
    static let areTotalsRight: StaticString = """
        SELECT (entries, bytes, slack) IS
            (SELECT count(*), coalesce(sum(min(max(CAST(size AS INTEGER), 0), 1099511627776)), 0), coalesce(sum(min(max(CAST(slack AS INTEGER), -1099511627776), 1099511627776)), 0) FROM entries)
        FROM totals WHERE id = 1
        """

    static let repairTotals: StaticString = """
        UPDATE totals SET earliest_expiry = 0, (entries, bytes, slack) =
            (SELECT count(*), coalesce(sum(min(max(CAST(size AS INTEGER), 0), 1099511627776)), 0), coalesce(sum(min(max(CAST(slack AS INTEGER), -1099511627776), 1099511627776)), 0) FROM entries)
        WHERE id = 1
        """

    static let storedAt: StaticString = "SELECT stored_at FROM totals WHERE id = 1"

    static let setStoredAt: StaticString = "UPDATE totals SET stored_at = ?1 WHERE id = 1"

    static let raiseStoredAt: StaticString = "UPDATE totals SET stored_at = ?1 WHERE id = 1 AND stored_at < ?1"

    /// Restores the latest store after a token has changed, which the triggers take for a store.
    static let setLatestStore: StaticString =
        "UPDATE totals SET stored_at = ?1, stored_boot = ?2, stored_uptime = ?3 WHERE id = 1"

    static let state: StaticString = """
        SELECT boot, settled_at, stored_at, index_inode, relearning, adoption, adopts_until, distrust_from,
            distrust_until, reconciled_at, legacy_names, boots, settled_uptime, stored_boot, stored_uptime,
            distrust_boot, distrust_uptime, distrust_until_boot, distrust_until_uptime
        FROM state JOIN totals USING (id) WHERE id = 1
        """

    /// The inode number of the index file to which the inode numbers in its rows belong; 0 if they are stale. For an index
    /// of any version.
    static let isCopied: StaticString = """
        SELECT CASE WHEN relearning = 0 THEN index_inode ELSE 0 END FROM state WHERE id = 1
        """

    /// Also for an index that has not been upgraded yet.
    static let adoption: StaticString = "SELECT adoption FROM state WHERE id = 1"

    static let adoptsUntil: StaticString = "SELECT adopts_until FROM state WHERE id = 1"

    static let legacyNames: StaticString = "SELECT legacy_names FROM state WHERE id = 1"

    static let setState: StaticString = """
        UPDATE state SET
            boot = ?1, settled_at = ?2, index_inode = ?3, relearning = ?4, adoption = ?5, adopts_until = ?6,
            distrust_from = ?7, distrust_until = ?8, reconciled_at = ?9, legacy_names = ?10, boots = ?11,
            settled_uptime = ?12, distrust_boot = ?13, distrust_uptime = ?14, distrust_until_boot = ?15,
            distrust_until_uptime = ?16
        WHERE id = 1
        """

    // MARK: The upgrade to version 7

    static let hasEntries: StaticString = "SELECT EXISTS (SELECT 1 FROM entries)"

    static let columns: StaticString = "SELECT name FROM pragma_table_info('entries')"

    static let upgrading: StaticString = "SELECT upgrading FROM state WHERE id = 1"

    static let setUpgrading: StaticString = "UPDATE state SET upgrading = ?1 WHERE id = 1"

    static let makeIndex: StaticString =
        "CREATE INDEX IF NOT EXISTS entries_by_rank ON entries (pinned, rank, size, expires_at)"

    static let dropFormerIndexes =
        "DROP INDEX IF EXISTS entries_by_access; DROP INDEX IF EXISTS entries_by_expiration"

    static let dropFormerListing = [
        "listing", "listing_by_size", "listing_by_creation", "listing_by_source", "listing_by_host",
        "listing_by_processor", "listing_by_key", "names", "unlisted",
    ].map { "DROP TABLE IF EXISTS \($0)" }.joined(separator: "; ")

    static let unknownHosts: StaticString = """
        SELECT id, key, base_length FROM entries WHERE id > ?1 AND host IS NULL AND key IS NOT NULL ORDER BY id LIMIT ?2
        """

    static let setHost: StaticString = "UPDATE entries SET host = ?2 WHERE id = ?1"

    // MARK: The file

    static let freePages: StaticString = "PRAGMA freelist_count"

    static let pages: StaticString = "PRAGMA page_count"

    static let hasPlannerStatistics: StaticString =
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name IN ('sqlite_stat1', 'sqlite_stat4'))"

    /// Without what SQLite creates itself.
    static let schema: StaticString = """
        SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
        """

    /// Not if another program has dropped or added a column: then its length differs, and so do the rows.
    static let restoreSchema: StaticString = """
        UPDATE sqlite_schema SET sql = ?2
        WHERE type || ' ' || name = ?1 AND sql <> ?2 AND length(CAST(sql AS BLOB)) = length(CAST(?2 AS BLOB))
        """
}
