package postgres

// siblingsOf looks up each parent in the index, because of OFFSET 0.
const siblingsOf = `
	SELECT json_agg(id ORDER BY position)::text
	FROM (SELECT DISTINCT parent FROM messages WHERE id = ANY($2)) AS parents CROSS JOIN LATERAL (
		SELECT id, position FROM messages WHERE chat_id = $1 AND parent = parents.parent OFFSET 0
	) AS beside
	GROUP BY parents.parent HAVING count(*) > 1`

// nextPositions returns the first of two consecutive positions. The chat is locked, so that
// later positions in it are higher.
const nextPositions = `SELECT nextval('message_positions')`
