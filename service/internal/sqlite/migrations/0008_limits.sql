-- What a user's documents take, without a look at their texts.
CREATE INDEX documents_sizes ON documents (project_id, user_id, size);

-- Memories that are of no use any more, to be removed after a while.
CREATE INDEX memories_to_sweep ON memories (rejected_at) WHERE status = 'rejected' AND reject_reason IN ('expired', 'superseded');
