-- The images of questions, whose image_urls name them. As rows they are stored
-- with their question or not at all, and go with it.
CREATE TABLE images (
    id         TEXT NOT NULL UNIQUE,
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    media_type TEXT NOT NULL,
    width      INTEGER NOT NULL,
    height     INTEGER NOT NULL,
    content    BLOB NOT NULL
) STRICT;

CREATE INDEX images_of_message ON images (message_id);
