-- Fewer pages a store, an index that explains itself (SELECT * FROM cache_help), and the columns that later work needs.
--
-- Nothing here depends on how many entries there are: rows are filled in, indexes replaced and the tables of the former
-- listing dropped later, in batches, and `state.upgrading` says what is left of it.

DROP VIEW cache_origins;
DROP VIEW cache_entries;
DROP VIEW cache_summary;
DROP VIEW cache_sites;
DROP VIEW cache_processors;
DROP VIEW cache_images;
DROP VIEW cache_sizes;
DROP VIEW cache_ages;
DROP VIEW cache_expirations;
DROP VIEW cache_tags;
DROP VIEW cache_metadata;
DROP VIEW cache_statistics;

DROP TRIGGER entries_inserted;
DROP TRIGGER entries_replaced;
DROP TRIGGER entries_deleted;
DROP TRIGGER entries_inserted_unlisted;
DROP TRIGGER entries_changed_unlisted;
DROP TRIGGER entries_renamed_unlisted;
DROP TRIGGER entries_deleted_unlisted;

-- Entries go in the order of `rank`, the lowest first. Under LRU it is the time of the latest use; the column keeps its
-- place in the table and in the index.
ALTER TABLE entries RENAME COLUMN accessed_at TO rank;

-- The latest use where it is not `rank`. NULL: it is.
ALTER TABLE entries ADD COLUMN accessed_at INTEGER;

-- Of the image's address, in lower case; '' where the key is none. NULL: not yet worked out.
ALTER TABLE entries ADD COLUMN host TEXT;

-- The boot of the machine in which the blob was stored (`state.boots` counts them), and the milliseconds since that boot.
ALTER TABLE entries ADD COLUMN boot INTEGER;
ALTER TABLE entries ADD COLUMN uptime INTEGER;

-- When the server has confirmed the validators last; NULL: at the store.
ALTER TABLE metadata ADD COLUMN checked_at INTEGER;
-- Seconds, of the response's Age (RFC 9111, 5.1).
ALTER TABLE metadata ADD COLUMN age INTEGER;
-- Seconds, of its Cache-Control (RFC 5861, 3).
ALTER TABLE metadata ADD COLUMN stale_while_revalidate INTEGER;
-- 1: its Cache-Control says must-revalidate or no-cache (RFC 9111, 5.2.2).
ALTER TABLE metadata ADD COLUMN must_revalidate INTEGER;

CREATE TABLE totals_7 (
    id              INTEGER PRIMARY KEY CHECK (id = 1),
    entries         INTEGER,
    bytes           INTEGER,
    -- created_at, boot and uptime of the latest store.
    stored_at       INTEGER,
    slack           INTEGER,
    -- No entry expires before this moment; the largest integer when none expires at all. 0: nobody has looked.
    earliest_expiry INTEGER,
    stored_boot     INTEGER,
    stored_uptime   INTEGER
);
INSERT INTO totals_7 (id, entries, bytes, stored_at, slack, earliest_expiry)
SELECT id, entries, bytes, stored_at, slack, 0 FROM totals;
DROP TABLE totals;
ALTER TABLE totals_7 RENAME TO totals;

CREATE TABLE state_7 (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    -- The boot of the machine the index was last opened in, and how many there were; NULL in a new index.
    boot           TEXT,
    boots          INTEGER NOT NULL,
    -- What was stored up to here had been written by the system when the cache was closed: by the clock, and by the time
    -- since the boot.
    settled_at     INTEGER NOT NULL,
    settled_uptime INTEGER,
    index_inode    INTEGER,
    relearning     INTEGER NOT NULL,
    adoption       TEXT NOT NULL CHECK (adoption IN ('pending', 'rebuilding', 'done')),
    adopts_until   INTEGER NOT NULL,
    -- What is not trusted: stores without a boot in this span, and those from this boot and uptime on, up to the latest
    -- store when the boot was noted.
    distrust_from   INTEGER,
    distrust_until  INTEGER,
    distrust_boot   INTEGER,
    distrust_uptime INTEGER,
    reconciled_at  INTEGER NOT NULL,
    legacy_names   INTEGER NOT NULL,
    -- What is left of the upgrade to version 7, in this order: 3 the indexes, 2 hosts, 1 the former listing; 0: nothing.
    upgrading      INTEGER NOT NULL
);
INSERT INTO state_7 (
    id, boot, boots, settled_at, index_inode, relearning, adoption, adopts_until, distrust_from, distrust_until,
    reconciled_at, legacy_names, upgrading
)
SELECT
    id, boot, 0, settled_at, index_inode, relearning, adoption, adopts_until, distrust_from, distrust_until,
    reconciled_at, legacy_names, 3
FROM state;
DROP TABLE state;
ALTER TABLE state_7 RENAME TO state;

-- Bytes that evictions took, and the milliseconds for which their entries had not been used.
ALTER TABLE statistics ADD COLUMN bytes_evicted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE statistics ADD COLUMN unused_evicted INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER entries_inserted AFTER INSERT ON entries BEGIN
    UPDATE totals SET
        entries = entries + 1, bytes = bytes + NEW.size, slack = slack + NEW.slack, stored_at = NEW.created_at,
        stored_boot = NEW.boot, stored_uptime = NEW.uptime,
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

-- Views for people. Each reads the whole table of entries; the cache itself uses none. Times are UTC, and end with a Z.

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
    CASE WHEN pinned = 0 AND expires_at <= (julianday('now') - 2440587.5) * 86400000.0 THEN 'yes' ELSE 'no' END
        AS expired,
    CASE WHEN pinned > 0 THEN 'yes' ELSE 'no' END AS pinned,
    hits AS reads,
    substr(key, 1, base_length) AS image,
    substr(key, base_length + 2) AS processor,
    nullif(host, '') AS host,
    (SELECT group_concat(tag, ', ') FROM (SELECT tag FROM tags WHERE tags.id = entries.id ORDER BY tag)) AS tags,
    id
FROM entries;

CREATE VIEW cache_eviction_order AS
SELECT
    row_number() OVER turn AS position, c.key, file, e.size, sum(e.size) OVER turn AS bytes_so_far, expired, last_read
FROM entries AS e JOIN cache_entries AS c USING (id)
WHERE e.pinned = 0
WINDOW turn AS (ORDER BY e.rank, e.size, id)
ORDER BY position;

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
        coalesce(sum(expired = 'yes'), 0) AS expired_entries,
        coalesce(sum(size) FILTER (WHERE expired = 'yes'), 0) AS expired_bytes,
        coalesce(sum(pinned = 'yes'), 0) AS pinned_entries,
        coalesce(sum(size) FILTER (WHERE pinned = 'yes'), 0) AS pinned_bytes,
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
    count(*) FILTER (WHERE age >= days_from AND age < coalesce(days_below, 1e9)) AS created_entries,
    coalesce(sum(size) FILTER (WHERE age >= days_from AND age < coalesce(days_below, 1e9)), 0) AS created_bytes,
    count(*) FILTER (WHERE unused >= days_from AND unused < coalesce(days_below, 1e9)) AS used_entries,
    coalesce(sum(size) FILTER (WHERE unused >= days_from AND unused < coalesce(days_below, 1e9)), 0) AS used_bytes
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
    round(unused_evicted / 86400000.0 / nullif(evictions, 0), 2) AS days_unused_when_evicted,
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
