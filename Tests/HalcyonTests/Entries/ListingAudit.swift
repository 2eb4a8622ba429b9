import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@testable import Halcyon

/// What is wrong with a listing that is said to be complete: each of its tables beside what follows from `entries` alone.
struct ListingAudit {
    private static let missing: [(name: String, sql: StaticString)] = [
        (
            "unfinished",
            "SELECT count(*) FROM totals WHERE listed_to IS NOT sorted_to OR listed_to < 9223372036854775807"
        ),
        ("unlisted", "SELECT count(*) FROM unlisted"),
        ("rows", "SELECT count(*) FROM (SELECT id FROM entries EXCEPT SELECT id FROM listing)"),
        (
            "size",
            "SELECT count(*) FROM (SELECT size, id FROM entries EXCEPT SELECT size, id FROM listing_by_size)"
        ),
        (
            "creation",
            "SELECT count(*) FROM (SELECT created_at, id FROM entries EXCEPT SELECT created_at, id FROM listing_by_creation)"
        ),
        (
            "source",
            "SELECT count(*) FROM (SELECT source, id FROM entries WHERE source IS NOT NULL EXCEPT SELECT source, id FROM listing_by_source)"
        ),
        (
            "key",
            "SELECT count(*) FROM (SELECT coalesce(key, ''), id FROM entries EXCEPT SELECT key, id FROM listing_by_key)"
        ),
        (
            "lasting",
            "SELECT count(*) FROM entries JOIN listing USING (id) WHERE (pinned > 0 OR expires_at IS NULL) IS NOT (lasting IS NOT NULL)"
        ),
        (
            "host",
            "SELECT count(*) FROM (SELECT id, host FROM cache_origins WHERE host IS NOT NULL EXCEPT SELECT side.id, name FROM listing_by_host AS side JOIN names ON names.id = host)"
        ),
        (
            "processor",
            "SELECT count(*) FROM (SELECT id, processor FROM cache_origins WHERE processor IS NOT NULL EXCEPT SELECT side.id, name FROM listing_by_processor AS side JOIN names ON names.id = processor)"
        ),
        (
            "columns",
            "SELECT count(*) FROM (SELECT id, host, processor FROM listing EXCEPT SELECT id, (SELECT host FROM listing_by_host AS side WHERE side.id = entries.id), (SELECT processor FROM listing_by_processor AS side WHERE side.id = entries.id) FROM entries)"
        ),
        (
            "unused names",
            "SELECT count(*) FROM names WHERE id NOT IN (SELECT host FROM listing_by_host UNION SELECT processor FROM listing_by_processor)"
        ),
    ]

    /// With nothing missing, as many rows are the same rows.
    private static let counts: [(name: String, sql: StaticString)] = [
        ("rows", "SELECT count(*) - (SELECT count(*) FROM entries) FROM listing"),
        ("size", "SELECT count(*) - (SELECT count(*) FROM entries) FROM listing_by_size"),
        ("creation", "SELECT count(*) - (SELECT count(*) FROM entries) FROM listing_by_creation"),
        ("key", "SELECT count(*) - (SELECT count(*) FROM entries) FROM listing_by_key"),
        ("source", "SELECT count(*) - (SELECT count(source) FROM entries) FROM listing_by_source"),
        ("host", "SELECT count(*) - (SELECT count(host) FROM cache_origins) FROM listing_by_host"),
        ("processor", "SELECT count(*) - (SELECT count(processor) FROM cache_origins) FROM listing_by_processor"),
    ]

    static func findings(in index: URL) throws -> [String] {
        let connection = try Connection(path: index.path, access: .queryOnly)
        let missing = try missing.compactMap { name, sql in
            try connection.integer(sql) == 0 ? nil : "\(name): \(try connection.integer(sql) ?? 0) missing"
        }
        let counts = try counts.compactMap { name, sql in
            try connection.integer(sql) == 0 ? nil : "\(name): \(try connection.integer(sql) ?? 0) more than entries"
        }
        return missing + counts
    }
}

extension CacheFixture {
    /// Brings the listing up to date and requires that it says what the entries say.
    func requireListing(_ about: String = "", _ location: SourceLocation = #_sourceLocation) throws {
        // A lookup a moment ago may be about to give an entry its name of today.
        settle()
        try storage.store.updateListing()
        #expect(try ListingAudit.findings(in: index) == [], "\(about)", sourceLocation: location)
    }
}
