/// What creates an empty index.
extension Candidate {
    /// Both pragmas only have an effect before the first table.
    var schema: String {
        """
        PRAGMA page_size = \(pageSize);
        PRAGMA auto_vacuum = \(autoVacuum);
        \(entriesTable)
        CREATE INDEX entries_lru ON entries (\(lruColumns)) \(lruCondition);
        \(expiryCondition.map { "CREATE INDEX entries_expiry ON entries (expires_at) WHERE \($0);" } ?? "")
        \(totalsTable)
        \(usesTriggers ? triggers : "")
        """
    }

    private var entriesTable: String {
        """
        CREATE TABLE entries (
            \(identityColumns),
            key TEXT,
            token INTEGER NOT NULL,
            inode INTEGER NOT NULL,
            size INTEGER NOT NULL CHECK (size >= 0),
            created_at INTEGER NOT NULL,
            accessed_at INTEGER NOT NULL,
            expires_at INTEGER,
            time_to_live INTEGER,
            pinned INTEGER NOT NULL DEFAULT 0
        )\(withoutRowID ? " WITHOUT ROWID" : "");
        """
    }

    private var identityColumns: String {
        switch identity {
        case .id: "id INTEGER PRIMARY KEY, name \(nameIsText ? "TEXT" : "BLOB") NOT NULL"
        case .name: "name TEXT NOT NULL PRIMARY KEY"
        }
    }

    private var totalsTable: String {
        let required = constrainsTotals ? " NOT NULL" : ""
        return """
            CREATE TABLE totals (
                id INTEGER PRIMARY KEY\(constrainsTotals ? " CHECK (id = 1)" : ""),
                entries INTEGER\(required),
                bytes INTEGER\(required),
                last_store_at INTEGER\(required)
            );
            INSERT INTO totals VALUES (1, 0, 0, 0);
            """
    }

    /// `UPDATE OF size` keeps touches, which never change a size, away from the totals.
    private var triggers: String {
        """
        CREATE TRIGGER entries_inserted AFTER INSERT ON entries BEGIN
            UPDATE totals SET entries = entries + 1, bytes = bytes + new.size, last_store_at = new.created_at;
        END;
        CREATE TRIGGER entries_deleted AFTER DELETE ON entries BEGIN
            UPDATE totals SET entries = entries - 1, bytes = bytes - old.size;
        END;
        CREATE TRIGGER entries_updated AFTER UPDATE OF size ON entries BEGIN
            UPDATE totals SET bytes = bytes + new.size - old.size, last_store_at = new.created_at;
        END;
        """
    }
}
