-- Streams stay after their end. SQLite changes no constraint of a table that
-- exists, so both tables are made anew; the answers that are being written keep
-- their events.
CREATE TABLE kept_streams (
    id          TEXT PRIMARY KEY,
    message_id  TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    question_id TEXT NOT NULL,
    ended_at    REAL,              -- NULL: the answer is being written
    last_id     INTEGER NOT NULL,  -- of the last event, once it has ended
    error       TEXT,              -- the error object of an answer that failed
    swept       INTEGER NOT NULL   -- 1: its events are gone
) STRICT, WITHOUT ROWID;

INSERT INTO kept_streams
SELECT streams.id, message_id, question.id, NULL, 0, NULL, 0
FROM streams
JOIN messages AS answer ON answer.id = message_id
JOIN messages AS question ON question.position = answer.position - 1;

CREATE TABLE kept_events (
    stream_id TEXT NOT NULL REFERENCES kept_streams (id) ON DELETE CASCADE,
    id        INTEGER NOT NULL,  -- 1, 2, 3 … within the stream
    type      TEXT NOT NULL,
    data      BLOB NOT NULL,     -- a JSON text
    PRIMARY KEY (stream_id, id)
) STRICT, WITHOUT ROWID;

INSERT INTO kept_events SELECT stream_id, id, type, data FROM events;

DROP TABLE events;
DROP TABLE streams;
ALTER TABLE kept_streams RENAME TO streams;
ALTER TABLE kept_events RENAME TO events;

CREATE INDEX streams_of_message ON streams (message_id);
CREATE INDEX streams_open ON streams (id) WHERE ended_at IS NULL;
CREATE INDEX streams_to_sweep ON streams (ended_at) WHERE swept = 0;

-- Of a question: JSON of the options that it was sent with, beside those that
-- its columns hold. NULL: not known.
ALTER TABLE messages ADD COLUMN options TEXT;

-- The answer that this one is to replace when it is whole. Until then it is no
-- part of the history, and never where it failed.
ALTER TABLE messages ADD COLUMN replaces TEXT;

CREATE INDEX messages_replacing ON messages (replaces) WHERE replaces IS NOT NULL;

-- What idempotency keys were taken for. They outlive it: a repeat says then
-- that it is gone.
CREATE TABLE idempotency_keys (
    project_id  TEXT NOT NULL,
    user_id     TEXT NOT NULL,  -- empty: an API key that acts for nobody
    key         TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    subject     TEXT NOT NULL,  -- the id of a stream, a chat or a memory
    result      TEXT NOT NULL,
    created_at  REAL NOT NULL,
    PRIMARY KEY (project_id, user_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_of_subject ON idempotency_keys (subject);
