-- A project's counter: the numbers that order its chats and page their list.
CREATE TABLE projects (
    id         TEXT PRIMARY KEY,
    last_place INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE chats (
    id            TEXT PRIMARY KEY,
    project_id    TEXT NOT NULL REFERENCES projects (id),
    user_id       TEXT,              -- NULL: belongs to no user
    place         INTEGER NOT NULL,  -- out of the project's counter, the newest activity highest
    name          TEXT NOT NULL,
    named         INTEGER NOT NULL,  -- 0: the first exchange may name the chat
    document_keys TEXT,              -- JSON array; NULL: none were given
    metadata      TEXT,              -- JSON object, as it came
    created_at    REAL NOT NULL,
    updated_at    REAL NOT NULL
) STRICT;

CREATE UNIQUE INDEX chats_of_project ON chats (project_id, place);
CREATE INDEX chats_of_user ON chats (project_id, user_id, place);

CREATE TABLE messages (
    position      INTEGER PRIMARY KEY,  -- in order of arrival, an answer right after its question
    id            TEXT NOT NULL UNIQUE,
    chat_id       TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    role          TEXT NOT NULL,
    content       TEXT NOT NULL,        -- of an answer that is being written: in its events
    created_at    REAL NOT NULL,
    feedback      INTEGER,              -- NULL: not rated
    metadata      TEXT,                 -- JSON object, as it came
    model_name    TEXT NOT NULL,
    agent_id      TEXT NOT NULL,
    finish_reason TEXT NOT NULL,
    is_test       INTEGER NOT NULL,
    sources       TEXT,                 -- JSON arrays
    image_urls    TEXT,
    memory_ids    TEXT
) STRICT;

-- SQLite ends each entry with the row's position, which orders the history.
CREATE INDEX messages_of_chat ON messages (chat_id);

-- The answers that are being written.
CREATE TABLE streams (
    id         TEXT PRIMARY KEY,
    message_id TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    stream_id TEXT NOT NULL REFERENCES streams (id) ON DELETE CASCADE,
    id        INTEGER NOT NULL,  -- 1, 2, 3 … within the stream
    type      TEXT NOT NULL,
    data      BLOB NOT NULL,     -- a JSON text
    PRIMARY KEY (stream_id, id)
) STRICT, WITHOUT ROWID;
