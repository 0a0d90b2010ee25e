package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// chatIsThere holds if a message's chat was not deleted.
const chatIsThere = `EXISTS (SELECT 1 FROM chats WHERE chats.id = messages.chat_id AND deleted_at IS NULL)`

// dueJobs reads the queue from its beginning.
const dueJobs = `
	SELECT message_id, job.project_id, job.agent_id, job.user_id, failures, content,
		coalesce((SELECT id FROM streams WHERE id = job.stream_id AND ended_at IS NULL), '')
	FROM memory_jobs AS job CROSS JOIN messages ON messages.id = message_id
	WHERE due <= $1 AND ` + chatIsThere + `
		AND NOT EXISTS (SELECT 1 FROM memory_jobs AS earlier
			WHERE earlier.project_id = job.project_id AND earlier.agent_id = job.agent_id AND earlier.user_id = job.user_id
				AND earlier.position < job.position)
	ORDER BY job.position`

// Jobs implements memory.Queue. It skips messages whose answer has not begun.
func (s *Store) Jobs(ctx context.Context, now float64, limit int) (all []memory.Job, err error) {
	err = s.now().Each(ctx, func(row store.Row) (bool, error) {
		var job memory.Job
		var open string
		err := row.Scan(&job.MessageID, &job.ProjectID, &job.AgentID, &job.UserID, &job.Failures, &job.Text, &open)
		if err == nil && s.open.hasBegun(open) {
			all = append(all, job)
		}
		return len(all) < limit, err
	}, dueJobs, now)
	if err != nil {
		return nil, failed("read", "the queue of messages to examine", err)
	}
	return all, nil
}

const (
	putOffJob = `UPDATE memory_jobs SET failures = failures + 1, due = ? WHERE message_id = ?`
	finishJob = `DELETE FROM memory_jobs WHERE message_id = $1 AND EXISTS (SELECT 1 FROM messages WHERE id = $1 AND ` + chatIsThere + `)`
	deleteJob = `DELETE FROM memory_jobs WHERE message_id = ?`
)

// PutOff implements memory.Queue.
func (s *Store) PutOff(ctx context.Context, job memory.Job, due float64) error {
	return failed("put off message", job.MessageID, s.exec(ctx, putOffJob, due, job.MessageID))
}

// DropJob implements memory.Queue.
func (s *Store) DropJob(ctx context.Context, job memory.Job) error {
	return failed("drop message", job.MessageID, s.exec(ctx, deleteJob, job.MessageID))
}

func (s *Store) exec(ctx context.Context, statement string, args ...any) error {
	return store.Exec(ctx, s.write, statement, args...)
}
