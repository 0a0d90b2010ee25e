package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	addFailure = `
		INSERT INTO detection_failures AS old (project_id, agent_id, since, failures, given_up, code, status) VALUES ($1, $2, $3, 1, $4, $5, $6)
		ON CONFLICT (project_id, agent_id) DO UPDATE SET
			failures = old.failures + 1, given_up = old.given_up + excluded.given_up, code = excluded.code, status = excluded.status`
	forgetFailures = `DELETE FROM detection_failures WHERE project_id = $1 AND agent_id = $2`
	failuresOf     = `SELECT since, failures, given_up, code, status FROM detection_failures WHERE project_id = $1 AND agent_id = $2`
	waitingOf      = countJobs + ` WHERE project_id = $1 AND agent_id = $2`
)

// FailDetection implements memory.Queue.
func (s *Store) FailDetection(ctx context.Context, job memory.Job, failure memory.Failure) error {
	givenUp := 0
	if job.GivenUp {
		givenUp = 1
	}
	return failed("store a failure at message", job.MessageID, s.exec(ctx, addFailure,
		job.ProjectID, job.AgentID, failure.At, givenUp, failure.Code, failure.Status))
}

// Detection implements memory.Queue.
func (s *Store) Detection(ctx context.Context, projectID, agentID string) (detection wire.MemoryDetection, err error) {
	err = s.now().Row(ctx, waitingOf, projectID, agentID).Scan(&detection.Waiting)
	if err != nil {
		return wire.MemoryDetection{}, failed("count the messages to examine of", agentID, err)
	}
	failures, err := store.Collect(ctx, s.now(), func(row store.Row) (f wire.DetectionFailure, err error) {
		err = row.Scan(&f.Since, &f.Failures, &f.GivenUp, &f.Code, &f.Status)
		return f, err
	}, failuresOf, projectID, agentID)
	if len(failures) > 0 {
		detection.Failure = &failures[0]
	}
	return detection, failed("read the failures of", agentID, err)
}
