// Written by Scripts/embed-migrations. Do not edit.
// swift-format-ignore-file

/// The SQL files of this folder, each as it is, under its name without `.sql`.
enum EmbeddedSQL {
    static let V0001__create_entries = #"""
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

"""#
    static let V0002__find_legacy_names = #"""
-- Kingfisher 7 and earlier named a blob after the MD5 of its key: 32 hexadecimal digits. Such files become entries under
-- that name, and get today's name when somebody asks for their key.

-- 0: no entry has such a name. 1: some have. 2: the folder has not been searched for such files yet.
ALTER TABLE state ADD COLUMN legacy_names INTEGER NOT NULL DEFAULT 2;

"""#
    static let V0003__count_uses = #"""
-- How much an entry is used, what it was made of, and how the cache has done since it was made.

-- Reads since the latest store.
ALTER TABLE entries ADD COLUMN hits INTEGER NOT NULL DEFAULT 0;

-- Bytes that the volume has allocated for the blob beyond its size: the rest of the last block. Less than 0 where blobs
-- are compressed, 0 where nobody has looked.
ALTER TABLE entries ADD COLUMN slack INTEGER NOT NULL DEFAULT 0;

-- Which image it is, the same for all its variants: 63 bits of the SHA-256 of the image's key. NULL: nobody has said.
ALTER TABLE entries ADD COLUMN source INTEGER;

-- Characters of `key` that are the image's key; behind them and an "@" is the identifier of the processor that has made
-- the variant. NULL: nobody has said.
ALTER TABLE entries ADD COLUMN base_length INTEGER;

-- The sum of `slack`.
ALTER TABLE totals ADD COLUMN slack INTEGER DEFAULT 0;

DROP TRIGGER entries_inserted;
CREATE TRIGGER entries_inserted AFTER INSERT ON entries BEGIN
    UPDATE totals SET
        entries = entries + 1, bytes = bytes + NEW.size, slack = slack + NEW.slack, stored_at = NEW.created_at;
END;

DROP TRIGGER entries_replaced;
CREATE TRIGGER entries_replaced AFTER UPDATE OF token, size ON entries BEGIN
    UPDATE totals SET
        bytes = bytes - OLD.size + NEW.size, slack = slack - OLD.slack + NEW.slack, stored_at = NEW.created_at;
END;

DROP TRIGGER entries_deleted;
CREATE TRIGGER entries_deleted AFTER DELETE ON entries BEGIN
    UPDATE totals SET entries = entries - 1, bytes = bytes - OLD.size, slack = slack - OLD.slack;
END;

-- Written together with the accesses: what was counted in the last seconds before a crash is missing.
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

INSERT INTO statistics
    (id, since, hits, misses, stores, removals, evictions, expirations, bytes_read, bytes_written)
VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0, 0);

"""#
    static let V0004__describe_entries = #"""
-- What somebody wants to remember of an entry beside its bytes. Entries of which nobody wants to cost nothing here.

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

-- Words under which entries can be found. They belong to the key: a store under it leaves them as they are.
CREATE TABLE tags (
    tag TEXT NOT NULL,
    -- The entry's.
    id  INTEGER NOT NULL,
    PRIMARY KEY (tag, id)
) WITHOUT ROWID;

CREATE INDEX tags_by_entry ON tags (id);

CREATE TRIGGER entries_forgotten AFTER DELETE ON entries BEGIN
    DELETE FROM metadata WHERE id = OLD.id;
    DELETE FROM tags WHERE id = OLD.id;
END;

"""#
    static let V0005__list_entries = #"""
-- Entries by key, image, host, processor, size and age.
--
-- Nothing here is written by a store. Whoever asks first has the rows made; from then on the triggers note which entries
-- have changed, and their rows follow a little later.

-- Entries with ids up to this one have rows in `listing`. NULL: nobody has asked yet.
ALTER TABLE totals ADD COLUMN listed_to INTEGER;

-- Rows of `listing` with ids up to this one are in the tables behind it.
ALTER TABLE totals ADD COLUMN sorted_to INTEGER;

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

CREATE INDEX listing_lasting ON listing (lasting) WHERE lasting IS NOT NULL;

-- Tables instead of indexes, because each is filled in its own order: a row at a time, each would change another page of
-- each index.
CREATE TABLE listing_by_size (
    size INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (size, id)
) WITHOUT ROWID;

CREATE TABLE listing_by_creation (
    created_at INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (created_at, id)
) WITHOUT ROWID;

CREATE TABLE listing_by_source (
    source INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (source, id)
) WITHOUT ROWID;

CREATE TABLE listing_by_host (
    host INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (host, id)
) WITHOUT ROWID;

CREATE TABLE listing_by_processor (
    processor INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (processor, id)
) WITHOUT ROWID;

-- Empty where a key is not known.
CREATE TABLE listing_by_key (
    key TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (key, id)
) WITHOUT ROWID;

-- Hosts and processors, a row each.
CREATE TABLE names (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- Entries whose rows are out of date, and the key they have in `listing_by_key` where it is not the entry's any more.
CREATE TABLE unlisted (
    id  INTEGER PRIMARY KEY,
    key TEXT
);

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

"""#
    static let V0006__show_more = #"""
-- Views for people. Each reads the whole table; none is used by the cache itself.

-- Which image, host and processor is each entry from? Only what its key says: an image's key may be the whole of it.
CREATE VIEW cache_origins AS
WITH images AS (
    SELECT *, coalesce(substr(key, 1, base_length), key) AS image
    FROM entries
), addresses AS (
    SELECT
        *,
        CASE
            WHEN instr(image, '://') > 1 AND substr(image, 1, instr(image, '://') - 1) NOT GLOB '*[^A-Za-z0-9+.-]*'
            THEN substr(image, instr(image, '://') + 3)
        END AS rest
    FROM images
), authorities AS (
    SELECT *, substr(rest, 1, instr(replace(replace(rest, '?', '/'), '#', '/') || '/', '/') - 1) AS authority
    FROM addresses
), servers AS (
    -- Without name and password: what is left when the trailing characters other than @ are taken away is their length.
    SELECT *, substr(authority, length(rtrim(authority, replace(authority, '@', ''))) + 1) AS server
    FROM authorities
)
SELECT
    id, key, size, created_at, accessed_at, expires_at, pinned, hits, image,
    substr(key, base_length + 2) AS processor,
    nullif(lower(
        CASE
            WHEN rtrim(server, '0123456789') LIKE '%:'
            THEN substr(server, 1, length(rtrim(server, '0123456789')) - 1)
            ELSE server
        END
    ), '') AS host
FROM servers;

-- What is in my cache, and what goes next? Least recently used first, pinned ones last.
DROP VIEW cache_entries;
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
        WHEN pinned > 0 OR expires_at IS NULL THEN 'no'
        WHEN expires_at <= (julianday('now') - 2440587.5) * 86400000.0 THEN 'yes'
        ELSE 'no'
    END AS expired,
    CASE WHEN pinned > 0 THEN 'yes' ELSE 'no' END AS pinned,
    hits,
    coalesce(substr(key, 1, base_length), key) AS image,
    substr(key, base_length + 2) AS processor,
    (SELECT group_concat(tag, ', ') FROM (SELECT tag FROM tags WHERE tags.id = entries.id ORDER BY tag)) AS tags
FROM entries
ORDER BY entries.pinned, entries.accessed_at, entries.size, entries.id;

-- How big is it? One row.
DROP VIEW cache_summary;
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
    state.adoption,
    -- On the volume, where files end with their last block.
    totals.bytes + totals.slack AS allocated_bytes,
    (SELECT coalesce(sum(size), 0) FROM entries WHERE pinned > 0) AS pinned_bytes
FROM totals, state;

-- Which site is it from? By host of the keys that are addresses, largest first.
DROP VIEW cache_sites;
CREATE VIEW cache_sites AS
SELECT coalesce(host, '(no address)') AS site, count(*) AS entries, sum(size) AS bytes, sum(hits) AS hits
FROM cache_origins
GROUP BY 1
ORDER BY bytes DESC;

-- Which processor takes up the room? Largest first.
CREATE VIEW cache_processors AS
SELECT
    CASE WHEN processor = '' THEN '(original)' ELSE coalesce(processor, '(unknown)') END AS processor,
    count(*) AS entries, sum(size) AS bytes, sum(hits) AS hits
FROM cache_origins
GROUP BY 1
ORDER BY bytes DESC;

-- Which images have variants, and how big are they all together? Largest first.
CREATE VIEW cache_images AS
SELECT image, count(*) AS variants, sum(size) AS bytes, sum(hits) AS hits
FROM cache_origins
WHERE image IS NOT NULL
GROUP BY image
ORDER BY bytes DESC;

-- How large are the blobs?
CREATE VIEW cache_sizes AS
WITH steps (size_from, size_below) AS (
    VALUES (0, 1000), (1000, 10000), (10000, 100000), (100000, 1000000), (1000000, 10000000), (10000000, NULL)
)
SELECT size_from, size_below, count(entries.id) AS entries, coalesce(sum(entries.size), 0) AS bytes
FROM steps
LEFT JOIN entries ON entries.size >= size_from AND (size_below IS NULL OR entries.size < size_below)
GROUP BY size_from
ORDER BY size_from;

-- How long ago were they used last, in days?
CREATE VIEW cache_ages AS
WITH steps (days_from, days_below) AS (VALUES (0, 1), (1, 7), (7, 30), (30, 90), (90, 365), (365, NULL)),
ages AS (SELECT size, (julianday('now') - 2440587.5) - accessed_at / 86400000.0 AS days FROM entries)
SELECT days_from, days_below, count(days) AS entries, coalesce(sum(size), 0) AS bytes
FROM steps
LEFT JOIN ages ON (days >= days_from OR days_from = 0) AND (days_below IS NULL OR days < days_below)
GROUP BY days_from
ORDER BY days_from;

-- What expires when? By day (UTC), what has expired already included; what never expires last.
CREATE VIEW cache_expirations AS
SELECT
    CASE
        WHEN pinned > 0 OR expires_at IS NULL THEN 'never'
        ELSE coalesce(strftime('%Y-%m-%d', expires_at / 1000.0, 'unixepoch'), 'never')
    END AS day,
    count(*) AS entries, sum(size) AS bytes
FROM entries
GROUP BY 1
ORDER BY day;

-- What is under which tag?
CREATE VIEW cache_tags AS
SELECT tags.tag, count(*) AS entries, sum(entries.size) AS bytes
FROM tags
JOIN entries USING (id)
GROUP BY tags.tag
ORDER BY tags.tag;

-- What is remembered of which entry?
CREATE VIEW cache_metadata AS
SELECT entries.key, metadata.etag, metadata.last_modified, metadata.max_age, metadata.fields
FROM metadata
JOIN entries USING (id)
WHERE metadata.stored_at = entries.created_at
ORDER BY entries.key;

-- How does the cache do? One row.
CREATE VIEW cache_statistics AS
SELECT
    hits, misses, round(100.0 * hits / nullif(hits + misses, 0), 1) AS hit_percent, stores, removals, evictions,
    expirations, bytes_read, bytes_written,
    CASE WHEN since > 0 THEN strftime('%Y-%m-%d %H:%M:%S', since / 1000.0, 'unixepoch') END AS since
FROM statistics;

"""#
    static let V0007__explain_itself = #"""
-- Stores write fewer pages, the index documents itself (SELECT * FROM cache_help), and there are new columns.
--
-- The time this takes does not depend on the number of entries. Filling in rows, replacing indexes and dropping the tables of the
-- former listing happens later, in batches; `state.upgrading` records what is left.

DROP VIEW IF EXISTS cache_origins;
DROP VIEW IF EXISTS cache_entries;
DROP VIEW IF EXISTS cache_summary;
DROP VIEW IF EXISTS cache_sites;
DROP VIEW IF EXISTS cache_processors;
DROP VIEW IF EXISTS cache_images;
DROP VIEW IF EXISTS cache_sizes;
DROP VIEW IF EXISTS cache_ages;
DROP VIEW IF EXISTS cache_expirations;
DROP VIEW IF EXISTS cache_tags;
DROP VIEW IF EXISTS cache_metadata;
DROP VIEW IF EXISTS cache_statistics;
-- A user may have created views with these names.
DROP VIEW IF EXISTS cache_eviction_order;
DROP VIEW IF EXISTS cache_hosts;
DROP VIEW IF EXISTS cache_check;
DROP VIEW IF EXISTS cache_versions;
DROP VIEW IF EXISTS cache_help;
DROP VIEW IF EXISTS cache_schema;

DROP TRIGGER IF EXISTS entries_inserted;
DROP TRIGGER IF EXISTS entries_replaced;
DROP TRIGGER IF EXISTS entries_deleted;
DROP TRIGGER IF EXISTS entries_inserted_unlisted;
DROP TRIGGER IF EXISTS entries_changed_unlisted;
DROP TRIGGER IF EXISTS entries_renamed_unlisted;
DROP TRIGGER IF EXISTS entries_deleted_unlisted;
DROP TRIGGER IF EXISTS entries_expire_earlier;

-- Entries are evicted in the order of `rank`, the lowest first. Under LRU, it is the time of the latest use. The column keeps its
-- place in the table and in the index. To rename a column, SQLite parses all views, including those that users have made, and some
-- may refer to dropped tables. With this pragma, it ignores such views.
PRAGMA writable_schema = ON;
ALTER TABLE entries RENAME COLUMN accessed_at TO rank;
PRAGMA writable_schema = OFF;

-- The time of the latest use; NULL if it equals `rank`.
ALTER TABLE entries ADD COLUMN accessed_at INTEGER;

-- The host of the image's URL, in lower case; '' if the key is not a URL; NULL if not computed yet.
ALTER TABLE entries ADD COLUMN host TEXT;

-- The boot of the machine in which the blob was stored (`state.boots` counts them), and the milliseconds since that boot.
ALTER TABLE entries ADD COLUMN boot INTEGER;
ALTER TABLE entries ADD COLUMN uptime INTEGER;

-- When the server last confirmed the validators; NULL: when the entry was stored.
ALTER TABLE metadata ADD COLUMN checked_at INTEGER;
-- Seconds, of the response's Age (RFC 9111, 5.1).
ALTER TABLE metadata ADD COLUMN age INTEGER;
-- Seconds, of its Cache-Control (RFC 5861, 3).
ALTER TABLE metadata ADD COLUMN stale_while_revalidate INTEGER;
-- 1: its Cache-Control says must-revalidate or no-cache (RFC 9111, 5.2.2).
ALTER TABLE metadata ADD COLUMN must_revalidate INTEGER;

-- Copied instead of altered, because altering a table would make SQLite parse all views again.
CREATE TABLE former_totals AS SELECT * FROM totals;
DROP TABLE totals;
CREATE TABLE totals (
    id              INTEGER PRIMARY KEY CHECK (id = 1),
    entries         INTEGER,
    bytes           INTEGER,
    -- created_at, boot and uptime of the latest store.
    stored_at       INTEGER,
    slack           INTEGER,
    -- No entry expires before this moment; the largest integer when none expires at all.
    earliest_expiry INTEGER,
    -- The scan that is computing it; while a scan runs, earliest_expiry is not valid. NULL: no scan.
    expiry_scan     INTEGER,
    stored_boot     INTEGER,
    stored_uptime   INTEGER
);
INSERT INTO totals (id, entries, bytes, stored_at, slack, earliest_expiry)
SELECT id, entries, bytes, stored_at, slack, CASE entries WHEN 0 THEN 9223372036854775807 ELSE 0 END FROM former_totals;
DROP TABLE former_totals;

CREATE TABLE former_state AS SELECT * FROM state;
DROP TABLE state;
CREATE TABLE state (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    -- The identifier of the boot in which the index was last opened (NULL in a new index), and the number of that boot.
    boot           TEXT,
    boots          INTEGER NOT NULL,
    -- Entries stored up to this time were on disk when the cache was closed: by the clock, and by the time since boot.
    settled_at     INTEGER NOT NULL,
    settled_uptime INTEGER,
    index_inode    INTEGER,
    relearning     INTEGER NOT NULL,
    adoption       TEXT NOT NULL CHECK (adoption IN ('pending', 'rebuilding', 'done')),
    adopts_until   INTEGER NOT NULL,
    -- Stores that are not trusted after a power failure: those without a boot, in this span of time; those with a boot, in this
    -- span of boots and uptimes.
    distrust_from         INTEGER,
    distrust_until        INTEGER,
    distrust_boot         INTEGER,
    distrust_uptime       INTEGER,
    distrust_until_boot   INTEGER,
    distrust_until_uptime INTEGER,
    reconciled_at  INTEGER NOT NULL,
    legacy_names   INTEGER NOT NULL,
    -- The remaining steps of the upgrade to version 7, in this order: 4 the index by rank, 3 the former indexes, 2 hosts, 1 the tables of
    -- the former listing; 0: nothing.
    upgrading      INTEGER NOT NULL
);
INSERT INTO state (
    id, boot, boots, settled_at, index_inode, relearning, adoption, adopts_until, distrust_from, distrust_until,
    reconciled_at, legacy_names, upgrading
)
SELECT
    id, boot, 0, settled_at, index_inode, relearning, adoption, adopts_until, distrust_from, distrust_until,
    reconciled_at, legacy_names, 4
FROM former_state;
DROP TABLE former_state;

-- Bytes of evicted entries, and the sum of the milliseconds for which those entries had not been used.
ALTER TABLE statistics ADD COLUMN bytes_evicted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE statistics ADD COLUMN unused_evicted INTEGER NOT NULL DEFAULT 0;
-- Evictions by earlier versions, which the two columns above do not include.
ALTER TABLE statistics ADD COLUMN evictions_before INTEGER NOT NULL DEFAULT 0;
UPDATE statistics SET evictions_before = evictions;

CREATE TRIGGER entries_inserted AFTER INSERT ON entries BEGIN
    UPDATE totals SET
        entries = entries + 1, bytes = bytes + NEW.size, slack = slack + NEW.slack,
        -- A file that is taken over is not a store, and has no boot.
        stored_at = CASE WHEN NEW.boot IS NULL THEN stored_at ELSE NEW.created_at END,
        stored_boot = coalesce(NEW.boot, stored_boot), stored_uptime = coalesce(NEW.uptime, stored_uptime),
        earliest_expiry = min(earliest_expiry, coalesce(NEW.expires_at, earliest_expiry));
END;

CREATE TRIGGER entries_replaced AFTER UPDATE OF token, size ON entries BEGIN
    UPDATE totals SET
        bytes = bytes - OLD.size + NEW.size, slack = slack - OLD.slack + NEW.slack, stored_at = NEW.created_at,
        stored_boot = NEW.boot, stored_uptime = NEW.uptime,
        earliest_expiry = min(earliest_expiry, coalesce(NEW.expires_at, earliest_expiry));
END;

CREATE TRIGGER entries_expire_earlier AFTER UPDATE OF expires_at, pinned ON entries
WHEN NEW.expires_at < (SELECT earliest_expiry FROM totals) BEGIN
    UPDATE totals SET earliest_expiry = NEW.expires_at;
END;

CREATE TRIGGER entries_deleted AFTER DELETE ON entries BEGIN
    UPDATE totals SET entries = entries - 1, bytes = bytes - OLD.size, slack = slack - OLD.slack;
END;

-- Views for people. Each reads the whole table of entries; the cache itself uses none. Times are UTC and end with a Z.

CREATE VIEW cache_entries AS
SELECT
    key,
    CASE typeof(name)
        WHEN 'blob' THEN lower(hex(substr(name, 1, 32))) || CAST(substr(name, 33) AS TEXT)
        ELSE name
    END AS file,
    size,
    strftime('%Y-%m-%d %H:%M:%SZ', created_at / 1000.0, 'unixepoch') AS created,
    CASE WHEN hits > 0 THEN strftime('%Y-%m-%d %H:%M:%SZ', coalesce(accessed_at, rank) / 1000.0, 'unixepoch') END
        AS last_read,
    CASE WHEN pinned = 0 THEN strftime('%Y-%m-%d %H:%M:%SZ', expires_at / 1000.0, 'unixepoch') END AS expires,
    pinned = 0 AND coalesce(expires_at <= (julianday('now') - 2440587.5) * 86400000.0, 0) AS expired,
    pinned > 0 AS pinned,
    hits AS reads,
    substr(key, 1, base_length) AS image,
    substr(key, base_length + 2) AS processor,
    nullif(host, '') AS host,
    (SELECT group_concat(tag, ', ') FROM (SELECT tag FROM tags WHERE tags.id = entries.id ORDER BY tag)) AS tags,
    id
FROM entries;

-- The join keeps the order of the inner rows. Sorting again would compute all rows even if only the first ten are read.
CREATE VIEW cache_eviction_order AS
SELECT position, key, file, size, bytes_so_far, expired, created, last_read
FROM (
    SELECT row_number() OVER turn AS position, id, sum(size) OVER turn AS bytes_so_far
    FROM (
        SELECT id, rank, size, coalesce(expires_at <= (julianday('now') - 2440587.5) * 86400000.0, 0) AS is_expired
        FROM entries WHERE pinned = 0
    )
    WINDOW turn AS (ORDER BY is_expired DESC, rank, size, id)
) CROSS JOIN cache_entries USING (id);

CREATE VIEW cache_summary AS
SELECT
    totals.entries,
    totals.bytes,
    round(totals.bytes / 1000000.0, 1) AS megabytes,
    totals.bytes + totals.slack AS allocated_bytes,
    e.*,
    state.adoption
FROM totals, state, (
    SELECT
        coalesce(sum(expired), 0) AS expired_entries,
        coalesce(sum(size) FILTER (WHERE expired), 0) AS expired_bytes,
        coalesce(sum(pinned), 0) AS pinned_entries,
        coalesce(sum(size) FILTER (WHERE pinned), 0) AS pinned_bytes,
        round(avg(size)) AS average_size, min(created) AS oldest, max(created) AS newest, max(last_read) AS last_read
    FROM cache_entries
) AS e;

CREATE VIEW cache_hosts AS
SELECT
    CASE host WHEN '' THEN '(no address)' ELSE coalesce(host, '(unknown)') END AS host,
    count(*) AS entries, sum(size) AS bytes, sum(hits) AS reads
FROM entries GROUP BY 1 ORDER BY bytes DESC;

CREATE VIEW cache_processors AS
SELECT
    CASE processor WHEN '' THEN '(original)' ELSE coalesce(processor, '(unknown)') END AS processor,
    count(*) AS entries, sum(size) AS bytes, sum(reads) AS reads
FROM cache_entries GROUP BY 1 ORDER BY bytes DESC;

CREATE VIEW cache_images AS
SELECT
    image, count(*) AS variants, sum(size) AS bytes, sum(reads) AS reads, max(last_read) AS last_read
FROM cache_entries WHERE image IS NOT NULL GROUP BY image ORDER BY bytes DESC;

CREATE VIEW cache_sizes AS
WITH steps (size_from, size_below) AS (
    VALUES (0, 1000), (1000, 10000), (10000, 100000), (100000, 1000000), (1000000, 10000000), (10000000, NULL)
)
SELECT size_from, size_below, count(entries.id) AS entries, coalesce(sum(entries.size), 0) AS bytes
FROM steps
LEFT JOIN entries ON entries.size >= size_from AND (size_below IS NULL OR entries.size < size_below)
GROUP BY size_from ORDER BY size_from;

CREATE VIEW cache_ages AS
WITH steps (days_from, days_below) AS (VALUES (0, 1), (1, 7), (7, 30), (30, 90), (90, 365), (365, NULL)),
now (days) AS (SELECT julianday('now') - 2440587.5),
ages AS (
    SELECT size, days - created_at / 86400000.0 AS age, days - coalesce(accessed_at, rank) / 86400000.0 AS unused
    FROM entries, now
)
SELECT
    days_from, days_below,
    count(*) FILTER (WHERE (age >= days_from OR days_from = 0) AND age < coalesce(days_below, 1e9)) AS created_entries,
    coalesce(sum(size) FILTER (WHERE (age >= days_from OR days_from = 0) AND age < coalesce(days_below, 1e9)), 0) AS created_bytes,
    count(*) FILTER (WHERE (unused >= days_from OR days_from = 0) AND unused < coalesce(days_below, 1e9)) AS used_entries,
    coalesce(sum(size) FILTER (WHERE (unused >= days_from OR days_from = 0) AND unused < coalesce(days_below, 1e9)), 0) AS used_bytes
FROM steps LEFT JOIN ages
GROUP BY days_from ORDER BY days_from;

CREATE VIEW cache_expirations AS
SELECT substr(expires, 1, 10) || 'Z' AS day, count(*) AS entries, sum(size) AS bytes
FROM cache_entries GROUP BY 1 ORDER BY day IS NULL, day;

CREATE VIEW cache_tags AS
SELECT tag, count(*) AS entries, sum(size) AS bytes
FROM tags JOIN entries USING (id) GROUP BY tag ORDER BY tag;

CREATE VIEW cache_metadata AS
SELECT
    key, etag, last_modified, max_age, age, stale_while_revalidate, must_revalidate,
    strftime('%Y-%m-%d %H:%M:%SZ', coalesce(checked_at, stored_at) / 1000.0, 'unixepoch') AS checked, fields
FROM metadata JOIN entries USING (id)
WHERE stored_at = created_at ORDER BY key;

CREATE VIEW cache_statistics AS
SELECT
    hits, misses, round(100.0 * hits / nullif(hits + misses, 0), 1) AS hit_percent, stores, removals, evictions,
    expirations, bytes_read, bytes_written, bytes_evicted,
    round(unused_evicted / 86400000.0 / nullif(evictions - evictions_before, 0), 2) AS days_unused_when_evicted,
    CASE WHEN since > 0 THEN strftime('%Y-%m-%d %H:%M:%SZ', since / 1000.0, 'unixepoch') END AS since
FROM statistics;

CREATE VIEW cache_check AS
SELECT
    entries AS noted_entries, count(id) AS counted_entries, bytes AS noted_bytes, coalesce(sum(size), 0) AS counted_bytes,
    CASE WHEN entries = count(id) AND bytes = coalesce(sum(size), 0) THEN 'yes' ELSE 'no' END AS is_right
FROM (SELECT entries, bytes FROM totals) LEFT JOIN (SELECT id, size FROM entries);

CREATE VIEW cache_versions AS
SELECT
    version, name AS migration, strftime('%Y-%m-%d %H:%M:%SZ', applied_at / 1000.0, 'unixepoch') AS applied, oldest_reader
FROM schema_migrations ORDER BY version;

-- Descriptions of the tables and views. They are tables, because SQLite parses views whenever the file is opened.

CREATE TABLE cache_help (
    name      TEXT NOT NULL,
    question  TEXT NOT NULL,
    statement TEXT NOT NULL,
    units     TEXT NOT NULL DEFAULT 'bytes; dates in UTC; cache_schema lists the unit of each column',
    access    TEXT NOT NULL DEFAULT 'read only; only the cache writes to the tables'
);
INSERT INTO cache_help (name, question, statement) VALUES
    ('cache_summary', 'How many entries and bytes are there?',
        'SELECT entries, bytes FROM cache_summary'),
    ('cache_entries', 'Which are the five largest?',
        'SELECT key, size FROM cache_entries ORDER BY size DESC LIMIT 5'),
    ('cache_eviction_order', 'What is evicted next?',
        'SELECT * FROM cache_eviction_order LIMIT 10'),
    ('cache_summary', 'What has expired, and how many bytes?',
        'SELECT expired_entries, expired_bytes FROM cache_summary'),
    ('cache_entries', 'What expires within seven days?',
        'SELECT key, expires FROM cache_entries WHERE expires <= datetime(''now'', ''+7 days'') || ''Z'' AND NOT expired ORDER BY expires'),
    ('cache_expirations', 'How much expires on which day?',
        'SELECT * FROM cache_expirations'),
    ('cache_hosts', 'How many bytes are from each host?',
        'SELECT host, bytes FROM cache_hosts'),
    ('cache_images', 'Was any variant of an image read today?',
        'SELECT last_read >= date(''now'') AS read_today FROM cache_images WHERE image = ''https://example.com/a.png'''),
    ('cache_entries', 'Which keys were read, and when?',
        'SELECT key, last_read FROM cache_entries WHERE last_read IS NOT NULL ORDER BY last_read DESC'),
    ('cache_processors', 'Which processors are there, with how many entries?',
        'SELECT processor, entries FROM cache_processors'),
    ('cache_versions', 'Which schema version is it, and when was each applied?',
        'SELECT version, applied FROM cache_versions'),
    ('cache_check', 'Are the recorded totals correct?',
        'SELECT * FROM cache_check'),
    ('cache_statistics', 'What is the hit rate, and since when?',
        'SELECT hit_percent, since FROM cache_statistics'),
    ('cache_entries', 'What is pinned?',
        'SELECT key, size FROM cache_entries WHERE pinned'),
    ('cache_entries', 'Which variants does an image have?',
        'SELECT processor, size FROM cache_entries WHERE image = ''https://example.com/a.png'''),
    ('cache_sizes', 'How large are the entries?',
        'SELECT * FROM cache_sizes'),
    ('cache_summary', 'What is the average size?',
        'SELECT average_size FROM cache_summary'),
    ('cache_ages', 'How long ago were entries stored, and used?',
        'SELECT * FROM cache_ages'),
    ('cache_tags', 'How many entries have each tag?',
        'SELECT * FROM cache_tags'),
    ('cache_metadata', 'Which HTTP validators and app metadata do entries have?',
        'SELECT * FROM cache_metadata'),
    ('cache_schema', 'What does a column mean?',
        'SELECT * FROM cache_schema WHERE table_name = ''cache_entries''');

CREATE TABLE cache_schema (
    table_name  TEXT NOT NULL,
    column_name TEXT NOT NULL,
    unit        TEXT NOT NULL,
    meaning     TEXT NOT NULL,
    written_by  TEXT NOT NULL
);
INSERT INTO cache_schema (table_name, column_name, unit, meaning, written_by) VALUES
    ('entries', 'id', '', '63 bits of the SHA-256 of the file name', 'store, adoption'),
    ('entries', 'name', 'text or blob', 'file name of the blob; 64 leading hexadecimal digits are stored as 32 bytes', 'store, adoption'),
    ('entries', 'key', 'text', 'the cache key; NULL: unknown, because the key was not used since the file was taken over, or because keys are not stored', 'store, read'),
    ('entries', 'token', '', 'random, new for each store; token % 999 + 1 is the microseconds of the blob''s modification date', 'store'),
    ('entries', 'inode', '', 'inode number of the blob; NULL if the volume does not keep inode numbers', 'store, sweep'),
    ('entries', 'size', 'bytes', 'size of the blob', 'store, adoption'),
    ('entries', 'created_at', 'ms since 1970, UTC', 'time of the store', 'store, adoption'),
    ('entries', 'rank', 'ms since 1970, UTC', 'entries are evicted in this order, the lowest first; under LRU the latest use', 'store, read'),
    ('entries', 'expires_at', 'ms since 1970, UTC', 'NULL: never', 'store, read'),
    ('entries', 'time_to_live', 'ms', 'the duration that a read restarts; NULL if expires_at is not: reads do not extend the expiration', 'store, read'),
    ('entries', 'pinned', '', 'not 0: neither evicted nor expired', 'app'),
    ('entries', 'hits', 'count', 'reads since the store', 'read'),
    ('entries', 'slack', 'bytes', 'bytes that the volume has allocated beyond size', 'store, adoption'),
    ('entries', 'source', '', 'the image: 63 bits of the SHA-256 of the image''s key; NULL: unknown', 'store, read'),
    ('entries', 'base_length', 'characters', 'length of the image''s key within key; after it come @ and the identifier of the processor; NULL: unknown', 'store, read'),
    ('entries', 'accessed_at', 'ms since 1970, UTC', 'time of the latest use; NULL: the same as rank', 'store, read'),
    ('entries', 'host', 'text', 'host of the image''s URL, in lower case; empty: not a URL; NULL: unknown or not computed yet', 'store, read, sweep'),
    ('entries', 'boot', '', 'state.boots at the store; NULL: stored by an earlier version, or taken over', 'store'),
    ('entries', 'uptime', 'ms since the boot', 'time of the store', 'store'),
    ('totals', 'id', '', '1', 'migration'),
    ('totals', 'entries', 'count', 'the number of entries', 'triggers'),
    ('totals', 'bytes', 'bytes', 'the sum of entries.size', 'triggers'),
    ('totals', 'stored_at', 'ms since 1970, UTC', 'created_at of the latest store', 'triggers'),
    ('totals', 'slack', 'bytes', 'the sum of entries.slack', 'triggers'),
    ('totals', 'earliest_expiry', 'ms since 1970, UTC', 'no entry expires before this time', 'triggers, cleaning'),
    ('totals', 'expiry_scan', '', 'the scan that is computing earliest_expiry, which is not valid until the scan ends; NULL: no scan', 'cleaning'),
    ('totals', 'stored_boot', '', 'boot of the latest store', 'triggers'),
    ('totals', 'stored_uptime', 'ms since the boot', 'uptime of the latest store', 'triggers'),
    ('state', 'id', '', '1', 'migration'),
    ('state', 'boot', 'text', 'identifies the boot of the machine in which the index was last opened; NULL: new', 'opening'),
    ('state', 'boots', 'count', 'the number of that boot', 'opening'),
    ('state', 'settled_at', 'ms since 1970, UTC', 'entries stored up to this time were on disk when the cache was closed', 'closing'),
    ('state', 'settled_uptime', 'ms since the boot', 'the same, as time since the boot', 'closing'),
    ('state', 'index_inode', '', 'inode number of this file; if the file has another one, the directory is a copy', 'opening'),
    ('state', 'relearning', '0 or 1', '1 while the inode numbers of a copied directory are being recorded', 'opening, sweep'),
    ('state', 'adoption', 'text', 'pending or rebuilding while files without a row are being taken over, then done', 'opening, sweep'),
    ('state', 'adopts_until', 'ms since 1970, UTC', 'files whose inode changed later are not adopted', 'opening'),
    ('state', 'distrust_from', 'ms since 1970, UTC', 'start of the time span whose stores without a boot are not trusted after a power failure; NULL: none', 'opening, sweep'),
    ('state', 'distrust_until', 'ms since 1970, UTC', 'end of that time span', 'opening, sweep'),
    ('state', 'distrust_boot', '', 'stores from this boot and uptime on are not trusted after a power failure; NULL: none', 'opening, sweep'),
    ('state', 'distrust_uptime', 'ms since the boot', 'see distrust_boot', 'opening, sweep'),
    ('state', 'distrust_until_boot', '', 'up to this boot and uptime', 'opening, sweep'),
    ('state', 'distrust_until_uptime', 'ms since the boot', 'see distrust_until_boot', 'opening, sweep'),
    ('state', 'reconciled_at', 'ms since 1970, UTC', 'when files were last compared with the rows', 'sweep'),
    ('state', 'legacy_names', '', '2 until a directory of schema 1 is searched for names of Kingfisher 7, otherwise 0 or 1', 'sweep'),
    ('state', 'upgrading', '', 'remaining steps of the upgrade to version 7: 4 the index by rank, 3 former indexes, 2 hosts, 1 former tables, 0 none', 'sweep'),
    ('statistics', 'id', '', '1', 'migration'),
    ('statistics', 'since', 'ms since 1970, UTC', 'when counting began; 0: nothing was counted', 'read'),
    ('statistics', 'hits', 'count', '', 'read'),
    ('statistics', 'misses', 'count', '', 'read'),
    ('statistics', 'stores', 'count', '', 'store'),
    ('statistics', 'removals', 'count', 'entries removed by callers', 'removal'),
    ('statistics', 'evictions', 'count', 'entries removed because a limit was exceeded', 'cleaning'),
    ('statistics', 'expirations', 'count', 'entries removed because they had expired', 'cleaning'),
    ('statistics', 'bytes_read', 'bytes', '', 'read'),
    ('statistics', 'bytes_written', 'bytes', '', 'store'),
    ('statistics', 'bytes_evicted', 'bytes', '', 'cleaning'),
    ('statistics', 'unused_evicted', 'ms', 'sum of the times for which evicted entries had not been used', 'cleaning'),
    ('statistics', 'evictions_before', 'count', 'evictions by earlier versions, which bytes_evicted and unused_evicted do not include', 'migration'),
    ('metadata', 'id', '', 'entries.id', 'app'),
    ('metadata', 'stored_at', 'ms since 1970, UTC', 'entries.created_at; if it differs, the row is out of date', 'app'),
    ('metadata', 'etag', 'text', 'response header (RFC 9110, 8.8.3)', 'app'),
    ('metadata', 'last_modified', 'text', 'response header (RFC 9110, 8.8.2)', 'app'),
    ('metadata', 'max_age', 's', 'for how long a response is fresh (RFC 9111, 5.2.2.1)', 'app'),
    ('metadata', 'fields', 'JSON', 'an object of texts', 'app'),
    ('metadata', 'checked_at', 'ms since 1970, UTC', 'when the server last confirmed it; NULL: at the store', 'app'),
    ('metadata', 'age', 's', 'of the response on arrival (RFC 9111, 5.1)', 'app'),
    ('metadata', 'stale_while_revalidate', 's', 'how long it may be used while it is being validated (RFC 5861, 3)', 'app'),
    ('metadata', 'must_revalidate', '0 or 1', '1: must be validated before use once it is stale (RFC 9111, 5.2.2.2)', 'app'),
    ('tags', 'tag', 'text', '', 'app'),
    ('tags', 'id', '', 'entries.id', 'app'),
    ('schema_migrations', 'version', '', 'of the schema', 'migration'),
    ('schema_migrations', 'name', 'text', 'the file in Migrations', 'migration'),
    ('schema_migrations', 'checksum', 'hexadecimal', 'SHA-256 of that file', 'migration'),
    ('schema_migrations', 'applied_at', 'ms since 1970, UTC', '', 'migration'),
    ('schema_migrations', 'oldest_reader', '', 'the oldest version that can use an index with this change', 'migration'),
    ('cache_help', 'name', 'text', 'the view that has the answer', 'migration'),
    ('cache_help', 'question', 'text', 'a question about the cache', 'migration'),
    ('cache_help', 'statement', 'SQL', 'the statement that answers it', 'migration'),
    ('cache_help', 'units', 'text', 'the units of the result', 'migration'),
    ('cache_help', 'access', 'text', 'whether you may write to it', 'migration'),
    ('cache_schema', 'table_name', 'text', 'a table or a view', 'migration'),
    ('cache_schema', 'column_name', 'text', '', 'migration'),
    ('cache_schema', 'unit', 'text', '', 'migration'),
    ('cache_schema', 'meaning', 'text', '', 'migration'),
    ('cache_schema', 'written_by', 'text', 'the operations that write it; view: calculated', 'migration'),
    ('cache_entries', 'key', 'text', 'the cache key; NULL: not known', 'view'),
    ('cache_entries', 'file', 'text', 'the blob''s name in the cache''s folder', 'view'),
    ('cache_entries', 'size', 'bytes', 'of the blob', 'view'),
    ('cache_entries', 'created', 'UTC', 'when it was stored', 'view'),
    ('cache_entries', 'last_read', 'UTC', 'NULL: not since the store', 'view'),
    ('cache_entries', 'expires', 'UTC', 'NULL: never, or pinned', 'view'),
    ('cache_entries', 'expired', '0 or 1', '1: a miss now', 'view'),
    ('cache_entries', 'pinned', '0 or 1', '1: neither evicted nor expired', 'view'),
    ('cache_entries', 'reads', 'count', 'since the store', 'view'),
    ('cache_entries', 'image', 'text', 'the image''s own key; NULL: not known', 'view'),
    ('cache_entries', 'processor', 'text', 'identifier; empty: the original; NULL: not known', 'view'),
    ('cache_entries', 'host', 'text', 'of the address; NULL: none, or not known', 'view'),
    ('cache_entries', 'tags', 'text', 'separated by commas', 'view'),
    ('cache_entries', 'id', '', 'entries.id', 'view'),
    ('cache_eviction_order', 'position', 'count', '1 is evicted first: expired entries, then the least recently used; pinned entries are not listed', 'view'),
    ('cache_eviction_order', 'key', 'text', 'the cache key; NULL: not known', 'view'),
    ('cache_eviction_order', 'file', 'text', 'the blob''s name', 'view'),
    ('cache_eviction_order', 'size', 'bytes', '', 'view'),
    ('cache_eviction_order', 'bytes_so_far', 'bytes', 'bytes freed by evicting all entries up to this one', 'view'),
    ('cache_eviction_order', 'expired', '0 or 1', '1: a miss now', 'view'),
    ('cache_eviction_order', 'created', 'UTC', 'when it was stored', 'view'),
    ('cache_eviction_order', 'last_read', 'UTC', 'NULL: not since the store', 'view'),
    ('cache_summary', 'entries', 'count', '', 'view'),
    ('cache_summary', 'bytes', 'bytes', '', 'view'),
    ('cache_summary', 'megabytes', '1,000,000 bytes', '', 'view'),
    ('cache_summary', 'allocated_bytes', 'bytes', 'bytes allocated on the volume, in whole blocks', 'view'),
    ('cache_summary', 'expired_entries', 'count', '', 'view'),
    ('cache_summary', 'expired_bytes', 'bytes', '', 'view'),
    ('cache_summary', 'pinned_entries', 'count', '', 'view'),
    ('cache_summary', 'pinned_bytes', 'bytes', '', 'view'),
    ('cache_summary', 'average_size', 'bytes', '', 'view'),
    ('cache_summary', 'oldest', 'UTC', 'the earliest store', 'view'),
    ('cache_summary', 'newest', 'UTC', 'the latest store', 'view'),
    ('cache_summary', 'last_read', 'UTC', 'of any entry', 'view'),
    ('cache_summary', 'adoption', 'text', 'done, or the state of taking over files without a row', 'view'),
    ('cache_hosts', 'host', 'text', 'the host, (no address) for keys that are not URLs, or (unknown)', 'view'),
    ('cache_hosts', 'entries', 'count', '', 'view'),
    ('cache_hosts', 'bytes', 'bytes', '', 'view'),
    ('cache_hosts', 'reads', 'count', 'since each entry''s store', 'view'),
    ('cache_processors', 'processor', 'text', 'the identifier of the processor, (original), or (unknown)', 'view'),
    ('cache_processors', 'entries', 'count', '', 'view'),
    ('cache_processors', 'bytes', 'bytes', '', 'view'),
    ('cache_processors', 'reads', 'count', 'since each entry''s store', 'view'),
    ('cache_images', 'image', 'text', 'the key of the image; entries whose image is unknown are not listed', 'view'),
    ('cache_images', 'variants', 'count', 'entries, the original included', 'view'),
    ('cache_images', 'bytes', 'bytes', '', 'view'),
    ('cache_images', 'reads', 'count', 'since each entry''s store', 'view'),
    ('cache_images', 'last_read', 'UTC', 'of any variant', 'view'),
    ('cache_sizes', 'size_from', 'bytes', '', 'view'),
    ('cache_sizes', 'size_below', 'bytes', 'NULL: no end', 'view'),
    ('cache_sizes', 'entries', 'count', '', 'view'),
    ('cache_sizes', 'bytes', 'bytes', '', 'view'),
    ('cache_ages', 'days_from', 'days', '', 'view'),
    ('cache_ages', 'days_below', 'days', 'NULL: no end', 'view'),
    ('cache_ages', 'created_entries', 'count', 'stored so long ago', 'view'),
    ('cache_ages', 'created_bytes', 'bytes', '', 'view'),
    ('cache_ages', 'used_entries', 'count', 'stored or read last so long ago', 'view'),
    ('cache_ages', 'used_bytes', 'bytes', '', 'view'),
    ('cache_expirations', 'day', 'UTC day', 'NULL: never, or pinned', 'view'),
    ('cache_expirations', 'entries', 'count', '', 'view'),
    ('cache_expirations', 'bytes', 'bytes', '', 'view'),
    ('cache_tags', 'tag', 'text', '', 'view'),
    ('cache_tags', 'entries', 'count', '', 'view'),
    ('cache_tags', 'bytes', 'bytes', '', 'view'),
    ('cache_metadata', 'key', 'text', 'the cache key; NULL: not known', 'view'),
    ('cache_metadata', 'etag', 'text', 'response header', 'view'),
    ('cache_metadata', 'last_modified', 'text', 'response header', 'view'),
    ('cache_metadata', 'max_age', 's', 'for how long a response is fresh', 'view'),
    ('cache_metadata', 'age', 's', 'of the response on arrival', 'view'),
    ('cache_metadata', 'stale_while_revalidate', 's', 'for how long it may be used while it is checked', 'view'),
    ('cache_metadata', 'must_revalidate', '0 or 1', '1: not to be used unchecked once it is stale', 'view'),
    ('cache_metadata', 'checked', 'UTC', 'stored, or last confirmed by the server', 'view'),
    ('cache_metadata', 'fields', 'JSON', 'an object of texts', 'view'),
    ('cache_statistics', 'hits', 'count', '', 'view'),
    ('cache_statistics', 'misses', 'count', '', 'view'),
    ('cache_statistics', 'hit_percent', 'percent', 'NULL: no lookups yet', 'view'),
    ('cache_statistics', 'stores', 'count', '', 'view'),
    ('cache_statistics', 'removals', 'count', 'entries removed by callers', 'view'),
    ('cache_statistics', 'evictions', 'count', 'entries removed because a limit was exceeded', 'view'),
    ('cache_statistics', 'expirations', 'count', 'entries removed because they had expired', 'view'),
    ('cache_statistics', 'bytes_read', 'bytes', '', 'view'),
    ('cache_statistics', 'bytes_written', 'bytes', '', 'view'),
    ('cache_statistics', 'bytes_evicted', 'bytes', '', 'view'),
    ('cache_statistics', 'days_unused_when_evicted', 'days', 'on average', 'view'),
    ('cache_statistics', 'since', 'UTC', 'when counting began; NULL: nothing was counted', 'view'),
    ('cache_check', 'noted_entries', 'count', 'the recorded total, which the cache uses', 'view'),
    ('cache_check', 'counted_entries', 'count', '', 'view'),
    ('cache_check', 'noted_bytes', 'bytes', 'the recorded total, which the cache uses', 'view'),
    ('cache_check', 'counted_bytes', 'bytes', '', 'view'),
    ('cache_check', 'is_right', 'yes or no', 'whether they match; the cache recounts once a day, and if an eviction finds too few bytes', 'view'),
    ('cache_versions', 'version', '', 'of the schema', 'view'),
    ('cache_versions', 'migration', 'text', 'the file in Migrations', 'view'),
    ('cache_versions', 'applied', 'UTC', '', 'view'),
    ('cache_versions', 'oldest_reader', '', 'the oldest version that can use an index with this change', 'view');

"""#
    static let V0008__copy_less = #"""
-- Expirations are compared without min(). A function can fail, so SQLite copied each changed page before the statement, to undo
-- it alone. A store does not need that, because its whole transaction is undone.

DROP TRIGGER IF EXISTS entries_inserted;
CREATE TRIGGER entries_inserted AFTER INSERT ON entries BEGIN
    UPDATE totals SET
        entries = entries + 1, bytes = bytes + NEW.size, slack = slack + NEW.slack,
        -- A file that is taken over is not a store, and has no boot.
        stored_at = CASE WHEN NEW.boot IS NULL THEN stored_at ELSE NEW.created_at END,
        stored_boot = coalesce(NEW.boot, stored_boot), stored_uptime = coalesce(NEW.uptime, stored_uptime),
        earliest_expiry = CASE WHEN NEW.expires_at < earliest_expiry THEN NEW.expires_at ELSE earliest_expiry END;
END;
DROP TRIGGER IF EXISTS entries_replaced;
CREATE TRIGGER entries_replaced AFTER UPDATE OF token, size ON entries BEGIN
    UPDATE totals SET
        bytes = bytes - OLD.size + NEW.size, slack = slack - OLD.slack + NEW.slack, stored_at = NEW.created_at,
        stored_boot = NEW.boot, stored_uptime = NEW.uptime,
        earliest_expiry = CASE WHEN NEW.expires_at < earliest_expiry THEN NEW.expires_at ELSE earliest_expiry END;
END;

"""#
}
