-- Who decided, what was edited, why a memory waits, what it is close to, and what
-- superseded it: wire.Memory has the fields.
ALTER TABLE memories ADD COLUMN details TEXT;  -- JSON object; NULL: none

-- What deletions leave: no text, and no id of what is gone.
CREATE TABLE erasures (
    position   INTEGER PRIMARY KEY,  -- in order of arrival
    project_id TEXT NOT NULL,
    agent_id   TEXT NOT NULL,
    kind       TEXT NOT NULL,
    at         REAL NOT NULL,
    by         TEXT NOT NULL,        -- a user's id, or api_key
    memories   INTEGER NOT NULL,     -- deleted with their text
    sources    INTEGER NOT NULL      -- memories that lost the message that they came from
) STRICT;

CREATE INDEX erasures_of_agent ON erasures (project_id, agent_id);

-- As in step 6, with the two columns more.
DROP VIEW seen_memories;
CREATE VIEW seen_memories AS
SELECT position, id, project_id, agent_id, user_id, content, type, confidence, status, reject_reason,
    created_at, updated_at, approved_at, rejected_at, expires_at, details,
    iif(EXISTS (SELECT 1 FROM chats WHERE deleted_at IS NOT NULL)
        AND source_chat_id IN (SELECT id FROM chats WHERE deleted_at IS NOT NULL), NULL, source_chat_id) AS source_chat_id,
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
