package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// insertJob puts a message into the queue if its chat has a user and memory is now on.
const insertJob = `
	INSERT INTO memory_jobs (message_id, stream_id, project_id, agent_id, user_id, failures, due)
	SELECT ?1, ?2, ?3, ?4, user_id, 0, 0 FROM chats
	WHERE id = ?5 AND user_id IS NOT NULL
		AND coalesce((SELECT memory_enabled FROM memory_settings WHERE project_id = ?3 AND agent_id = ?4), ?6)`

// enqueue puts the question of a turn into the queue of messages to examine.
func enqueue(ctx context.Context, tx store.Session, projectID, chatID string, turn chat.Turn) error {
	if turn.Examine == nil {
		return nil
	}
	_, err := tx.Exec(ctx, insertJob,
		turn.Question.ID, turn.StreamID, projectID, turn.Examine.AgentID, chatID, turn.Examine.Enabled)
	return err
}

// chatIsThere holds if a message's chat was not deleted.
const chatIsThere = `EXISTS (SELECT 1 FROM chats WHERE chats.id = messages.chat_id AND deleted_at IS NULL)`

// dueJobs reads the queue from its beginning.
const dueJobs = `
	SELECT message_id, job.project_id, job.agent_id, job.user_id, failures, content,
		coalesce((SELECT id FROM streams WHERE id = job.stream_id AND ended_at IS NULL), '')
	FROM memory_jobs AS job CROSS JOIN messages ON messages.id = message_id
	WHERE due <= ?1 AND ` + chatIsThere + `
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
	finishJob = `DELETE FROM memory_jobs WHERE message_id = ?1 AND EXISTS (SELECT 1 FROM messages WHERE id = ?1 AND ` + chatIsThere + `)`
	deleteJob = `DELETE FROM memory_jobs WHERE message_id = ?`
	countJobs = `SELECT count(*) FROM memory_jobs CROSS JOIN messages ON messages.id = message_id WHERE ` + chatIsThere
)

// FinishJob implements memory.Queue.
func (s *Store) FinishJob(ctx context.Context, job memory.Job, detect func(memory.State) memory.Changes) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Touched(tx.Exec(ctx, finishJob, job.MessageID)); err != nil {
			return err
		}
		state, err := wholeState(ctx, tx, job.Owner)
		if err != nil {
			return err
		}
		if err := s.apply(ctx, tx, job.Owner, detect(state)); err != nil || job.GivenUp {
			return err
		}
		_, err = tx.Exec(ctx, forgetFailures, job.ProjectID, job.AgentID)
		return err
	})
	return failed("store what was found in message", job.MessageID, err)
}

func wholeState(ctx context.Context, tx store.Session, owner memory.Owner) (memory.State, error) {
	state, err := openState(ctx, tx, owner)
	if err != nil {
		return memory.State{}, err
	}
	if state.Barred, err = memoriesOf(ctx, tx, ofReviewers, owner); err != nil {
		return memory.State{}, err
	}
	if err := countOf(ctx, tx, owner, &state); err != nil {
		return memory.State{}, err
	}
	marks, err := store.Collect(ctx, tx, scanMark, marksOfOwner, owner.ProjectID, owner.AgentID, owner.UserID)
	state.Erased = map[string]bool{}
	for _, mark := range marks {
		state.Erased[mark] = true
	}
	return state, err
}

func scanMark(row store.Row) (string, error) {
	var mark []byte
	err := row.Scan(&mark)
	return string(mark), err
}

// PutOff implements memory.Queue.
func (s *Store) PutOff(ctx context.Context, job memory.Job, due float64) error {
	return failed("put off message", job.MessageID, s.exec(ctx, putOffJob, due, job.MessageID))
}

// DropJob implements memory.Queue.
func (s *Store) DropJob(ctx context.Context, job memory.Job) error {
	return failed("drop message", job.MessageID, s.exec(ctx, deleteJob, job.MessageID))
}

func (s *Store) exec(ctx context.Context, statement string, args ...any) error {
	return s.write(ctx, func(ctx context.Context, tx store.Session) error {
		_, err := tx.Exec(ctx, statement, args...)
		return err
	})
}

// CountJobs implements memory.Queue.
func (s *Store) CountJobs(ctx context.Context) (count int, err error) {
	err = s.now().Row(ctx, countJobs).Scan(&count)
	return count, failed("count", "the queue of messages to examine", err)
}
