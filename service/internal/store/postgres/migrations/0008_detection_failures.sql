-- The agents whose messages the detector failed to examine since it last examined one.
CREATE TABLE detection_failures (
    project_id text NOT NULL,
    agent_id   text NOT NULL,
    since      double precision NOT NULL,  -- the first one
    failures   bigint NOT NULL,            -- attempts, this first one included
    given_up   bigint NOT NULL,            -- messages that were tried too often
    code       text NOT NULL,              -- of the last one, a code of an error
    status     bigint NOT NULL,            -- of the last one, of the provider's answer; 0: none came
    PRIMARY KEY (project_id, agent_id)
);
