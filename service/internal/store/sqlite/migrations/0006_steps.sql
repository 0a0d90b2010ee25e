-- No transaction grows with what it stores or removes. What is large is stored
-- in parts, and what is deleted is out of sight at once and removed in steps.

ALTER TABLE chats ADD COLUMN deleted_at REAL;  -- NULL: it is there
CREATE INDEX chats_deleted ON chats (deleted_at) WHERE deleted_at IS NOT NULL;

-- The bytes of images and of documents to read, by the id of the image or the
-- key of the document.
CREATE TABLE files (
    id            TEXT PRIMARY KEY,
    unnamed_since REAL  -- NULL: a row names it; else its parts are removed, now or when nobody will name it
) STRICT, WITHOUT ROWID;

CREATE INDEX files_unnamed ON files (unnamed_since) WHERE unnamed_since IS NOT NULL;

CREATE TABLE file_parts (
    position INTEGER PRIMARY KEY,
    file_id  TEXT NOT NULL,
    number   INTEGER NOT NULL,  -- 0, 1, 2 … within the file
    content  BLOB NOT NULL,
    UNIQUE (file_id, number)
) STRICT;

-- Parts of 262144 bytes; SQLite counts those of a blob from 1.
INSERT INTO files (id) SELECT id FROM images UNION ALL SELECT document_key FROM document_jobs;
WITH RECURSIVE parts (file_id, number, size) AS (
    SELECT id, 0, length(content) FROM images
    UNION ALL SELECT document_key, 0, length(file) FROM document_jobs
    UNION ALL SELECT file_id, number + 1, size FROM parts WHERE (number + 1) * 262144 < size
)
INSERT INTO file_parts (file_id, number, content)
SELECT file_id, number, substr(
    coalesce((SELECT content FROM images WHERE id = file_id), (SELECT file FROM document_jobs WHERE document_key = file_id)),
    number * 262144 + 1, 262144)
FROM parts;

ALTER TABLE images ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
UPDATE images SET size = length(content);
ALTER TABLE images DROP COLUMN content;
ALTER TABLE document_jobs DROP COLUMN file;

CREATE TRIGGER images_delete AFTER DELETE ON images BEGIN
    UPDATE files SET unnamed_since = 0 WHERE id = old.id;
END;

-- The text of a document, in parts of at most 65536 bytes, which fillTexts cuts.
CREATE TABLE document_texts (
    position     INTEGER PRIMARY KEY,
    document_key TEXT NOT NULL,
    number       INTEGER NOT NULL,  -- 0, 1, 2 … within the document
    start_at     INTEGER NOT NULL,  -- in UTF-16 units of the document's text
    end_at       INTEGER NOT NULL,
    text         TEXT NOT NULL,
    UNIQUE (document_key, number)
) STRICT;

ALTER TABLE documents ADD COLUMN deleted_at REAL;  -- NULL: it is there
CREATE INDEX documents_deleted ON documents (deleted_at) WHERE deleted_at IS NOT NULL;

ALTER TABLE memories ADD COLUMN source_chat_id TEXT;  -- NULL with source_message_id
UPDATE memories SET source_chat_id = (SELECT chat_id FROM messages WHERE id = source_message_id);
CREATE INDEX memories_of_chat ON memories (source_chat_id) WHERE source_chat_id IS NOT NULL;

-- How often all memories of an owner were erased. What was stored before the
-- last time, with a lower number, is out of sight.
CREATE TABLE memory_erasures (
    project_id TEXT NOT NULL,
    agent_id   TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    erasures   INTEGER NOT NULL,
    removing   INTEGER NOT NULL,  -- 1 while rows are left to be removed
    PRIMARY KEY (project_id, agent_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_erasures_removing ON memory_erasures (removing) WHERE removing = 1;

ALTER TABLE memories ADD COLUMN erasures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memory_marks ADD COLUMN erasures INTEGER NOT NULL DEFAULT 0;

-- With these two columns what is counted is read from the index alone.
DROP INDEX memories_by_status;
CREATE INDEX memories_by_status ON memories (project_id, agent_id, user_id, status, reject_reason, expires_at, erasures, source_chat_id);

-- Memories as anybody sees them: without what was erased, and of a chat that
-- was deleted as DeleteChat says, though the steps of that are not all done.
-- That nothing is being removed is found out once for a query, not for each row.
CREATE VIEW seen_memories AS
SELECT position, id, project_id, agent_id, user_id, content, type, confidence, status, reject_reason,
    created_at, updated_at, approved_at, rejected_at, expires_at,
    iif(EXISTS (SELECT 1 FROM chats WHERE deleted_at IS NOT NULL)
        AND source_chat_id IN (SELECT id FROM chats WHERE deleted_at IS NOT NULL), NULL, source_message_id) AS source_message_id,
    iif(EXISTS (SELECT 1 FROM chats WHERE deleted_at IS NOT NULL)
        AND source_chat_id IN (SELECT id FROM chats WHERE deleted_at IS NOT NULL), NULL, triggering_message) AS triggering_message,
    iif(EXISTS (SELECT 1 FROM chats WHERE deleted_at IS NOT NULL)
        AND source_chat_id IN (SELECT id FROM chats WHERE deleted_at IS NOT NULL), NULL, span_start) AS span_start,
    iif(EXISTS (SELECT 1 FROM chats WHERE deleted_at IS NOT NULL)
        AND source_chat_id IN (SELECT id FROM chats WHERE deleted_at IS NOT NULL), NULL, span_end) AS span_end
FROM memories
WHERE (NOT EXISTS (SELECT 1 FROM memory_erasures WHERE removing = 1)
        OR erasures = coalesce((SELECT e.erasures FROM memory_erasures AS e
            WHERE e.project_id = memories.project_id AND e.agent_id = memories.agent_id AND e.user_id = memories.user_id), 0))
    AND (NOT EXISTS (SELECT 1 FROM chats WHERE deleted_at IS NOT NULL)
        OR status <> 'pending' OR source_chat_id IS NULL
        OR NOT EXISTS (SELECT 1 FROM chats WHERE id = source_chat_id AND deleted_at < expires_at));
