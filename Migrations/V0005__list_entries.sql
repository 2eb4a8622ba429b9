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
