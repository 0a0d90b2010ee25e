package sqlite

const (
	// insertErasuresOfChat is for a chat, $1, that is about to be deleted.
	insertErasuresOfChat = `
		INSERT INTO erasures (project_id, agent_id, kind, at, by, memories, sources)
		SELECT project_id, agent_id, 'chat', $2, $3, sum(status = 'pending' AND expires_at > $2), sum(status <> 'pending' OR expires_at <= $2)
		FROM memories WHERE source_chat_id = $1 AND EXISTS (SELECT 1 FROM seen_memories AS seen WHERE seen.position = memories.position)
		GROUP BY project_id, agent_id ORDER BY agent_id`
	answersOfMemory = `
		SELECT messages.position, chat_id, messages.id FROM chats JOIN messages ON chat_id = chats.id
		WHERE chats.project_id = $1 AND chats.user_id = $3 AND deleted_at IS NULL AND role = 'assistant' AND agent_id = $2
			AND instr(memory_ids, '"' || $4 || '"') > 0 AND messages.position < $5
		ORDER BY messages.position DESC LIMIT $6`
)
