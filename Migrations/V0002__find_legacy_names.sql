-- Kingfisher 7 and earlier named a blob after the MD5 of its key: 32 hexadecimal digits. Such files become entries under
-- that name, and get today's name when somebody asks for their key.

-- 0: no entry has such a name. 1: some have. 2: the folder has not been searched for such files yet.
ALTER TABLE state ADD COLUMN legacy_names INTEGER NOT NULL DEFAULT 2;
