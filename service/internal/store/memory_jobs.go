package store

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// insertJob puts a message into the queue if its chat has a user and memory is now on.
const insertJob = `
	INSERT INTO memory_jobs (message_id, stream_id, project_id, agent_id, user_id, failures, due)
	SELECT $1, $2, $3, $4, user_id, 0, 0 FROM chats
	WHERE id = $5 AND user_id IS NOT NULL
		AND coalesce((SELECT memory_enabled FROM memory_settings WHERE project_id = $3 AND agent_id = $4), $6)`

// Enqueue puts the question of a turn into the queue of messages to examine.
func Enqueue(ctx context.Context, tx Session, projectID, chatID string, turn chat.Turn) error {
	if turn.Examine == nil {
		return nil
	}
	_, err := tx.Exec(ctx, insertJob,
		turn.Question.ID, turn.StreamID, projectID, turn.Examine.AgentID, chatID, turn.Examine.Enabled)
	return err
}

// FinishJob implements memory.Queue.
func (t *Tables) FinishJob(ctx context.Context, job memory.Job, detect func(memory.State) memory.Changes) error {
	err := t.db.Write(ctx, func(ctx context.Context, tx Session) error {
		if err := t.db.TakeJob(ctx, tx, job); err != nil {
			return err
		}
		state, err := t.q.wholeState(ctx, tx, job.Owner)
		if err != nil {
			return err
		}
		if err := t.apply(ctx, tx, job.Owner, detect(state)); err != nil || job.GivenUp {
			return err
		}
		_, err = tx.Exec(ctx, ForgetFailures, job.ProjectID, job.AgentID)
		return err
	})
	return t.db.Failed("store what was found in message", job.MessageID, err)
}

// CountJobs implements memory.Queue.
func (t *Tables) CountJobs(ctx context.Context) (count int, err error) {
	err = t.db.Now().Row(ctx, t.q.CountJobs).Scan(&count)
	return count, t.db.Failed("count", "the queue of messages to examine", err)
}
