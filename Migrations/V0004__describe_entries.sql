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
