CREATE TABLE documents (
    position   INTEGER PRIMARY KEY,  -- in order of arrival
    key        TEXT NOT NULL UNIQUE,
    project_id TEXT NOT NULL,
    user_id    TEXT,                 -- NULL: it is the project's
    name       TEXT NOT NULL,        -- of the file
    title      TEXT NOT NULL,
    folded     TEXT NOT NULL,        -- title and name in lower case, to be looked through
    kind       TEXT NOT NULL,
    status     TEXT NOT NULL,
    error      TEXT NOT NULL,        -- for people; empty unless it failed
    size       INTEGER NOT NULL,     -- of the file
    metadata   TEXT,                 -- JSON object, as it came
    created_at REAL NOT NULL,
    text       TEXT NOT NULL         -- empty until it is read
) STRICT;

-- SQLite ends each entry with the row's position, which orders the lists.
CREATE INDEX documents_of_project ON documents (project_id);
CREATE INDEX documents_of_user ON documents (project_id, user_id);

-- Files to read. They go when they are read.
CREATE TABLE document_jobs (
    position     INTEGER PRIMARY KEY,  -- in order of arrival
    document_key TEXT NOT NULL UNIQUE REFERENCES documents (key) ON DELETE CASCADE,
    failures     INTEGER NOT NULL,
    due          REAL NOT NULL,        -- not before
    file         BLOB NOT NULL
) STRICT;

-- Package knowledge/search works on these. They aren't STRICT: headings is a JSON
-- array in a blob.
CREATE TABLE passages (
	id INTEGER PRIMARY KEY,
	document_key TEXT NOT NULL,
	number INTEGER NOT NULL,
	title TEXT NOT NULL,
	headings TEXT NOT NULL,
	start_at INTEGER NOT NULL,
	end_at INTEGER NOT NULL,
	text TEXT NOT NULL
);
CREATE UNIQUE INDEX passages_document ON passages (document_key, number);
CREATE VIRTUAL TABLE passages_index USING fts5 (
	title, headings, text, content = 'passages', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER passages_insert AFTER INSERT ON passages BEGIN
	INSERT INTO passages_index (rowid, title, headings, text) VALUES (new.id, new.title, new.headings, new.text);
END;
CREATE TRIGGER passages_delete AFTER DELETE ON passages BEGIN
	INSERT INTO passages_index (passages_index, rowid, title, headings, text) VALUES ('delete', old.id, old.title, old.headings, old.text);
END;
