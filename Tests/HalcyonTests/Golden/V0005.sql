-- An index of schema version 5, as text. Written by Scripts/golden; never changed.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE schema_migrations (
    version       INTEGER PRIMARY KEY,
    name          TEXT NOT NULL,
    checksum      TEXT NOT NULL,
    oldest_reader INTEGER NOT NULL,
    applied_at    INTEGER NOT NULL
);
INSERT INTO schema_migrations VALUES(1,'V0001__create_entries.sql','c9acbaa721a8abf8967f366db917e25bb84bc90dbcba674cd629e0049a62c1af',1,1760000000000);
INSERT INTO schema_migrations VALUES(2,'V0002__find_legacy_names.sql','1c1a1e7ce236707343fddeef0dfe0191f6d001ca27e729343c15557844dac2cb',1,1760000000000);
INSERT INTO schema_migrations VALUES(3,'V0003__count_uses.sql','43829b8fba9692b78ff2bf2e0474c15215764845f07c80387926a4a819eb7bb8',1,1760000000000);
INSERT INTO schema_migrations VALUES(4,'V0004__describe_entries.sql','a71edff930763bc647d7de545aadad9544fc0e5f68e33538b20b623159cdbb6d',1,1760000000000);
INSERT INTO schema_migrations VALUES(5,'V0005__list_entries.sql','e7531d0acc228330def97209107fcb40d227327a77494daadb13e3e0ff4152a3',1,1760000000000);
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
, hits INTEGER NOT NULL DEFAULT 0, slack INTEGER NOT NULL DEFAULT 0, source INTEGER, base_length INTEGER);
INSERT INTO entries VALUES(1917903326430146268,'höhle 🦊','höhle 🦊',1003,13,0,1760000000002,1760000000002,NULL,NULL,0,0,0,NULL,NULL);
INSERT INTO entries VALUES(2397255437567974032,X'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad2e706e67',NULL,1002,12,1,1760000000001,1760000000500,1760604800001,604800000,0,0,0,NULL,NULL);
INSERT INTO entries VALUES(6006747928771168233,'large','large',9223372036854775807,NULL,5368709120,1760000000003,1760000000003,253402300799999,1,1,9223372036854775807,-4096,NULL,NULL);
INSERT INTO entries VALUES(8371974080835566578,X'494a30704d4f32ac0b81739d18a66d3638d440cbc6f5669f6af66f840edee5ab','https://example.com/a.png',1001,11,6,1760000000000,1760000001000,1760604800000,604800000,0,7,4090,5281086771936834220,25);
CREATE TABLE totals (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    entries   INTEGER,
    bytes     INTEGER,
    -- created_at of the latest store.
    stored_at INTEGER
, slack INTEGER DEFAULT 0, listed_to INTEGER, sorted_to INTEGER);
INSERT INTO totals VALUES(1,4,5368709127,1760000000003,-6,9223372036854775807,9223372036854775807);
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
, legacy_names INTEGER NOT NULL DEFAULT 2);
INSERT INTO state VALUES(1,'boot',0,1,0,'done',1760000000000,NULL,NULL,1760000000000,1);
CREATE TABLE statistics (
    id              INTEGER PRIMARY KEY CHECK (id = 1),
    -- When counting began, or began anew.
    since           INTEGER NOT NULL,
    hits            INTEGER NOT NULL,
    misses          INTEGER NOT NULL,
    stores          INTEGER NOT NULL,
    -- Asked for by somebody.
    removals        INTEGER NOT NULL,
    -- For want of room.
    evictions       INTEGER NOT NULL,
    -- For want of time.
    expirations     INTEGER NOT NULL,
    bytes_read      INTEGER NOT NULL,
    bytes_written   INTEGER NOT NULL
);
INSERT INTO statistics VALUES(1,1760000000000,1,2,3,4,5,6,7,8);
CREATE TABLE metadata (
    -- The entry's.
    id            INTEGER PRIMARY KEY,
    -- `created_at` of the entry that is described: what was said of bytes that were stored before counts no more.
    stored_at     INTEGER NOT NULL,
    -- Headers of the HTTP response that the bytes came with, as they were (RFC 9110, 8.8.3 and 8.8.2).
    etag          TEXT,
    last_modified TEXT,
    -- Seconds, of its Cache-Control (RFC 9111, 5.2.2.1).
    max_age       INTEGER,
    -- A JSON object of texts.
    fields        TEXT
);
INSERT INTO metadata VALUES(1917903326430146268,1759999999999,'"old"',NULL,NULL,NULL);
INSERT INTO metadata VALUES(8371974080835566578,1760000000000,'"33a64df5"','Wed, 21 Oct 2015 07:28:00 GMT',3600,'{"width":"320"}');
CREATE TABLE tags (
    tag TEXT NOT NULL,
    -- The entry's.
    id  INTEGER NOT NULL,
    PRIMARY KEY (tag, id)
) WITHOUT ROWID;
INSERT INTO tags VALUES('offline',6006747928771168233);
INSERT INTO tags VALUES('höhle',8371974080835566578);
INSERT INTO tags VALUES('offline',8371974080835566578);
CREATE TABLE listing (
    -- The entry's.
    id         INTEGER PRIMARY KEY,
    source     INTEGER,
    -- Ids of `names`.
    host       INTEGER,
    processor  INTEGER,
    size       INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    -- 1: pinned, or without an expiration. Else NULL.
    lasting    INTEGER
);
INSERT INTO listing VALUES(2397255437567974032,NULL,NULL,NULL,1,1760000000001,NULL);
INSERT INTO listing VALUES(6006747928771168233,NULL,NULL,NULL,5368709120,1760000000003,1);
INSERT INTO listing VALUES(8371974080835566578,5281086771936834220,1,2,6,1760000000000,NULL);
CREATE TABLE listing_by_size (
    size INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (size, id)
) WITHOUT ROWID;
INSERT INTO listing_by_size VALUES(1,2397255437567974032);
INSERT INTO listing_by_size VALUES(6,8371974080835566578);
INSERT INTO listing_by_size VALUES(5368709120,6006747928771168233);
CREATE TABLE listing_by_creation (
    created_at INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (created_at, id)
) WITHOUT ROWID;
INSERT INTO listing_by_creation VALUES(1760000000000,8371974080835566578);
INSERT INTO listing_by_creation VALUES(1760000000001,2397255437567974032);
INSERT INTO listing_by_creation VALUES(1760000000003,6006747928771168233);
CREATE TABLE listing_by_source (
    source INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (source, id)
) WITHOUT ROWID;
INSERT INTO listing_by_source VALUES(5281086771936834220,8371974080835566578);
CREATE TABLE listing_by_host (
    host INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (host, id)
) WITHOUT ROWID;
INSERT INTO listing_by_host VALUES(1,8371974080835566578);
CREATE TABLE listing_by_processor (
    processor INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (processor, id)
) WITHOUT ROWID;
INSERT INTO listing_by_processor VALUES(2,8371974080835566578);
CREATE TABLE listing_by_key (
    key TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (key, id)
) WITHOUT ROWID;
INSERT INTO listing_by_key VALUES('',2397255437567974032);
INSERT INTO listing_by_key VALUES('https://example.com/a.png',8371974080835566578);
INSERT INTO listing_by_key VALUES('large',6006747928771168233);
CREATE TABLE names (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
INSERT INTO names VALUES(1,'example.com');
INSERT INTO names VALUES(2,'');
CREATE TABLE unlisted (
    id  INTEGER PRIMARY KEY,
    key TEXT
);
INSERT INTO unlisted VALUES(1917903326430146268,NULL);
CREATE INDEX entries_by_access ON entries (pinned, accessed_at, size);
CREATE INDEX entries_by_expiration ON entries (expires_at) WHERE pinned = 0 AND expires_at IS NOT NULL;
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
CREATE TRIGGER entries_inserted AFTER INSERT ON entries BEGIN
    UPDATE totals SET
        entries = entries + 1, bytes = bytes + NEW.size, slack = slack + NEW.slack, stored_at = NEW.created_at;
END;
CREATE TRIGGER entries_replaced AFTER UPDATE OF token, size ON entries BEGIN
    UPDATE totals SET
        bytes = bytes - OLD.size + NEW.size, slack = slack - OLD.slack + NEW.slack, stored_at = NEW.created_at;
END;
CREATE TRIGGER entries_deleted AFTER DELETE ON entries BEGIN
    UPDATE totals SET entries = entries - 1, bytes = bytes - OLD.size, slack = slack - OLD.slack;
END;
CREATE INDEX tags_by_entry ON tags (id);
CREATE TRIGGER entries_forgotten AFTER DELETE ON entries BEGIN
    DELETE FROM metadata WHERE id = OLD.id;
    DELETE FROM tags WHERE id = OLD.id;
END;
CREATE INDEX listing_lasting ON listing (lasting) WHERE lasting IS NOT NULL;
CREATE TRIGGER entries_inserted_unlisted AFTER INSERT ON entries
WHEN NEW.id <= (SELECT listed_to FROM totals) BEGIN
    INSERT INTO unlisted (id) VALUES (NEW.id) ON CONFLICT (id) DO NOTHING;
END;
CREATE TRIGGER entries_changed_unlisted AFTER UPDATE ON entries
WHEN OLD.id <= (SELECT listed_to FROM totals) AND (
    OLD.created_at <> NEW.created_at OR OLD.size <> NEW.size OR OLD.key IS NOT NEW.key
    OR OLD.source IS NOT NEW.source OR OLD.id <> NEW.id
    OR (OLD.pinned > 0 OR OLD.expires_at IS NULL) <> (NEW.pinned > 0 OR NEW.expires_at IS NULL)
) BEGIN
    INSERT INTO unlisted (id, key)
    VALUES (OLD.id, CASE WHEN OLD.key IS NOT NEW.key OR OLD.id <> NEW.id THEN coalesce(OLD.key, '') END)
    ON CONFLICT (id) DO UPDATE SET key = excluded.key WHERE key IS NULL AND excluded.key IS NOT NULL;
END;
CREATE TRIGGER entries_renamed_unlisted AFTER UPDATE OF id ON entries
WHEN NEW.id <= (SELECT listed_to FROM totals) BEGIN
    INSERT INTO unlisted (id) VALUES (NEW.id) ON CONFLICT (id) DO NOTHING;
END;
CREATE TRIGGER entries_deleted_unlisted AFTER DELETE ON entries
WHEN OLD.id <= (SELECT listed_to FROM totals) BEGIN
    INSERT INTO unlisted (id, key) VALUES (OLD.id, coalesce(OLD.key, ''))
    ON CONFLICT (id) DO UPDATE SET key = excluded.key WHERE key IS NULL AND excluded.key IS NOT NULL;
END;
COMMIT;
PRAGMA application_id = 1212238915;
PRAGMA user_version = 5;
