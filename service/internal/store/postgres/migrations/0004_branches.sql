-- The messages of a chat are a tree, of which one path is shown.
ALTER TABLE messages ADD COLUMN parent bigint NOT NULL DEFAULT -1; -- position of the message that this one follows; 0: none
ALTER TABLE chats ADD COLUMN path_end bigint NOT NULL DEFAULT 0;   -- position of the last message of its path; 0: no message
ALTER TABLE streams ADD COLUMN path_before bigint;                 -- where the path ended before its answer, to which it returns if that fails; NULL: it stays

-- Until now a chat was a line: each message follows the one before it.
UPDATE messages SET parent = above.position FROM (
    SELECT id, coalesce(lag(position) OVER (PARTITION BY chat_id ORDER BY position), 0) AS position FROM messages WHERE replaces IS NULL
) AS above WHERE above.id = messages.id;
-- An answer that was to replace another one stands beside it.
UPDATE messages SET parent = question.position FROM streams JOIN messages AS question ON question.id = question_id
WHERE streams.message_id = messages.id AND messages.replaces IS NOT NULL;
DELETE FROM messages WHERE parent = -1;
UPDATE chats SET path_end = last.position FROM (
    SELECT chat_id, max(position) AS position FROM messages WHERE replaces IS NULL GROUP BY chat_id
) AS last WHERE last.chat_id = chats.id;
CREATE INDEX messages_beside ON messages (chat_id, parent);

-- A replica of the version before knows of no path, and uses "replaces", which nobody else does:
-- what it stores follows the end of the path.
CREATE FUNCTION follow_path() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.replaces IS NOT NULL THEN
        NEW.parent := coalesce((SELECT parent FROM messages WHERE id = NEW.replaces), 0);
        RETURN NEW;
    END IF;
    NEW.parent := (SELECT path_end FROM chats WHERE id = NEW.chat_id);
    UPDATE chats SET path_end = NEW.position WHERE id = NEW.chat_id;
    RETURN NEW;
END $$;
CREATE TRIGGER messages_follow_path BEFORE INSERT ON messages FOR EACH ROW WHEN (NEW.parent = -1) EXECUTE FUNCTION follow_path();
