package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// lockExamined locks the agent's settings for a turn that is to be examined: turning memory off
// waits for the turn.
func lockExamined(ctx context.Context, tx store.Session, projectID string, turn chat.Turn) error {
	if turn.Examine == nil {
		return nil
	}
	return lock(ctx, tx, lockShared, lockKindAgent, projectID, turn.Examine.AgentID)
}

const (
	// isMine are jobs that this replica, $3, may take: its own, and those without an owner.
	isMine = `(replica IS NULL OR replica = $3 OR EXISTS (SELECT 1 FROM replicas WHERE replicas.id = replica AND lease_until < clock_timestamp()))`
	// takeJobs reads the queue from its beginning. An answer has begun when its stream has more
	// than a start, and has ended when no such stream is open. A message of a deleted chat is left to be removed.
	takeJobs = `
		UPDATE memory_jobs SET replica = $3 FROM messages, (
			SELECT position AS taken FROM memory_jobs AS job
			WHERE due <= $1 AND ` + isMine + `
				AND NOT EXISTS (SELECT 1 FROM memory_jobs AS earlier
					WHERE earlier.project_id = job.project_id AND earlier.agent_id = job.agent_id AND earlier.user_id = job.user_id
						AND earlier.position < job.position)
				AND (NOT EXISTS (SELECT 1 FROM streams WHERE id = job.stream_id AND ended_at IS NULL)
					OR EXISTS (SELECT 1 FROM events WHERE stream_id = job.stream_id AND type <> 'start'))
			ORDER BY job.position LIMIT $2 FOR UPDATE OF job SKIP LOCKED
		) AS picked
		WHERE memory_jobs.position = taken AND messages.id = message_id AND EXISTS (SELECT 1 FROM chats WHERE chats.id = chat_id)
		RETURNING message_id, project_id, memory_jobs.agent_id, user_id, failures, content, memory_jobs.position`
)

type placedJob struct {
	memory.Job
	place int64
}

// Jobs implements memory.Queue. It takes the jobs for this replica: no other replica gets them
// while this one's lease is valid.
func (s *Store) Jobs(ctx context.Context, now float64, limit int) (all []memory.Job, err error) {
	var taken []placedJob
	err = s.write(ctx, func(ctx context.Context, tx store.Session) (err error) {
		taken, err = store.Collect(ctx, tx, scanJob, takeJobs, now, limit, s.replica)
		return err
	})
	slices.SortFunc(taken, func(a, b placedJob) int { return cmp.Compare(a.place, b.place) })
	all = make([]memory.Job, len(taken))
	for i, job := range taken {
		all[i] = job.Job
	}
	return all, failed("read", "the queue of messages to examine", err)
}

func scanJob(row store.Row) (job placedJob, err error) {
	err = row.Scan(&job.MessageID, &job.ProjectID, &job.AgentID, &job.UserID, &job.Failures, &job.Text, &job.place)
	return job, err
}

const (
	// mayFinish is the condition for a job that no replica other than $2 has taken.
	mayFinish = `(replica IS NULL OR replica = $2)`
	putOffJob = `UPDATE memory_jobs SET failures = failures + 1, due = $3, replica = NULL WHERE message_id = $1 AND ` + mayFinish
	deleteJob = `DELETE FROM memory_jobs WHERE message_id = $1 AND ` + mayFinish
	isJob     = `SELECT 1 FROM memory_jobs WHERE message_id = $1`
	chatOfJob = `SELECT chats.id FROM chats JOIN messages ON chats.id = chat_id WHERE messages.id = $1 FOR KEY SHARE OF chats`
)

// takeJob locks the job's chat, so that deleting it also deletes what is found now.
func (s *Store) takeJob(ctx context.Context, tx store.Session, job memory.Job) error {
	if err := store.OrNotFound(tx.Row(ctx, chatOfJob, job.MessageID).Scan(new(string))); err != nil {
		return err
	}
	if err := lockOwner(ctx, tx, job.Owner); err != nil {
		return err
	}
	return store.Touched(tx.Exec(ctx, deleteJob, job.MessageID, s.replica))
}

// PutOff implements memory.Queue. Afterwards any replica may take the job.
func (s *Store) PutOff(ctx context.Context, job memory.Job, due float64) error {
	return failed("put off message", job.MessageID, s.changeJob(ctx, isJob, putOffJob, fault.ErrNotFound, job.MessageID, s.replica, due))
}

// DropJob implements memory.Queue.
func (s *Store) DropJob(ctx context.Context, job memory.Job) error {
	return failed("drop message", job.MessageID, s.changeJob(ctx, isJob, deleteJob, fault.ErrNotFound, job.MessageID, s.replica))
}

// changeJob runs a statement on a job, whose id is the first of args. If the job no longer
// exists, that is not an error; if another replica has it, the error is othersJob.
func (s *Store) changeJob(ctx context.Context, is, statement string, othersJob error, args ...any) error {
	return s.write(ctx, func(ctx context.Context, tx store.Session) error {
		changed, err := tx.Exec(ctx, statement, args...)
		if err != nil || changed > 0 {
			return err
		}
		err = tx.Row(ctx, is, args[0]).Scan(new(int))
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return cmp.Or(err, othersJob)
	})
}
