package sqlite

const siblingsOf = `
	SELECT json_group_array(beside.id ORDER BY beside.position)
	FROM (SELECT DISTINCT parent FROM messages WHERE id IN (SELECT value FROM json_each($2))) AS parents
	CROSS JOIN messages AS beside INDEXED BY messages_beside ON beside.chat_id = $1 AND beside.parent = parents.parent
	GROUP BY parents.parent HAVING count(*) > 1`
