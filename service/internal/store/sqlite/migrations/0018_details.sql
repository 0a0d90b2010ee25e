-- What an answer has besides its text and sources: what it took, what the model did not get, and what it thought.
ALTER TABLE messages ADD COLUMN details TEXT;  -- JSON object; NULL: nothing
-- What a round has besides its text and calls: the model that wrote it, what its provider wants back, and what it took.
ALTER TABLE rounds ADD COLUMN details TEXT;    -- JSON object; NULL: nothing is known
