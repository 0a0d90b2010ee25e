-- Calls that can begin are found turn by turn, for each tool and each user.
CREATE INDEX tool_calls_ready ON tool_calls (agent_id, name, user_id, position) WHERE due_at = 0;
