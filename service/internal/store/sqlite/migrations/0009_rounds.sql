-- Files are read in rounds, in each of which an owner has one: who uploads many holds
-- up nobody. An owner who comes anew joins the round that is going on, which is the least
-- of those that nothing put off.
ALTER TABLE document_jobs ADD COLUMN owner TEXT NOT NULL DEFAULT '';  -- project and user as a JSON array; the project itself is one owner
ALTER TABLE document_jobs ADD COLUMN round INTEGER NOT NULL DEFAULT 0;

UPDATE document_jobs SET owner = (SELECT json_array(project_id, user_id) FROM documents WHERE key = document_key);
UPDATE document_jobs AS job SET round = (SELECT count(*) FROM document_jobs AS other WHERE other.owner = job.owner AND other.position < job.position);

CREATE INDEX document_jobs_of_owner ON document_jobs (owner, round);
CREATE INDEX document_jobs_of_round ON document_jobs (round);

CREATE TRIGGER document_jobs_round AFTER INSERT ON document_jobs BEGIN
    UPDATE document_jobs SET
        owner = (SELECT json_array(project_id, user_id) FROM documents WHERE key = new.document_key),
        round = max(
            coalesce((SELECT min(round) FROM document_jobs WHERE failures = 0 AND position <> new.position), 0),
            coalesce((
                SELECT max(round) + 1 FROM document_jobs
                WHERE position <> new.position AND owner = (SELECT json_array(project_id, user_id) FROM documents WHERE key = new.document_key)
            ), 0)
        )
    WHERE position = new.position;
END;
