-- The replica that carries out a call. For some hours step 5 made what this one makes.
ALTER TABLE tool_calls ADD COLUMN IF NOT EXISTS owner text;
CREATE INDEX IF NOT EXISTS tool_calls_running ON tool_calls (owner) WHERE status = 'running' AND owner IS NOT NULL;
