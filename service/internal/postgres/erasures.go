package postgres

const (
	// insertErasuresOfChat is for a chat, $1, that is about to be deleted.
	insertErasuresOfChat = `
		INSERT INTO erasures (project_id, agent_id, kind, at, by, memories, sources)
		SELECT project_id, agent_id, 'chat', $2, $3, count(*) FILTER (WHERE status = 'pending' AND expires_at > $2),
			count(*) FILTER (WHERE status <> 'pending' OR expires_at <= $2)
		FROM memories WHERE source_chat_id = $1 GROUP BY project_id, agent_id ORDER BY agent_id`
	// answersOfMemory reads the messages of one user first. In a single part, PostgreSQL may walk
	// through the messages of all users backwards in the hope of finding enough soon.
	answersOfMemory = `
		WITH answers AS MATERIALIZED (
			SELECT messages.position, chat_id, messages.id FROM chats JOIN messages ON chat_id = chats.id
			WHERE chats.project_id = $1 AND chats.user_id = $3 AND role = 'assistant' AND agent_id = $2
				AND strpos(memory_ids, '"' || $4::text || '"') > 0 AND messages.position < $5
		)
		SELECT position, chat_id, id FROM answers ORDER BY position DESC LIMIT $6`
)
