/// What is asked about many entries, and what is remembered of one. See ``IndexSQL``.
extension IndexSQL {
    // MARK: Which entries

    /// The rows with ids from ?1 to ?2 that meet the conditions that are not NULL.
    static let matching: StaticString = """
        SELECT id, name, key, token, inode, size, created_at, accessed_at, expires_at, time_to_live,
            pinned, hits, slack, base_length
        FROM entries AS entry
        WHERE id BETWEEN ?1 AND ?2
            AND size BETWEEN ?3 AND ?4
            AND created_at BETWEEN ?5 AND ?6
            AND accessed_at BETWEEN ?7 AND ?8
            AND (?9 IS NULL OR (pinned > 0) = ?9)
            AND (?10 IS NULL OR (pinned = 0 AND coalesce(expires_at <= ?11, 0)) = ?10)
            AND (?12 IS NULL OR (pinned = 0 AND expires_at < ?12))
            AND (?13 IS NULL OR (key >= ?13 AND key < ?14))
            AND (?15 IS NULL OR instr(lower(key), ?15) > 0)
            AND (
                ?16 IS NULL OR source = ?16
                OR (source IS NULL AND (key = ?17 OR (key >= ?18 AND key < ?19)))
            )
            AND (?20 IS NULL OR (SELECT host FROM listing WHERE listing.id = entry.id) = ?20)
            AND (?21 IS NULL OR (SELECT processor FROM listing WHERE listing.id = entry.id) = ?21)
            AND (?22 IS NULL OR EXISTS (SELECT 1 FROM tags WHERE tags.tag = ?22 AND tags.id = entry.id))
        ORDER BY id
        """

    static let idsBySource: StaticString = "SELECT id FROM listing_by_source WHERE source = ?1 LIMIT ?2"
    static let idsByKeyRange: StaticString = "SELECT id FROM listing_by_key WHERE key >= ?1 AND key < ?3 LIMIT ?2"
    static let idsByHost: StaticString = "SELECT id FROM listing_by_host WHERE host = ?1 LIMIT ?2"
    static let idsByProcessor: StaticString = "SELECT id FROM listing_by_processor WHERE processor = ?1 LIMIT ?2"
    static let idsByTag: StaticString = "SELECT id FROM tags WHERE tag = ?1 LIMIT ?2"
    static let idsOfPinned: StaticString = "SELECT id FROM entries WHERE pinned > ?1 LIMIT ?2"

    static let idsOfExpired: StaticString = """
        SELECT id FROM entries INDEXED BY entries_by_expiration WHERE pinned = 0 AND expires_at <= ?1 LIMIT ?2
        """

    static let pinnedTotals: StaticString =
        "SELECT count(*), coalesce(sum(min(max(size, 0), 1099511627776)), 0) FROM entries WHERE pinned > 0"

    // MARK: In which order

    // From one position on: what is sorted by (?1, ?2 and ?4), and the id (?3).

    // Many may have one access and one size, after the clock has jumped. A comparison of rows begins at the first of the equals
    // and walks past them, so that each column has a part of its own.

    static let byAccess: StaticString = """
        SELECT id, accessed_at, size FROM entries WHERE pinned = 0 AND accessed_at = ?1 AND size = ?2 AND id > ?3
        UNION ALL
        SELECT id, accessed_at, size FROM entries WHERE pinned = 0 AND accessed_at = ?1 AND size > ?2
        UNION ALL
        SELECT id, accessed_at, size FROM entries WHERE pinned = 0 AND accessed_at > ?1
        UNION ALL
        SELECT id, accessed_at, size FROM entries WHERE pinned = 1 AND accessed_at = ?1 AND size = ?2 AND id > ?3
        UNION ALL
        SELECT id, accessed_at, size FROM entries WHERE pinned = 1 AND accessed_at = ?1 AND size > ?2
        UNION ALL
        SELECT id, accessed_at, size FROM entries WHERE pinned = 1 AND accessed_at > ?1
        ORDER BY accessed_at, size, id
        """

    static let byAccessDescending: StaticString = """
        SELECT id, accessed_at, size FROM entries WHERE pinned = 0 AND accessed_at = ?1 AND size = ?2 AND id < ?3
        UNION ALL
        SELECT id, accessed_at, size FROM entries WHERE pinned = 0 AND accessed_at = ?1 AND size < ?2
        UNION ALL
        SELECT id, accessed_at, size FROM entries WHERE pinned = 0 AND accessed_at < ?1
        UNION ALL
        SELECT id, accessed_at, size FROM entries WHERE pinned = 1 AND accessed_at = ?1 AND size = ?2 AND id < ?3
        UNION ALL
        SELECT id, accessed_at, size FROM entries WHERE pinned = 1 AND accessed_at = ?1 AND size < ?2
        UNION ALL
        SELECT id, accessed_at, size FROM entries WHERE pinned = 1 AND accessed_at < ?1
        ORDER BY accessed_at DESC, size DESC, id DESC
        """

    static let bySize: StaticString = """
        SELECT id, size, ?2 FROM listing_by_size WHERE (size, id) > (?1, ?3) ORDER BY size, id
        """

    static let bySizeDescending: StaticString = """
        SELECT id, size, ?2 FROM listing_by_size WHERE (size, id) < (?1, ?3) ORDER BY size DESC, id DESC
        """

    static let byCreation: StaticString = """
        SELECT id, created_at, ?2 FROM listing_by_creation WHERE (created_at, id) > (?1, ?3) ORDER BY created_at, id
        """

    static let byCreationDescending: StaticString = """
        SELECT id, created_at, ?2 FROM listing_by_creation WHERE (created_at, id) < (?1, ?3) ORDER BY created_at DESC, id DESC
        """

    // Many may expire at one moment: they have a half of their own, in which the id is sought too.

    static let byExpiration: StaticString = """
        SELECT id, expires_at, ?2 FROM entries INDEXED BY entries_by_expiration
        WHERE pinned = 0 AND expires_at = ?1 AND id > ?3
        UNION ALL
        SELECT id, expires_at, ?2 FROM entries INDEXED BY entries_by_expiration
        WHERE pinned = 0 AND expires_at > ?1
        ORDER BY expires_at, id
        """

    static let byExpirationDescending: StaticString = """
        SELECT id, expires_at, ?2 FROM entries INDEXED BY entries_by_expiration
        WHERE pinned = 0 AND expires_at = ?1 AND id < ?3
        UNION ALL
        SELECT id, expires_at, ?2 FROM entries INDEXED BY entries_by_expiration
        WHERE pinned = 0 AND expires_at < ?1
        ORDER BY expires_at DESC, id DESC
        """

    /// What never expires comes last.
    static let lasting: StaticString = """
        SELECT id, ?1, ?2 FROM listing WHERE lasting = 1 AND id > ?3 ORDER BY id
        """

    static let lastingDescending: StaticString = """
        SELECT id, ?1, ?2 FROM listing WHERE lasting = 1 AND id < ?3 ORDER BY id DESC
        """

    static let byKey: StaticString = """
        SELECT id, ?1, ?2, key FROM listing_by_key WHERE (key, id) > (?4, ?3) ORDER BY key, id
        """

    static let byKeyDescending: StaticString = """
        SELECT id, ?1, ?2, key FROM listing_by_key WHERE (key, id) < (?4, ?3) ORDER BY key DESC, id DESC
        """

    // MARK: The listing

    static let listingState: StaticString = """
        SELECT listed_to, sorted_to, EXISTS (SELECT 1 FROM unlisted) FROM totals WHERE id = 1
        """

    static let setListedTo: StaticString = "UPDATE totals SET listed_to = ?1 WHERE id = 1"

    static let setSortedTo: StaticString = "UPDATE totals SET sorted_to = ?1 WHERE id = 1"

    static let unlisted: StaticString = "SELECT id, key FROM unlisted ORDER BY id LIMIT ?1"

    static let countUnlisted: StaticString = "SELECT count(*) FROM unlisted"

    static let listed: StaticString = "DELETE FROM unlisted WHERE id = ?1"

    static let listable: StaticString = """
        SELECT id, source, size, created_at, pinned > 0 OR expires_at IS NULL, key, base_length
        FROM entries WHERE id > ?1 ORDER BY id LIMIT ?2
        """

    static let listableEntry: StaticString = """
        SELECT id, source, size, created_at, pinned > 0 OR expires_at IS NULL, key, base_length
        FROM entries WHERE id = ?1
        """

    static let list: StaticString = """
        INSERT INTO listing (id, source, host, processor, size, created_at, lasting)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (id) DO NOTHING
        """

    static let unlist: StaticString = """
        DELETE FROM listing WHERE id = ?1 RETURNING id, source, host, processor, size, created_at
        """

    /// Rows that are not yet in the tables behind the listing, with the keys that they had when they were listed.
    static let unsorted: StaticString = """
        SELECT id, source, host, processor, size, created_at, coalesce(
            (SELECT key FROM unlisted WHERE unlisted.id = listing.id),
            (SELECT key FROM entries WHERE entries.id = listing.id)
        )
        FROM listing WHERE id > ?1 ORDER BY id LIMIT ?2
        """

    static let sortBySize: StaticString = """
        INSERT INTO listing_by_size (size, id) VALUES (?1, ?2) ON CONFLICT (size, id) DO NOTHING
        """
    static let unsortBySize: StaticString = "DELETE FROM listing_by_size WHERE size = ?1 AND id = ?2"

    static let sortByCreation: StaticString = """
        INSERT INTO listing_by_creation (created_at, id) VALUES (?1, ?2) ON CONFLICT (created_at, id) DO NOTHING
        """
    static let unsortByCreation: StaticString = "DELETE FROM listing_by_creation WHERE created_at = ?1 AND id = ?2"

    static let sortBySource: StaticString = """
        INSERT INTO listing_by_source (source, id) VALUES (?1, ?2) ON CONFLICT (source, id) DO NOTHING
        """
    static let unsortBySource: StaticString = "DELETE FROM listing_by_source WHERE source = ?1 AND id = ?2"

    static let sortByHost: StaticString = """
        INSERT INTO listing_by_host (host, id) VALUES (?1, ?2) ON CONFLICT (host, id) DO NOTHING
        """
    static let unsortByHost: StaticString = "DELETE FROM listing_by_host WHERE host = ?1 AND id = ?2"

    static let sortByProcessor: StaticString = """
        INSERT INTO listing_by_processor (processor, id) VALUES (?1, ?2) ON CONFLICT (processor, id) DO NOTHING
        """
    static let unsortByProcessor: StaticString = "DELETE FROM listing_by_processor WHERE processor = ?1 AND id = ?2"

    static let sortByKey: StaticString = """
        INSERT INTO listing_by_key (key, id) VALUES (?1, ?2) ON CONFLICT (key, id) DO NOTHING
        """
    static let unsortByKey: StaticString = "DELETE FROM listing_by_key WHERE key = ?1 AND id = ?2"

    static let nameID: StaticString = "SELECT id FROM names WHERE name = ?1"

    static let addName: StaticString = "INSERT INTO names (name) VALUES (?1) ON CONFLICT (name) DO NOTHING"

    /// A host of which nothing is cached any more says where somebody has been.
    static let dropUnusedName: StaticString = """
        DELETE FROM names
        WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM listing_by_host WHERE host = ?1)
            AND NOT EXISTS (SELECT 1 FROM listing_by_processor WHERE processor = ?1)
        """

    // What counts no more goes a bounded number of rows at a time.

    static let clearListing: StaticString = """
        DELETE FROM listing WHERE id IN (SELECT id FROM listing ORDER BY id LIMIT ?1)
        """

    static let clearBySize: StaticString = """
        DELETE FROM listing_by_size WHERE (size, id) IN (SELECT size, id FROM listing_by_size ORDER BY size, id LIMIT ?1)
        """

    static let clearByCreation: StaticString = """
        DELETE FROM listing_by_creation WHERE (created_at, id) IN (SELECT created_at, id FROM listing_by_creation ORDER BY created_at, id LIMIT ?1)
        """

    static let clearBySource: StaticString = """
        DELETE FROM listing_by_source WHERE (source, id) IN (SELECT source, id FROM listing_by_source ORDER BY source, id LIMIT ?1)
        """

    static let clearByHost: StaticString = """
        DELETE FROM listing_by_host WHERE (host, id) IN (SELECT host, id FROM listing_by_host ORDER BY host, id LIMIT ?1)
        """

    static let clearByProcessor: StaticString = """
        DELETE FROM listing_by_processor WHERE (processor, id) IN (SELECT processor, id FROM listing_by_processor ORDER BY processor, id LIMIT ?1)
        """

    static let clearByKey: StaticString = """
        DELETE FROM listing_by_key WHERE (key, id) IN (SELECT key, id FROM listing_by_key ORDER BY key, id LIMIT ?1)
        """

    static let clearUnlisted: StaticString = """
        DELETE FROM unlisted WHERE id IN (SELECT id FROM unlisted ORDER BY id LIMIT ?1)
        """

    static let clearNames: StaticString = """
        DELETE FROM names WHERE id IN (SELECT id FROM names ORDER BY id LIMIT ?1)
        """

    // MARK: Pins, tags, metadata

    static let pin: StaticString = "UPDATE entries SET pinned = ?2 WHERE id = ?1"

    /// Anything but 0 is as good as 1, and somebody else's doing.
    static let normalizePins: StaticString = "UPDATE entries SET pinned = 1 WHERE pinned < 0 OR pinned > 1"

    static let countInvalidPins: StaticString = "SELECT count(*) FROM entries WHERE pinned < 0 OR pinned > 1"

    static let tags: StaticString = "SELECT tag FROM tags WHERE id = ?1 ORDER BY tag"

    static let addTag: StaticString = "INSERT INTO tags (tag, id) VALUES (?2, ?1) ON CONFLICT (tag, id) DO NOTHING"

    static let dropTags: StaticString = "DELETE FROM tags WHERE id = ?1"

    static let moveTags: StaticString = "UPDATE tags SET id = ?2 WHERE id = ?1"

    static let metadata: StaticString = """
        SELECT etag, last_modified, max_age, fields FROM metadata WHERE id = ?1 AND stored_at = ?2
        """

    static let setMetadata: StaticString = """
        INSERT INTO metadata (id, stored_at, etag, last_modified, max_age, fields) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (id) DO UPDATE SET
            stored_at = excluded.stored_at, etag = excluded.etag, last_modified = excluded.last_modified,
            max_age = excluded.max_age, fields = excluded.fields
        """

    static let dropMetadata: StaticString = "DELETE FROM metadata WHERE id = ?1"

    static let moveMetadata: StaticString = "UPDATE metadata SET id = ?2 WHERE id = ?1"

    // MARK: Keys that are not to be kept

    static let hasKeys: StaticString = "SELECT EXISTS (SELECT 1 FROM entries WHERE key IS NOT NULL)"

    static let forgetKey: StaticString = "UPDATE entries SET key = NULL, base_length = NULL WHERE id = ?1"

    // MARK: Statistics

    static let statistics: StaticString = """
        SELECT since, hits, misses, stores, removals, evictions, expirations, bytes_read, bytes_written
        FROM statistics WHERE id = 1
        """

    static let addStatistics: StaticString = """
        UPDATE statistics SET
            since = CASE WHEN since > 0 THEN since ELSE ?1 END, hits = hits + ?2, misses = misses + ?3,
            stores = stores + ?4, removals = removals + ?5, evictions = evictions + ?6, expirations = expirations + ?7,
            bytes_read = bytes_read + ?8, bytes_written = bytes_written + ?9
        WHERE id = 1
        """

    /// The one row under its own id, where somebody has given it another.
    static let mendStatistics: StaticString = """
        UPDATE statistics SET id = 1 WHERE id <> 1 AND NOT EXISTS (SELECT 1 FROM statistics WHERE id = 1)
        """

    static let resetStatistics: StaticString = """
        UPDATE statistics SET
            since = ?1, hits = 0, misses = 0, stores = 0, removals = 0, evictions = 0, expirations = 0, bytes_read = 0,
            bytes_written = 0
        WHERE id = 1
        """

    /// As in ``planned``.
    static let plannedAboutMany: [(name: String, sql: StaticString)] = [
        ("matching", matching), ("idsBySource", idsBySource), ("idsByKeyRange", idsByKeyRange),
        ("idsByHost", idsByHost), ("idsByProcessor", idsByProcessor), ("idsByTag", idsByTag),
        ("idsOfPinned", idsOfPinned), ("idsOfExpired", idsOfExpired), ("pinnedTotals", pinnedTotals),
        ("byAccess", byAccess), ("byAccessDescending", byAccessDescending), ("bySize", bySize),
        ("bySizeDescending", bySizeDescending), ("byCreation", byCreation),
        ("byCreationDescending", byCreationDescending), ("byExpiration", byExpiration),
        ("byExpirationDescending", byExpirationDescending), ("lasting", lasting),
        ("lastingDescending", lastingDescending), ("byKey", byKey), ("byKeyDescending", byKeyDescending),
        ("listingState", listingState), ("setListedTo", setListedTo), ("setSortedTo", setSortedTo),
        ("unlisted", unlisted), ("countUnlisted", countUnlisted), ("listed", listed), ("listable", listable),
        ("listableEntry", listableEntry),
        ("list", list), ("unlist", unlist), ("unsorted", unsorted), ("sortBySize", sortBySize),
        ("unsortBySize", unsortBySize), ("clearBySize", clearBySize), ("sortByCreation", sortByCreation),
        ("unsortByCreation", unsortByCreation), ("clearByCreation", clearByCreation), ("sortBySource", sortBySource),
        ("unsortBySource", unsortBySource), ("clearBySource", clearBySource), ("sortByHost", sortByHost),
        ("unsortByHost", unsortByHost), ("clearByHost", clearByHost), ("sortByProcessor", sortByProcessor),
        ("unsortByProcessor", unsortByProcessor), ("clearByProcessor", clearByProcessor), ("sortByKey", sortByKey),
        ("unsortByKey", unsortByKey), ("clearByKey", clearByKey), ("nameID", nameID), ("addName", addName),
        ("dropUnusedName", dropUnusedName), ("clearListing", clearListing), ("clearUnlisted", clearUnlisted),
        ("clearNames", clearNames), ("pin", pin), ("normalizePins", normalizePins),
        ("countInvalidPins", countInvalidPins), ("tags", tags), ("addTag", addTag), ("dropTags", dropTags),
        ("moveTags", moveTags), ("metadata", metadata), ("setMetadata", setMetadata), ("dropMetadata", dropMetadata),
        ("moveMetadata", moveMetadata), ("hasKeys", hasKeys), ("forgetKey", forgetKey), ("statistics", statistics),
        ("addStatistics", addStatistics), ("resetStatistics", resetStatistics), ("mendStatistics", mendStatistics),
        ("rename", rename), ("slack", slack),
    ]
}
