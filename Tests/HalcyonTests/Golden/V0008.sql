-- An index of schema version 8, as text. Written by Scripts/golden; never changed.
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
INSERT INTO schema_migrations VALUES(6,'V0006__show_more.sql','009d673fb5abd07ec2c7dc75be8711dabbc364878727e5eb8a354bb7b95da62b',1,1760000000000);
INSERT INTO schema_migrations VALUES(7,'V0007__explain_itself.sql','4ccc1f575982ca9b655b76bd7f07270c284c43e5b06ff9f241e0edb6dd997d98',7,1760000000000);
INSERT INTO schema_migrations VALUES(8,'V0008__copy_less.sql','bc82ded356d93c98b385798f8dd73349f1587119446c7a53691b13441d5f3989',7,1760000000000);
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
    rank  INTEGER NOT NULL,
    -- NULL: never.
    expires_at   INTEGER,
    -- What reading begins again; NULL: never expires.
    time_to_live INTEGER,
    -- Not 0: neither evicted nor expired by cleaning.
    pinned       INTEGER NOT NULL DEFAULT 0 CHECK (pinned >= 0)
, hits INTEGER NOT NULL DEFAULT 0, slack INTEGER NOT NULL DEFAULT 0, source INTEGER, base_length INTEGER, accessed_at INTEGER, host TEXT, boot INTEGER, uptime INTEGER);
INSERT INTO entries VALUES(1917903326430146268,'höhle 🦊','höhle 🦊',1003,13,0,1760000000002,1760000000002,NULL,NULL,0,0,0,NULL,NULL,NULL,'',NULL,NULL);
INSERT INTO entries VALUES(2397255437567974032,X'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad2e706e67',NULL,1002,12,1,1760000000001,1760000000500,1760604800001,604800000,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO entries VALUES(6006747928771168233,'large','large',9223372036854775807,NULL,5368709120,1760000000003,1760000000003,253402300799999,1,1,9223372036854775807,-4096,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO entries VALUES(8371974080835566578,X'494a30704d4f32ac0b81739d18a66d3638d440cbc6f5669f6af66f840edee5ab','https://example.com/a.png',1001,11,6,1760000000000,1760000001000,1760604800000,604800000,0,7,4090,5281086771936834220,25,1760000000900,'example.com',3,86400000);
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
, bytes_evicted INTEGER NOT NULL DEFAULT 0, unused_evicted INTEGER NOT NULL DEFAULT 0, evictions_before INTEGER NOT NULL DEFAULT 0);
INSERT INTO statistics VALUES(1,1760000000000,1,2,3,4,5,6,7,8,9,10,0);
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
, checked_at INTEGER, age INTEGER, stale_while_revalidate INTEGER, must_revalidate INTEGER);
INSERT INTO metadata VALUES(1917903326430146268,1759999999999,'"old"',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metadata VALUES(8371974080835566578,1760000000000,'"33a64df5"','Wed, 21 Oct 2015 07:28:00 GMT',3600,'{"width":"320"}',1760000000500,60,120,1);
CREATE TABLE tags (
    tag TEXT NOT NULL,
    -- The entry's.
    id  INTEGER NOT NULL,
    PRIMARY KEY (tag, id)
) WITHOUT ROWID;
INSERT INTO tags VALUES('offline',6006747928771168233);
INSERT INTO tags VALUES('höhle',8371974080835566578);
INSERT INTO tags VALUES('offline',8371974080835566578);
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
INSERT INTO totals VALUES(1,4,5368709127,1760000000003,-6,1760604800000,NULL,3,86400000);
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
INSERT INTO state VALUES(1,'boot',3,0,0,1,0,'done',1760000000000,NULL,NULL,NULL,NULL,NULL,NULL,1760000000000,1,0);
CREATE TABLE cache_help (
    name      TEXT NOT NULL,
    question  TEXT NOT NULL,
    statement TEXT NOT NULL,
    units     TEXT NOT NULL DEFAULT 'bytes; dates in UTC; cache_schema lists the unit of each column',
    access    TEXT NOT NULL DEFAULT 'read only; only the cache writes to the tables'
);
INSERT INTO cache_help VALUES('cache_summary','How many entries and bytes are there?','SELECT entries, bytes FROM cache_summary','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_entries','Which are the five largest?','SELECT key, size FROM cache_entries ORDER BY size DESC LIMIT 5','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_eviction_order','What is evicted next?','SELECT * FROM cache_eviction_order LIMIT 10','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_summary','What has expired, and how many bytes?','SELECT expired_entries, expired_bytes FROM cache_summary','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_entries','What expires within seven days?','SELECT key, expires FROM cache_entries WHERE expires <= datetime(''now'', ''+7 days'') || ''Z'' AND NOT expired ORDER BY expires','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_expirations','How much expires on which day?','SELECT * FROM cache_expirations','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_hosts','How many bytes are from each host?','SELECT host, bytes FROM cache_hosts','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_images','Was any variant of an image read today?','SELECT last_read >= date(''now'') AS read_today FROM cache_images WHERE image = ''https://example.com/a.png''','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_entries','Which keys were read, and when?','SELECT key, last_read FROM cache_entries WHERE last_read IS NOT NULL ORDER BY last_read DESC','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_processors','Which processors are there, with how many entries?','SELECT processor, entries FROM cache_processors','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_versions','Which schema version is it, and when was each applied?','SELECT version, applied FROM cache_versions','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_check','Are the recorded totals correct?','SELECT * FROM cache_check','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_statistics','What is the hit rate, and since when?','SELECT hit_percent, since FROM cache_statistics','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_entries','What is pinned?','SELECT key, size FROM cache_entries WHERE pinned','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_entries','Which variants does an image have?','SELECT processor, size FROM cache_entries WHERE image = ''https://example.com/a.png''','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_sizes','How large are the entries?','SELECT * FROM cache_sizes','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_summary','What is the average size?','SELECT average_size FROM cache_summary','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_ages','How long ago were entries stored, and used?','SELECT * FROM cache_ages','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_tags','How many entries have each tag?','SELECT * FROM cache_tags','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_metadata','Which HTTP validators and app metadata do entries have?','SELECT * FROM cache_metadata','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
INSERT INTO cache_help VALUES('cache_schema','What does a column mean?','SELECT * FROM cache_schema WHERE table_name = ''cache_entries''','bytes; dates in UTC; cache_schema lists the unit of each column','read only; only the cache writes to the tables');
CREATE TABLE cache_schema (
    table_name  TEXT NOT NULL,
    column_name TEXT NOT NULL,
    unit        TEXT NOT NULL,
    meaning     TEXT NOT NULL,
    written_by  TEXT NOT NULL
);
INSERT INTO cache_schema VALUES('entries','id','','63 bits of the SHA-256 of the file name','store, adoption');
INSERT INTO cache_schema VALUES('entries','name','text or blob','file name of the blob; 64 leading hexadecimal digits are stored as 32 bytes','store, adoption');
INSERT INTO cache_schema VALUES('entries','key','text','the cache key; NULL: unknown, because the key was not used since the file was taken over, or because keys are not stored','store, read');
INSERT INTO cache_schema VALUES('entries','token','','random, new for each store; token % 999 + 1 is the microseconds of the blob''s modification date','store');
INSERT INTO cache_schema VALUES('entries','inode','','inode number of the blob; NULL if the volume does not keep inode numbers','store, sweep');
INSERT INTO cache_schema VALUES('entries','size','bytes','size of the blob','store, adoption');
INSERT INTO cache_schema VALUES('entries','created_at','ms since 1970, UTC','time of the store','store, adoption');
INSERT INTO cache_schema VALUES('entries','rank','ms since 1970, UTC','entries are evicted in this order, the lowest first; under LRU the latest use','store, read');
INSERT INTO cache_schema VALUES('entries','expires_at','ms since 1970, UTC','NULL: never','store, read');
INSERT INTO cache_schema VALUES('entries','time_to_live','ms','the duration that a read restarts; NULL if expires_at is not: reads do not extend the expiration','store, read');
INSERT INTO cache_schema VALUES('entries','pinned','','not 0: neither evicted nor expired','app');
INSERT INTO cache_schema VALUES('entries','hits','count','reads since the store','read');
INSERT INTO cache_schema VALUES('entries','slack','bytes','bytes that the volume has allocated beyond size','store, adoption');
INSERT INTO cache_schema VALUES('entries','source','','the image: 63 bits of the SHA-256 of the image''s key; NULL: unknown','store, read');
INSERT INTO cache_schema VALUES('entries','base_length','characters','length of the image''s key within key; after it come @ and the identifier of the processor; NULL: unknown','store, read');
INSERT INTO cache_schema VALUES('entries','accessed_at','ms since 1970, UTC','time of the latest use; NULL: the same as rank','store, read');
INSERT INTO cache_schema VALUES('entries','host','text','host of the image''s URL, in lower case; empty: not a URL; NULL: unknown or not computed yet','store, read, sweep');
INSERT INTO cache_schema VALUES('entries','boot','','state.boots at the store; NULL: stored by an earlier version, or taken over','store');
INSERT INTO cache_schema VALUES('entries','uptime','ms since the boot','time of the store','store');
INSERT INTO cache_schema VALUES('totals','id','','1','migration');
INSERT INTO cache_schema VALUES('totals','entries','count','the number of entries','triggers');
INSERT INTO cache_schema VALUES('totals','bytes','bytes','the sum of entries.size','triggers');
INSERT INTO cache_schema VALUES('totals','stored_at','ms since 1970, UTC','created_at of the latest store','triggers');
INSERT INTO cache_schema VALUES('totals','slack','bytes','the sum of entries.slack','triggers');
INSERT INTO cache_schema VALUES('totals','earliest_expiry','ms since 1970, UTC','no entry expires before this time','triggers, cleaning');
INSERT INTO cache_schema VALUES('totals','expiry_scan','','the scan that is computing earliest_expiry, which is not valid until the scan ends; NULL: no scan','cleaning');
INSERT INTO cache_schema VALUES('totals','stored_boot','','boot of the latest store','triggers');
INSERT INTO cache_schema VALUES('totals','stored_uptime','ms since the boot','uptime of the latest store','triggers');
INSERT INTO cache_schema VALUES('state','id','','1','migration');
INSERT INTO cache_schema VALUES('state','boot','text','identifies the boot of the machine in which the index was last opened; NULL: new','opening');
INSERT INTO cache_schema VALUES('state','boots','count','the number of that boot','opening');
INSERT INTO cache_schema VALUES('state','settled_at','ms since 1970, UTC','entries stored up to this time were on disk when the cache was closed','closing');
INSERT INTO cache_schema VALUES('state','settled_uptime','ms since the boot','the same, as time since the boot','closing');
INSERT INTO cache_schema VALUES('state','index_inode','','inode number of this file; if the file has another one, the directory is a copy','opening');
INSERT INTO cache_schema VALUES('state','relearning','0 or 1','1 while the inode numbers of a copied directory are being recorded','opening, sweep');
INSERT INTO cache_schema VALUES('state','adoption','text','pending or rebuilding while files without a row are being taken over, then done','opening, sweep');
INSERT INTO cache_schema VALUES('state','adopts_until','ms since 1970, UTC','files whose inode changed later are not adopted','opening');
INSERT INTO cache_schema VALUES('state','distrust_from','ms since 1970, UTC','start of the time span whose stores without a boot are not trusted after a power failure; NULL: none','opening, sweep');
INSERT INTO cache_schema VALUES('state','distrust_until','ms since 1970, UTC','end of that time span','opening, sweep');
INSERT INTO cache_schema VALUES('state','distrust_boot','','stores from this boot and uptime on are not trusted after a power failure; NULL: none','opening, sweep');
INSERT INTO cache_schema VALUES('state','distrust_uptime','ms since the boot','see distrust_boot','opening, sweep');
INSERT INTO cache_schema VALUES('state','distrust_until_boot','','up to this boot and uptime','opening, sweep');
INSERT INTO cache_schema VALUES('state','distrust_until_uptime','ms since the boot','see distrust_until_boot','opening, sweep');
INSERT INTO cache_schema VALUES('state','reconciled_at','ms since 1970, UTC','when files were last compared with the rows','sweep');
INSERT INTO cache_schema VALUES('state','legacy_names','','2 until a directory of schema 1 is searched for names of Kingfisher 7, otherwise 0 or 1','sweep');
INSERT INTO cache_schema VALUES('state','upgrading','','remaining steps of the upgrade to version 7: 4 the index by rank, 3 former indexes, 2 hosts, 1 former tables, 0 none','sweep');
INSERT INTO cache_schema VALUES('statistics','id','','1','migration');
INSERT INTO cache_schema VALUES('statistics','since','ms since 1970, UTC','when counting began; 0: nothing was counted','read');
INSERT INTO cache_schema VALUES('statistics','hits','count','','read');
INSERT INTO cache_schema VALUES('statistics','misses','count','','read');
INSERT INTO cache_schema VALUES('statistics','stores','count','','store');
INSERT INTO cache_schema VALUES('statistics','removals','count','entries removed by callers','removal');
INSERT INTO cache_schema VALUES('statistics','evictions','count','entries removed because a limit was exceeded','cleaning');
INSERT INTO cache_schema VALUES('statistics','expirations','count','entries removed because they had expired','cleaning');
INSERT INTO cache_schema VALUES('statistics','bytes_read','bytes','','read');
INSERT INTO cache_schema VALUES('statistics','bytes_written','bytes','','store');
INSERT INTO cache_schema VALUES('statistics','bytes_evicted','bytes','','cleaning');
INSERT INTO cache_schema VALUES('statistics','unused_evicted','ms','sum of the times for which evicted entries had not been used','cleaning');
INSERT INTO cache_schema VALUES('statistics','evictions_before','count','evictions by earlier versions, which bytes_evicted and unused_evicted do not include','migration');
INSERT INTO cache_schema VALUES('metadata','id','','entries.id','app');
INSERT INTO cache_schema VALUES('metadata','stored_at','ms since 1970, UTC','entries.created_at; if it differs, the row is out of date','app');
INSERT INTO cache_schema VALUES('metadata','etag','text','response header (RFC 9110, 8.8.3)','app');
INSERT INTO cache_schema VALUES('metadata','last_modified','text','response header (RFC 9110, 8.8.2)','app');
INSERT INTO cache_schema VALUES('metadata','max_age','s','for how long a response is fresh (RFC 9111, 5.2.2.1)','app');
INSERT INTO cache_schema VALUES('metadata','fields','JSON','an object of texts','app');
INSERT INTO cache_schema VALUES('metadata','checked_at','ms since 1970, UTC','when the server last confirmed it; NULL: at the store','app');
INSERT INTO cache_schema VALUES('metadata','age','s','of the response on arrival (RFC 9111, 5.1)','app');
INSERT INTO cache_schema VALUES('metadata','stale_while_revalidate','s','how long it may be used while it is being validated (RFC 5861, 3)','app');
INSERT INTO cache_schema VALUES('metadata','must_revalidate','0 or 1','1: must be validated before use once it is stale (RFC 9111, 5.2.2.2)','app');
INSERT INTO cache_schema VALUES('tags','tag','text','','app');
INSERT INTO cache_schema VALUES('tags','id','','entries.id','app');
INSERT INTO cache_schema VALUES('schema_migrations','version','','of the schema','migration');
INSERT INTO cache_schema VALUES('schema_migrations','name','text','the file in Migrations','migration');
INSERT INTO cache_schema VALUES('schema_migrations','checksum','hexadecimal','SHA-256 of that file','migration');
INSERT INTO cache_schema VALUES('schema_migrations','applied_at','ms since 1970, UTC','','migration');
INSERT INTO cache_schema VALUES('schema_migrations','oldest_reader','','the oldest version that can use an index with this change','migration');
INSERT INTO cache_schema VALUES('cache_help','name','text','the view that has the answer','migration');
INSERT INTO cache_schema VALUES('cache_help','question','text','a question about the cache','migration');
INSERT INTO cache_schema VALUES('cache_help','statement','SQL','the statement that answers it','migration');
INSERT INTO cache_schema VALUES('cache_help','units','text','the units of the result','migration');
INSERT INTO cache_schema VALUES('cache_help','access','text','whether you may write to it','migration');
INSERT INTO cache_schema VALUES('cache_schema','table_name','text','a table or a view','migration');
INSERT INTO cache_schema VALUES('cache_schema','column_name','text','','migration');
INSERT INTO cache_schema VALUES('cache_schema','unit','text','','migration');
INSERT INTO cache_schema VALUES('cache_schema','meaning','text','','migration');
INSERT INTO cache_schema VALUES('cache_schema','written_by','text','the operations that write it; view: calculated','migration');
INSERT INTO cache_schema VALUES('cache_entries','key','text','the cache key; NULL: not known','view');
INSERT INTO cache_schema VALUES('cache_entries','file','text','the blob''s name in the cache''s folder','view');
INSERT INTO cache_schema VALUES('cache_entries','size','bytes','of the blob','view');
INSERT INTO cache_schema VALUES('cache_entries','created','UTC','when it was stored','view');
INSERT INTO cache_schema VALUES('cache_entries','last_read','UTC','NULL: not since the store','view');
INSERT INTO cache_schema VALUES('cache_entries','expires','UTC','NULL: never, or pinned','view');
INSERT INTO cache_schema VALUES('cache_entries','expired','0 or 1','1: a miss now','view');
INSERT INTO cache_schema VALUES('cache_entries','pinned','0 or 1','1: neither evicted nor expired','view');
INSERT INTO cache_schema VALUES('cache_entries','reads','count','since the store','view');
INSERT INTO cache_schema VALUES('cache_entries','image','text','the image''s own key; NULL: not known','view');
INSERT INTO cache_schema VALUES('cache_entries','processor','text','identifier; empty: the original; NULL: not known','view');
INSERT INTO cache_schema VALUES('cache_entries','host','text','of the address; NULL: none, or not known','view');
INSERT INTO cache_schema VALUES('cache_entries','tags','text','separated by commas','view');
INSERT INTO cache_schema VALUES('cache_entries','id','','entries.id','view');
INSERT INTO cache_schema VALUES('cache_eviction_order','position','count','1 is evicted first: expired entries, then the least recently used; pinned entries are not listed','view');
INSERT INTO cache_schema VALUES('cache_eviction_order','key','text','the cache key; NULL: not known','view');
INSERT INTO cache_schema VALUES('cache_eviction_order','file','text','the blob''s name','view');
INSERT INTO cache_schema VALUES('cache_eviction_order','size','bytes','','view');
INSERT INTO cache_schema VALUES('cache_eviction_order','bytes_so_far','bytes','bytes freed by evicting all entries up to this one','view');
INSERT INTO cache_schema VALUES('cache_eviction_order','expired','0 or 1','1: a miss now','view');
INSERT INTO cache_schema VALUES('cache_eviction_order','created','UTC','when it was stored','view');
INSERT INTO cache_schema VALUES('cache_eviction_order','last_read','UTC','NULL: not since the store','view');
INSERT INTO cache_schema VALUES('cache_summary','entries','count','','view');
INSERT INTO cache_schema VALUES('cache_summary','bytes','bytes','','view');
INSERT INTO cache_schema VALUES('cache_summary','megabytes','1,000,000 bytes','','view');
INSERT INTO cache_schema VALUES('cache_summary','allocated_bytes','bytes','bytes allocated on the volume, in whole blocks','view');
INSERT INTO cache_schema VALUES('cache_summary','expired_entries','count','','view');
INSERT INTO cache_schema VALUES('cache_summary','expired_bytes','bytes','','view');
INSERT INTO cache_schema VALUES('cache_summary','pinned_entries','count','','view');
INSERT INTO cache_schema VALUES('cache_summary','pinned_bytes','bytes','','view');
INSERT INTO cache_schema VALUES('cache_summary','average_size','bytes','','view');
INSERT INTO cache_schema VALUES('cache_summary','oldest','UTC','the earliest store','view');
INSERT INTO cache_schema VALUES('cache_summary','newest','UTC','the latest store','view');
INSERT INTO cache_schema VALUES('cache_summary','last_read','UTC','of any entry','view');
INSERT INTO cache_schema VALUES('cache_summary','adoption','text','done, or the state of taking over files without a row','view');
INSERT INTO cache_schema VALUES('cache_hosts','host','text','the host, (no address) for keys that are not URLs, or (unknown)','view');
INSERT INTO cache_schema VALUES('cache_hosts','entries','count','','view');
INSERT INTO cache_schema VALUES('cache_hosts','bytes','bytes','','view');
INSERT INTO cache_schema VALUES('cache_hosts','reads','count','since each entry''s store','view');
INSERT INTO cache_schema VALUES('cache_processors','processor','text','the identifier of the processor, (original), or (unknown)','view');
INSERT INTO cache_schema VALUES('cache_processors','entries','count','','view');
INSERT INTO cache_schema VALUES('cache_processors','bytes','bytes','','view');
INSERT INTO cache_schema VALUES('cache_processors','reads','count','since each entry''s store','view');
INSERT INTO cache_schema VALUES('cache_images','image','text','the key of the image; entries whose image is unknown are not listed','view');
INSERT INTO cache_schema VALUES('cache_images','variants','count','entries, the original included','view');
INSERT INTO cache_schema VALUES('cache_images','bytes','bytes','','view');
INSERT INTO cache_schema VALUES('cache_images','reads','count','since each entry''s store','view');
INSERT INTO cache_schema VALUES('cache_images','last_read','UTC','of any variant','view');
INSERT INTO cache_schema VALUES('cache_sizes','size_from','bytes','','view');
INSERT INTO cache_schema VALUES('cache_sizes','size_below','bytes','NULL: no end','view');
INSERT INTO cache_schema VALUES('cache_sizes','entries','count','','view');
INSERT INTO cache_schema VALUES('cache_sizes','bytes','bytes','','view');
INSERT INTO cache_schema VALUES('cache_ages','days_from','days','','view');
INSERT INTO cache_schema VALUES('cache_ages','days_below','days','NULL: no end','view');
INSERT INTO cache_schema VALUES('cache_ages','created_entries','count','stored so long ago','view');
INSERT INTO cache_schema VALUES('cache_ages','created_bytes','bytes','','view');
INSERT INTO cache_schema VALUES('cache_ages','used_entries','count','stored or read last so long ago','view');
INSERT INTO cache_schema VALUES('cache_ages','used_bytes','bytes','','view');
INSERT INTO cache_schema VALUES('cache_expirations','day','UTC day','NULL: never, or pinned','view');
INSERT INTO cache_schema VALUES('cache_expirations','entries','count','','view');
INSERT INTO cache_schema VALUES('cache_expirations','bytes','bytes','','view');
INSERT INTO cache_schema VALUES('cache_tags','tag','text','','view');
INSERT INTO cache_schema VALUES('cache_tags','entries','count','','view');
INSERT INTO cache_schema VALUES('cache_tags','bytes','bytes','','view');
INSERT INTO cache_schema VALUES('cache_metadata','key','text','the cache key; NULL: not known','view');
INSERT INTO cache_schema VALUES('cache_metadata','etag','text','response header','view');
INSERT INTO cache_schema VALUES('cache_metadata','last_modified','text','response header','view');
INSERT INTO cache_schema VALUES('cache_metadata','max_age','s','for how long a response is fresh','view');
INSERT INTO cache_schema VALUES('cache_metadata','age','s','of the response on arrival','view');
INSERT INTO cache_schema VALUES('cache_metadata','stale_while_revalidate','s','for how long it may be used while it is checked','view');
INSERT INTO cache_schema VALUES('cache_metadata','must_revalidate','0 or 1','1: not to be used unchecked once it is stale','view');
INSERT INTO cache_schema VALUES('cache_metadata','checked','UTC','stored, or last confirmed by the server','view');
INSERT INTO cache_schema VALUES('cache_metadata','fields','JSON','an object of texts','view');
INSERT INTO cache_schema VALUES('cache_statistics','hits','count','','view');
INSERT INTO cache_schema VALUES('cache_statistics','misses','count','','view');
INSERT INTO cache_schema VALUES('cache_statistics','hit_percent','percent','NULL: no lookups yet','view');
INSERT INTO cache_schema VALUES('cache_statistics','stores','count','','view');
INSERT INTO cache_schema VALUES('cache_statistics','removals','count','entries removed by callers','view');
INSERT INTO cache_schema VALUES('cache_statistics','evictions','count','entries removed because a limit was exceeded','view');
INSERT INTO cache_schema VALUES('cache_statistics','expirations','count','entries removed because they had expired','view');
INSERT INTO cache_schema VALUES('cache_statistics','bytes_read','bytes','','view');
INSERT INTO cache_schema VALUES('cache_statistics','bytes_written','bytes','','view');
INSERT INTO cache_schema VALUES('cache_statistics','bytes_evicted','bytes','','view');
INSERT INTO cache_schema VALUES('cache_statistics','days_unused_when_evicted','days','on average','view');
INSERT INTO cache_schema VALUES('cache_statistics','since','UTC','when counting began; NULL: nothing was counted','view');
INSERT INTO cache_schema VALUES('cache_check','noted_entries','count','the recorded total, which the cache uses','view');
INSERT INTO cache_schema VALUES('cache_check','counted_entries','count','','view');
INSERT INTO cache_schema VALUES('cache_check','noted_bytes','bytes','the recorded total, which the cache uses','view');
INSERT INTO cache_schema VALUES('cache_check','counted_bytes','bytes','','view');
INSERT INTO cache_schema VALUES('cache_check','is_right','yes or no','whether they match; the cache recounts once a day, and if an eviction finds too few bytes','view');
INSERT INTO cache_schema VALUES('cache_versions','version','','of the schema','view');
INSERT INTO cache_schema VALUES('cache_versions','migration','text','the file in Migrations','view');
INSERT INTO cache_schema VALUES('cache_versions','applied','UTC','','view');
INSERT INTO cache_schema VALUES('cache_versions','oldest_reader','','the oldest version that can use an index with this change','view');
CREATE INDEX tags_by_entry ON tags (id);
CREATE TRIGGER entries_forgotten AFTER DELETE ON entries BEGIN
    DELETE FROM metadata WHERE id = OLD.id;
    DELETE FROM tags WHERE id = OLD.id;
END;
CREATE TRIGGER entries_expire_earlier AFTER UPDATE OF expires_at, pinned ON entries
WHEN NEW.expires_at < (SELECT earliest_expiry FROM totals) BEGIN
    UPDATE totals SET earliest_expiry = NEW.expires_at;
END;
CREATE TRIGGER entries_deleted AFTER DELETE ON entries BEGIN
    UPDATE totals SET entries = entries - 1, bytes = bytes - OLD.size, slack = slack - OLD.slack;
END;
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
CREATE TRIGGER entries_inserted AFTER INSERT ON entries BEGIN
    UPDATE totals SET
        entries = entries + 1, bytes = bytes + NEW.size, slack = slack + NEW.slack,
        -- A file that is taken over is not a store, and has no boot.
        stored_at = CASE WHEN NEW.boot IS NULL THEN stored_at ELSE NEW.created_at END,
        stored_boot = coalesce(NEW.boot, stored_boot), stored_uptime = coalesce(NEW.uptime, stored_uptime),
        earliest_expiry = CASE WHEN NEW.expires_at < earliest_expiry THEN NEW.expires_at ELSE earliest_expiry END;
END
;
CREATE TRIGGER entries_replaced AFTER UPDATE OF token, size ON entries BEGIN
    UPDATE totals SET
        bytes = bytes - OLD.size + NEW.size, slack = slack - OLD.slack + NEW.slack, stored_at = NEW.created_at,
        stored_boot = NEW.boot, stored_uptime = NEW.uptime,
        earliest_expiry = CASE WHEN NEW.expires_at < earliest_expiry THEN NEW.expires_at ELSE earliest_expiry END;
END;
CREATE INDEX entries_by_rank ON entries (pinned, rank, size, expires_at);
COMMIT;
PRAGMA application_id = 1212238915;
PRAGMA user_version = 8;
