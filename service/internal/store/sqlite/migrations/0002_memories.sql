-- What was set of an agent's settings; NULL: never was.
CREATE TABLE memory_settings (
    project_id     TEXT NOT NULL,
    agent_id       TEXT NOT NULL,
    memory_enabled INTEGER,
    max_memories   INTEGER,
    auto_approve   INTEGER,
    memory_types   TEXT,  -- JSON array
    PRIMARY KEY (project_id, agent_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE memories (
    position           INTEGER PRIMARY KEY,  -- in order of arrival
    id                 TEXT NOT NULL UNIQUE,
    project_id         TEXT NOT NULL,
    agent_id           TEXT NOT NULL,
    user_id            TEXT NOT NULL,
    content            TEXT NOT NULL,
    type               TEXT NOT NULL,
    confidence         REAL NOT NULL,
    status             TEXT NOT NULL,        -- pending ones expire by the clock, whatever stands here
    reject_reason      TEXT NOT NULL,
    created_at         REAL NOT NULL,
    updated_at         REAL NOT NULL,
    approved_at        REAL NOT NULL,        -- of these three, 0: never
    rejected_at        REAL NOT NULL,
    expires_at         REAL NOT NULL,
    source_message_id  TEXT,                 -- NULL with the next three: the chat is deleted
    triggering_message TEXT,
    span_start         INTEGER,
    span_end           INTEGER
) STRICT;

-- SQLite ends each entry with the row's position, which orders the lists.
CREATE INDEX memories_of_agent ON memories (project_id, agent_id);
CREATE INDEX memories_of_user ON memories (project_id, agent_id, user_id);
CREATE INDEX memories_by_status ON memories (project_id, agent_id, user_id, status, reject_reason, expires_at);
CREATE INDEX memories_pending ON memories (project_id) WHERE status = 'pending';
CREATE INDEX memories_pending_of_agent ON memories (project_id, agent_id) WHERE status = 'pending';
CREATE INDEX memories_pending_of_user ON memories (project_id, user_id) WHERE status = 'pending';
CREATE INDEX memories_expiring ON memories (expires_at) WHERE status = 'pending';
CREATE INDEX memories_of_message ON memories (source_message_id);

-- Pairs that cannot both be true, each in both orders.
CREATE TABLE memory_conflicts (
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    other_id  TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, other_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_conflicts_of_other ON memory_conflicts (other_id);

-- Keyed hashes of what was deleted.
CREATE TABLE memory_marks (
    project_id TEXT NOT NULL,
    agent_id   TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    mark       BLOB NOT NULL,
    PRIMARY KEY (project_id, agent_id, user_id, mark)
) STRICT, WITHOUT ROWID;

-- Messages to examine.
CREATE TABLE memory_jobs (
    position   INTEGER PRIMARY KEY,  -- in order of arrival
    message_id TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    stream_id  TEXT NOT NULL,        -- of the answer
    project_id TEXT NOT NULL,
    agent_id   TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    failures   INTEGER NOT NULL,
    due        REAL NOT NULL         -- not before
) STRICT;

CREATE INDEX memory_jobs_of_user ON memory_jobs (project_id, agent_id, user_id);
