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
