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
