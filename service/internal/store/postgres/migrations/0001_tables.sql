-- Tables and columns are named as SQLite's where they are the same. Times are seconds
-- since the Unix epoch; JSON is text, byte for byte as it came.

-- Processes that share this database. What one owns is free when its lease has run out.
CREATE TABLE replicas (
    id          text PRIMARY KEY,
    lease_until timestamptz NOT NULL
);

-- A project's counter: the numbers that order its chats and page their list.
CREATE TABLE projects (
    id         text PRIMARY KEY,
    last_place bigint NOT NULL
);

CREATE TABLE chats (
    id            text PRIMARY KEY,
    project_id    text NOT NULL REFERENCES projects (id),
    user_id       text,              -- NULL: belongs to no user
    place         bigint NOT NULL,   -- out of the project's counter, the newest activity highest
    name          text NOT NULL,
    named         boolean NOT NULL,  -- false: the first exchange may name the chat
    document_keys text,              -- JSON array; NULL: none were given
    metadata      text,              -- JSON object, as it came
    created_at    double precision NOT NULL,
    updated_at    double precision NOT NULL
);

CREATE UNIQUE INDEX chats_of_project ON chats (project_id, place);
CREATE INDEX chats_of_user ON chats (project_id, user_id, place);

-- Each takes two positions: a question and its answer stand beside each other.
CREATE SEQUENCE message_positions INCREMENT BY 2 START WITH 1;

CREATE TABLE messages (
    position      bigint NOT NULL UNIQUE,  -- within a chat in order of arrival, an answer right after its question
    id            text PRIMARY KEY,
    chat_id       text NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    role          text NOT NULL,
    content       text NOT NULL,           -- of an answer that is being written: in its events
    created_at    double precision NOT NULL,
    feedback      boolean,                 -- NULL: not rated
    metadata      text,                    -- JSON object, as it came
    model_name    text NOT NULL,
    agent_id      text NOT NULL,
    finish_reason text NOT NULL,
    is_test       boolean NOT NULL,
    sources       text,                    -- JSON arrays
    image_urls    text,
    memory_ids    text,
    options       text,                    -- of a question: JSON of the options that it was sent with; NULL: not known
    replaces      text                     -- the answer that this one is to replace when it is whole
);

CREATE INDEX messages_of_chat ON messages (chat_id, position);
CREATE INDEX messages_replacing ON messages (replaces) WHERE replaces IS NOT NULL;

CREATE TABLE streams (
    id          text PRIMARY KEY,
    message_id  text NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    question_id text NOT NULL,
    ended_at    double precision,        -- NULL: the answer is being written
    last_id     bigint NOT NULL,         -- of the last event
    error       text,                    -- the error object of an answer that failed
    swept       boolean NOT NULL,        -- its events are gone
    owner       text,                    -- the replica that writes it; NULL: nobody
    epoch       bigint NOT NULL,         -- counts its owners
    stop_asked  boolean NOT NULL,
    project_id  text NOT NULL,           -- with user_id, whose running streams it counts among
    user_id     text NOT NULL
);

CREATE INDEX streams_of_message ON streams (message_id);
CREATE INDEX streams_open ON streams (owner) WHERE ended_at IS NULL;
CREATE INDEX streams_of_user ON streams (project_id, user_id) WHERE ended_at IS NULL;
CREATE INDEX streams_to_sweep ON streams (ended_at) WHERE NOT swept;

-- Whoever removes a stream removes its events before: to have a key look for each of
-- them would take longer than to store it.
CREATE TABLE events (
    stream_id text NOT NULL,
    id        bigint NOT NULL,  -- 1, 2, 3 … within the stream
    type      text NOT NULL,
    data      bytea NOT NULL,   -- a JSON text
    PRIMARY KEY (stream_id, id)
);

-- What users may still send in this minute.
CREATE TABLE user_sends (
    project_id text NOT NULL,
    user_id    text NOT NULL,
    sends_left double precision NOT NULL,  -- at that time
    at         timestamptz NOT NULL,
    PRIMARY KEY (project_id, user_id)
);

CREATE INDEX user_sends_by_age ON user_sends (at);

-- What idempotency keys were taken for. They outlive it: a repeat says then
-- that it is gone.
CREATE TABLE idempotency_keys (
    project_id  text NOT NULL,
    user_id     text NOT NULL,  -- empty: an API key that acts for nobody
    key         text NOT NULL,
    fingerprint bytea NOT NULL,
    subject     text NOT NULL,  -- the id of a stream, a chat or a memory
    result      text NOT NULL,
    created_at  double precision NOT NULL,
    PRIMARY KEY (project_id, user_id, key)
);

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_of_subject ON idempotency_keys (subject);

-- The images of questions, whose image_urls name them.
CREATE TABLE images (
    id         text PRIMARY KEY,
    message_id text NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    media_type text NOT NULL,
    width      bigint NOT NULL,
    height     bigint NOT NULL,
    size       bigint NOT NULL
);

CREATE INDEX images_of_message ON images (message_id);

-- The bytes of images and of documents to read, by the id of the image or the
-- key of the document. Whoever removes those removes these.
CREATE TABLE file_parts (
    file_id text NOT NULL,
    number  bigint NOT NULL,  -- 0, 1, 2 … within the file
    content bytea NOT NULL,
    PRIMARY KEY (file_id, number)
);

ALTER TABLE file_parts ALTER COLUMN content SET STORAGE EXTERNAL; -- most files are compressed already
