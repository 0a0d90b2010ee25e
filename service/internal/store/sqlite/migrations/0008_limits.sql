-- What a user has, without a look at its rows.
CREATE INDEX chats_counted ON chats (project_id, user_id, deleted_at);
CREATE INDEX documents_sizes ON documents (project_id, user_id, deleted_at, size);

-- Memories that are of no use any more, to be removed after a while.
CREATE INDEX memories_to_sweep ON memories (rejected_at) WHERE status = 'rejected' AND reject_reason IN ('expired', 'superseded');
