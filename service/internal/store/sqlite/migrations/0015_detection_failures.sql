-- The agents whose messages the detector failed to examine since it last examined one.
CREATE TABLE detection_failures (
    project_id TEXT NOT NULL,
    agent_id   TEXT NOT NULL,
    since      REAL NOT NULL,     -- the first one
    failures   INTEGER NOT NULL,  -- attempts, this first one included
    given_up   INTEGER NOT NULL,  -- messages that were tried too often
    code       TEXT NOT NULL,     -- of the last one, a code of an error
    status     INTEGER NOT NULL,  -- of the last one, of the provider's answer; 0: none came
    PRIMARY KEY (project_id, agent_id)
) STRICT, WITHOUT ROWID;
