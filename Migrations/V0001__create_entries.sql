-- The index of an image cache: one row for each entry, whose blob is a file beside it.
--
-- Times are milliseconds since 1970 (UTC), sizes are bytes. People look at the views; programs use the tables.

-- "HALC", for file(1).
PRAGMA application_id = 0x48414C43;

CREATE TABLE entries (
    -- 63 bits of the SHA-256 of the file name.
    id           INTEGER PRIMARY KEY,
    -- The blob's file name: text, or, when it begins with 64 hexadecimal digits, those as 32 bytes and the rest
    -- (".png") as it is. Half the length; the views show it whole.
    name         BLOB NOT NULL,
    -- The cache key; NULL until somebody asks for it (the entry was taken over from a file).
    key          TEXT,
    -- Random, new at every store: tells two stores under one key apart, and names files in staging/ and trash/. The
    -- remainder of a division by 999, plus 1, is the blob's tag: the microseconds of its modification date.
    token        INTEGER NOT NULL,
    -- The blob's inode number; NULL where the volume's numbers do not last.
    inode        INTEGER,
    size         INTEGER NOT NULL CHECK (size >= 0),
    created_at   INTEGER NOT NULL,
    accessed_at  INTEGER NOT NULL,
    -- NULL: never.
    expires_at   INTEGER,
    -- What reading begins again; NULL: never expires.
    time_to_live INTEGER,
    -- Not 0: neither evicted nor expired by cleaning.
    pinned       INTEGER NOT NULL DEFAULT 0 CHECK (pinned >= 0)
);

-- Least recently used first, with what eviction needs to know; the rowid is the last column of every index.
CREATE INDEX entries_by_access ON entries (pinned, accessed_at, size);

CREATE INDEX entries_by_expiration ON entries (expires_at) WHERE pinned = 0 AND expires_at IS NOT NULL;

-- Kept by the triggers below, in the same transaction as the rows. No constraints on the columns that triggers write:
-- a trigger that may fail makes SQLite save every page that a statement changes, and deletes cost twice as much.
CREATE TABLE totals (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    entries   INTEGER,
    bytes     INTEGER,
    -- created_at of the latest store.
    stored_at INTEGER
);

INSERT INTO totals (id, entries, bytes, stored_at) VALUES (1, 0, 0, 0);

CREATE TRIGGER entries_inserted AFTER INSERT ON entries BEGIN
    UPDATE totals SET entries = entries + 1, bytes = bytes + NEW.size, stored_at = NEW.created_at;
END;

CREATE TRIGGER entries_replaced AFTER UPDATE OF token, size ON entries BEGIN
    UPDATE totals SET bytes = bytes - OLD.size + NEW.size, stored_at = NEW.created_at;
END;

CREATE TRIGGER entries_deleted AFTER DELETE ON entries BEGIN
    UPDATE totals SET entries = entries - 1, bytes = bytes - OLD.size;
END;

-- What the cache has to remember of the folder it is in.
CREATE TABLE state (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    -- The boot of the machine the index was last opened in; NULL in a new index.
    boot           TEXT,
    -- Blobs stored up to here had been written by the system when the cache was closed.
    settled_at     INTEGER NOT NULL,
    -- This file's own inode number: another one means that the folder is a copy, and inodes are learned anew.
    index_inode    INTEGER,
    -- 1 while `inode` of the rows is being learned anew.
    relearning     INTEGER NOT NULL,
    -- Files without a row: 'pending' while those of a folder that had no index are being adopted, 'rebuilding' while
    -- those of a folder whose index was damaged are, then 'done'.
    adoption       TEXT NOT NULL CHECK (adoption IN ('pending', 'rebuilding', 'done')),
    -- A file is adopted if its inode changed last at this moment or before.
    adopts_until   INTEGER NOT NULL,
    -- Entries and blobs of this span are not trusted: the machine stopped before it had written them.
    distrust_from  INTEGER,
    distrust_until INTEGER,
    -- When the folder was last searched for files without a row.
    reconciled_at  INTEGER NOT NULL
);

INSERT INTO state (id, settled_at, relearning, adoption, adopts_until, reconciled_at)
VALUES (1, 0, 0, 'pending', 0, 0);

-- What is in my cache, and what goes next? Least recently used first.
CREATE VIEW cache_entries AS
SELECT
    key,
    CASE typeof(name)
        WHEN 'blob' THEN lower(hex(substr(name, 1, 32))) || CAST(substr(name, 33) AS TEXT)
        ELSE name
    END AS file,
    size,
    strftime('%Y-%m-%d %H:%M:%S', created_at / 1000.0, 'unixepoch') AS created,
    strftime('%Y-%m-%d %H:%M:%S', accessed_at / 1000.0, 'unixepoch') AS last_access,
    coalesce(strftime('%Y-%m-%d %H:%M:%S', expires_at / 1000.0, 'unixepoch'), 'never') AS expires,
    CASE
        WHEN expires_at IS NULL THEN 'no'
        WHEN expires_at <= (julianday('now') - 2440587.5) * 86400000.0 THEN 'yes'
        ELSE 'no'
    END AS expired,
    CASE WHEN pinned > 0 THEN 'yes' ELSE 'no' END AS pinned
FROM entries
ORDER BY entries.pinned, entries.accessed_at, entries.size, entries.id;

-- How big is it? One row.
CREATE VIEW cache_summary AS
SELECT
    totals.entries,
    totals.bytes,
    round(totals.bytes / 1000000.0, 1) AS megabytes,
    (
        SELECT count(*) FROM entries INDEXED BY entries_by_expiration
        WHERE pinned = 0 AND expires_at <= (julianday('now') - 2440587.5) * 86400000.0
    ) AS expired,
    (SELECT count(*) FROM entries WHERE pinned > 0) AS pinned,
    (
        SELECT strftime('%Y-%m-%d %H:%M:%S', min(accessed_at) / 1000.0, 'unixepoch') FROM entries WHERE pinned = 0
    ) AS oldest_access,
    (
        SELECT strftime('%Y-%m-%d %H:%M:%S', max(accessed_at) / 1000.0, 'unixepoch') FROM entries WHERE pinned = 0
    ) AS latest_access,
    state.adoption
FROM totals, state;

-- Which site is it from? By host of the keys that are addresses, largest first.
CREATE VIEW cache_sites AS
WITH addresses AS (
    SELECT size, CASE WHEN instr(key, '://') > 0 THEN substr(key, instr(key, '://') + 3) || '/' END AS rest
    FROM entries
)
SELECT
    coalesce(substr(rest, 1, instr(rest, '/') - 1), '(no address)') AS site,
    count(*) AS entries,
    sum(size) AS bytes
FROM addresses
GROUP BY 1
ORDER BY bytes DESC;
