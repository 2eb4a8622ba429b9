internal import Foundation
internal import HalcyonMigrations
internal import HalcyonSQLite

/// Indexes as older versions left them, with the entries of an existing cache.
package enum OlderIndex {
    private static func entries(_ access: String) -> String {
        "id, name, key, token, inode, size, created_at, \(access), expires_at, time_to_live, pinned"
    }
    private static let state =
        "boot, settled_at, index_inode, relearning, adoption, adopts_until, distrust_from, distrust_until, reconciled_at"

    /// Reverts the changes of later versions in the same file: the result is an index as that version creates it, without attributes that
    /// only later versions know. No connection may have it open.
    package static func make(version: Int, at path: String) throws {
        let connection = try Connection(path: path)
        try connection.execute(
            """
            ATTACH ':memory:' AS new;
            CREATE TABLE new.entries AS SELECT \(entries("coalesce(accessed_at, rank) AS accessed_at")) FROM main.entries;
            CREATE TABLE new.state AS SELECT \(state) FROM main.state;
            CREATE TABLE new.totals AS SELECT stored_at FROM main.totals;
            """)
        try dropEverything(in: connection)
        for file in MigrationFiles.all.prefix(version) { try connection.execute(file.sql) }
        try connection.execute(
            """
            INSERT INTO main.entries (\(entries(version < 7 ? "accessed_at" : "rank"))) SELECT \(entries("accessed_at")) FROM new.entries;
            UPDATE main.state SET (\(state)) = (SELECT \(state) FROM new.state);
            UPDATE main.totals SET stored_at = (SELECT stored_at FROM new.totals);
            DELETE FROM main.schema_migrations WHERE version > \(version);
            PRAGMA main.user_version = \(version);
            DETACH new;
            VACUUM
            """)
    }

    /// Everything except the ledger.
    private static func dropEverything(in connection: Connection) throws {
        for type in ["view", "trigger", "table"] {
            let names = try connection.texts(
                "SELECT type || ' ' || name FROM main.sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
            for name in names where name.hasPrefix(type) && !name.hasSuffix("schema_migrations") {
                try connection.execute("DROP \(type.uppercased()) main.\(name.dropFirst(type.count + 1))")
            }
        }
    }
}
