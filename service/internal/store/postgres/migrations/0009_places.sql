-- Chats take their places from a sequence, which locks nothing: the row of a project's counter was
-- locked by each send, creation and end of an answer until its transaction ended, and a replica
-- that hung in one stopped all others.
--
-- Replicas of the version before still update the counter. The trigger gives them the next place
-- of the sequence instead, so that places of both stay unique and in order. The lock waits for
-- transactions that have taken a place from the counter.

LOCK TABLE projects IN SHARE ROW EXCLUSIVE MODE;
CREATE SEQUENCE chat_places OWNED BY chats.place;
SELECT setval('chat_places', greatest((SELECT max(last_place) FROM projects), (SELECT max(place) FROM chats), 1));

CREATE FUNCTION take_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.last_place := nextval('chat_places');
    RETURN NEW;
END $$;
CREATE TRIGGER projects_take_place BEFORE INSERT OR UPDATE ON projects FOR EACH ROW EXECUTE FUNCTION take_place();

-- A new chat locked the row of its project.
ALTER TABLE chats DROP CONSTRAINT chats_project_id_fkey;
