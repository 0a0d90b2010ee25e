-- Where the passages of a document lie, so that a search looks at those of its
-- documents alone. A run is of ids that follow each other, and length is that of its
-- passages together.
CREATE TABLE passages_runs (
	document_key TEXT NOT NULL,
	first_id INTEGER NOT NULL,
	last_id INTEGER NOT NULL,
	length INTEGER NOT NULL,
	PRIMARY KEY (document_key, first_id)
) WITHOUT ROWID;
CREATE TRIGGER passages_insert_run AFTER INSERT ON passages BEGIN
	UPDATE passages_runs SET last_id = new.id, length = length + new.end_at - new.start_at
		WHERE document_key = new.document_key AND last_id = new.id - 1;
	INSERT INTO passages_runs SELECT new.document_key, new.id, new.id, new.end_at - new.start_at
		WHERE NOT EXISTS (SELECT 1 FROM passages_runs WHERE document_key = new.document_key AND last_id = new.id);
END;
CREATE TRIGGER passages_delete_run AFTER DELETE ON passages BEGIN
	DELETE FROM passages_runs WHERE document_key = old.document_key
		AND NOT EXISTS (SELECT 1 FROM passages WHERE document_key = old.document_key);
END;

INSERT INTO passages_runs (document_key, first_id, last_id, length)
	SELECT document_key, min(id), max(id), sum(end_at - start_at)
	FROM (SELECT *, id - row_number() OVER (PARTITION BY document_key ORDER BY id) AS island FROM passages)
	GROUP BY document_key, island;
