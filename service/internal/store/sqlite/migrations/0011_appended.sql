-- Events stand in the order in which they were appended, whatever their stream: a
-- row for each append. So what many streams append together is a page, and not one for
-- each of them.
ALTER TABLE streams ADD COLUMN number INTEGER NOT NULL DEFAULT 0;  -- names it in events, and is less than the positions of its events
-- Where the events of a stream that has ended are: a JSON array of the id of the first
-- event of a row, its position, the next such id, and so on. NULL: the stream is open
-- (what the process knows of it, openstreams.go), or swept.
ALTER TABLE streams ADD COLUMN places TEXT;

CREATE TABLE appended (
    position INTEGER PRIMARY KEY,  -- never used again
    stream   INTEGER NOT NULL,     -- its number
    first_id INTEGER NOT NULL,     -- 1, 2, 3 … within the stream
    events   BLOB NOT NULL         -- a line for each: type, space, JSON text
) STRICT;

CREATE TABLE numbered (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, first_id INTEGER) STRICT;
INSERT INTO numbered (id, first_id)
SELECT streams.id, (SELECT min(events.id) FROM events WHERE stream_id = streams.id) FROM streams WHERE swept = 0;

-- The number n of each stream and the position of its row are 2 n - 1 and 2 n.
INSERT INTO appended
SELECT 2 * number, 2 * number - 1, min(events.id), 
    CAST(group_concat(type || ' ' || replace(CAST(data AS TEXT), char(10), ' ') || char(10), '' ORDER BY events.id) AS BLOB)
FROM numbered JOIN events ON stream_id = numbered.id GROUP BY number;
UPDATE streams SET
    number = 2 * numbered.number - 1,
    places = iif(ended_at IS NULL, NULL, iif(first_id IS NULL, '[]', json_array(first_id, 2 * numbered.number)))
FROM numbered WHERE numbered.id = streams.id;

DROP TABLE numbered;
DROP TABLE events;
ALTER TABLE appended RENAME TO events;

-- Events go with their stream.
CREATE TRIGGER streams_delete AFTER DELETE ON streams WHEN old.places IS NOT NULL BEGIN
    DELETE FROM events WHERE position IN (SELECT value FROM json_each(old.places) WHERE key % 2 = 1) AND stream = old.number;
END;

-- streams_to_sweep has the open ones, too.
DROP INDEX streams_open;
