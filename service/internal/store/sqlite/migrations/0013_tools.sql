-- Calls of tools, and the answers that wait for them.
CREATE TABLE tool_calls (
    position   INTEGER PRIMARY KEY,  -- in the order in which they were made
    id         TEXT NOT NULL UNIQUE,
    stream_id  TEXT NOT NULL,
    message_id TEXT NOT NULL,
    chat_id    TEXT NOT NULL,
    project_id TEXT NOT NULL,
    user_id    TEXT NOT NULL,        -- the chat's; empty: it belongs to no user
    agent_id   TEXT NOT NULL,
    approval   TEXT NOT NULL,
    kind       TEXT NOT NULL,
    status     TEXT NOT NULL,
    attempts   INTEGER NOT NULL,
    due_at     REAL,                 -- when something is to be done about it; NULL: it is settled
    version    INTEGER NOT NULL,     -- counts its changes
    call       TEXT NOT NULL,        -- all else of it, a JSON object
    result     BLOB NOT NULL         -- a text, of which lists read the first bytes
) STRICT;

CREATE INDEX tool_calls_of_stream ON tool_calls (stream_id, position);
CREATE INDEX tool_calls_of_message ON tool_calls (message_id, position);
CREATE INDEX tool_calls_of_chat ON tool_calls (chat_id, position);
CREATE INDEX tool_calls_of_user ON tool_calls (project_id, user_id, position);
CREATE INDEX tool_calls_of_project ON tool_calls (project_id, position);
CREATE INDEX tool_calls_of_admins ON tool_calls (project_id, position) WHERE approval = 'admin';
CREATE INDEX tool_calls_open ON tool_calls (project_id, position) WHERE due_at IS NOT NULL;
CREATE INDEX tool_calls_open_of_user ON tool_calls (project_id, user_id, position) WHERE due_at IS NOT NULL;
CREATE INDEX tool_calls_due ON tool_calls (due_at) WHERE due_at IS NOT NULL;

-- What a model said each time that it was asked and made calls.
CREATE TABLE rounds (
    position  INTEGER PRIMARY KEY,
    stream_id TEXT NOT NULL,
    chat_id   TEXT NOT NULL,
    text      TEXT NOT NULL,
    calls     TEXT NOT NULL          -- JSON array
) STRICT;

CREATE INDEX rounds_of_stream ON rounds (stream_id, position);
CREATE INDEX rounds_of_chat ON rounds (chat_id);

ALTER TABLE streams ADD COLUMN asked TEXT;                          -- JSON of what an answer with tools was asked for with; NULL: it has none
ALTER TABLE streams ADD COLUMN project_id TEXT;                     -- with user_id, who asked for an answer with tools
ALTER TABLE streams ADD COLUMN user_id TEXT;
ALTER TABLE streams ADD COLUMN epoch INTEGER NOT NULL DEFAULT 1;    -- counts those who have written it
ALTER TABLE streams ADD COLUMN parked INTEGER NOT NULL DEFAULT 0;   -- 1: it waits for calls, and nobody writes it
ALTER TABLE streams ADD COLUMN waits_for INTEGER NOT NULL DEFAULT 0; -- how many of its calls are not settled
CREATE INDEX streams_parked ON streams (project_id, user_id) WHERE parked = 1;
CREATE INDEX streams_ready ON streams (waits_for) WHERE parked = 1;
