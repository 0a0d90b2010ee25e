package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	addFailure = `
		INSERT INTO detection_failures (project_id, agent_id, since, failures, given_up, code, status) VALUES (?, ?, ?, 1, ?, ?, ?)
		ON CONFLICT DO UPDATE SET
			failures = failures + 1, given_up = given_up + excluded.given_up, code = excluded.code, status = excluded.status`
	forgetFailures = `DELETE FROM detection_failures WHERE project_id = ? AND agent_id = ?`
	failuresOf     = `SELECT since, failures, given_up, code, status FROM detection_failures WHERE project_id = ?1 AND agent_id = ?2`
	waitingOf      = countJobs + ` AND project_id = ?1 AND memory_jobs.agent_id = ?2`
)

// FailDetection implements memory.Queue.
func (s *Store) FailDetection(ctx context.Context, job memory.Job, failure memory.Failure) error {
	return failed("store a failure at message", job.MessageID, s.exec(ctx, addFailure,
		job.ProjectID, job.AgentID, failure.At, job.GivenUp, failure.Code, failure.Status))
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
