-- What was first read of the tools of each MCP server of an agent. What a server adds or changes later is
-- withheld, also after a restart and by all replicas, until the operator accepts it.
CREATE TABLE first_readings (
    agent_id TEXT NOT NULL,
    server   TEXT NOT NULL,  -- SHA-256 of its prefix, its address and what the operator calls reviewed
    tools    TEXT NOT NULL,  -- JSON object: digests of definitions, by the server's names of the tools
    PRIMARY KEY (agent_id, server)
) STRICT, WITHOUT ROWID;
