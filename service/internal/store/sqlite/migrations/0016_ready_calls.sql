-- Calls that can begin are found turn by turn, for each tool and each user. Their names were in JSON alone.
ALTER TABLE tool_calls ADD COLUMN name TEXT AS (json_extract(call, '$.name')) VIRTUAL;
CREATE INDEX tool_calls_ready ON tool_calls (agent_id, name, user_id, position) WHERE due_at = 0;
