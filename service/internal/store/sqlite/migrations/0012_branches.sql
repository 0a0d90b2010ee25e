-- The messages of a chat are a tree, of which one path is shown.
ALTER TABLE messages ADD COLUMN parent INTEGER NOT NULL DEFAULT 0;  -- position of the message that this one follows; 0: none
ALTER TABLE chats ADD COLUMN path_end INTEGER NOT NULL DEFAULT 0;   -- position of the last message of its path; 0: no message
ALTER TABLE streams ADD COLUMN path_before INTEGER;                 -- where the path ended before its answer, to which it returns if that fails; NULL: it stays

-- Until now a chat was a line: each message follows the one before it.
UPDATE messages SET parent = coalesce((
    SELECT earlier.position FROM messages AS earlier
    WHERE earlier.chat_id = messages.chat_id AND earlier.position < messages.position AND earlier.replaces IS NULL
    ORDER BY earlier.position DESC LIMIT 1), 0)
WHERE replaces IS NULL;
-- An answer that was to replace another one, and failed, stands beside it.
UPDATE messages SET parent = coalesce((
    SELECT question.position FROM streams JOIN messages AS question ON question.id = question_id WHERE message_id = messages.id), 0)
WHERE replaces IS NOT NULL;
DELETE FROM messages WHERE replaces IS NOT NULL AND parent = 0;
UPDATE chats SET path_end = coalesce((
    SELECT position FROM messages WHERE chat_id = chats.id AND replaces IS NULL ORDER BY position DESC LIMIT 1), 0);

DROP INDEX messages_replacing;
ALTER TABLE messages DROP COLUMN replaces;

-- A path is followed in this index alone: a row may be long, and its parent stands at its end.
DROP INDEX messages_of_chat;
CREATE INDEX messages_of_chat ON messages (chat_id, position, parent);
CREATE INDEX messages_beside ON messages (chat_id, parent);
