package store

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

const (
	AddFailure = `
		INSERT INTO detection_failures AS old (project_id, agent_id, since, failures, given_up, code, status) VALUES ($1, $2, $3, 1, $4, $5, $6)
		ON CONFLICT (project_id, agent_id) DO UPDATE SET
			failures = old.failures + 1, given_up = old.given_up + excluded.given_up, code = excluded.code, status = excluded.status`
	ForgetFailures = `DELETE FROM detection_failures WHERE project_id = $1 AND agent_id = $2`
	FailuresOf     = `SELECT since, failures, given_up, code, status FROM detection_failures WHERE project_id = $1 AND agent_id = $2`
)

// FailDetection implements memory.Queue.
func (t *Tables) FailDetection(ctx context.Context, job memory.Job, failure memory.Failure) error {
	givenUp := 0
	if job.GivenUp {
		givenUp = 1
	}
	err := Exec(ctx, t.db.Write, AddFailure, job.ProjectID, job.AgentID, failure.At, givenUp, failure.Code, failure.Status)
	return t.db.Failed("store a failure at message", job.MessageID, err)
}

// Detection implements memory.Queue.
func (t *Tables) Detection(ctx context.Context, projectID, agentID string) (detection wire.MemoryDetection, err error) {
	err = t.db.Now().Row(ctx, t.q.WaitingOf, projectID, agentID).Scan(&detection.Waiting)
	if err != nil {
		return wire.MemoryDetection{}, t.db.Failed("count the messages to examine of", agentID, err)
	}
	failures, err := Collect(ctx, t.db.Now(), func(row Row) (f wire.DetectionFailure, err error) {
		err = row.Scan(&f.Since, &f.Failures, &f.GivenUp, &f.Code, &f.Status)
		return f, err
	}, FailuresOf, projectID, agentID)
	if len(failures) > 0 {
		detection.Failure = &failures[0]
	}
	return detection, t.db.Failed("read the failures of", agentID, err)
}
