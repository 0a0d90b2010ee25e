package store

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// ChangeMemories implements memory.Records. Other decisions about the same memories wait, and then see these
// changes.
func (t *Tables) ChangeMemories(
	ctx context.Context, owner memory.Owner, memoryID string, decide func(memory.State) (memory.Changes, error),
) error {
	err := t.db.Write(ctx, func(ctx context.Context, tx Session) error {
		if err := t.db.LockOwner(ctx, tx, owner); err != nil {
			return err
		}
		state, err := t.q.openState(ctx, tx, owner)
		if err != nil {
			return err
		}
		if memoryID != "" {
			one, err := t.q.memoriesOf(ctx, tx, t.q.OneMemory, owner, memoryID)
			if err != nil {
				return err
			}
			state.Add(one)
		} else if err := t.q.countOf(ctx, tx, owner, &state); err != nil {
			return err
		}
		changes, err := decide(state)
		if err != nil {
			return err
		}
		return t.apply(ctx, tx, owner, changes)
	})
	return t.db.Failed("change memories of", owner.AgentID, err)
}

func (q *Queries) openState(ctx context.Context, tx Session, owner memory.Owner) (state memory.State, err error) {
	if state.Settings, err = settingsOf(ctx, tx, owner.ProjectID, owner.AgentID); err != nil {
		return memory.State{}, err
	}
	state.Memories, err = q.memoriesOf(ctx, tx, q.OpenMemories, owner)
	return state, err
}

// countOf counts the memories of an owner.
func (q *Queries) countOf(ctx context.Context, tx Session, owner memory.Owner, state *memory.State) error {
	return tx.Row(ctx, q.CountSpent, owner.ProjectID, owner.AgentID, owner.UserID).Scan(&state.Stored, &state.Spent)
}

func (q *Queries) wholeState(ctx context.Context, tx Session, owner memory.Owner) (memory.State, error) {
	state, err := q.openState(ctx, tx, owner)
	if err != nil {
		return memory.State{}, err
	}
	if state.Barred, err = q.memoriesOf(ctx, tx, q.OfReviewers, owner); err != nil {
		return memory.State{}, err
	}
	if err := q.countOf(ctx, tx, owner, &state); err != nil {
		return memory.State{}, err
	}
	state.Erased = map[string]bool{}
	err = tx.Each(ctx, func(row Row) (bool, error) {
		var mark []byte
		err := row.Scan(&mark)
		state.Erased[string(mark)] = true
		return true, err
	}, q.MarksOfOwner, owner.ProjectID, owner.AgentID, owner.UserID)
	return state, err
}

func (t *Tables) apply(ctx context.Context, tx Session, owner memory.Owner, changes memory.Changes) error {
	if len(changes.Updated) > 0 || changes.Spent > 0 {
		t.db.Erases()
	}
	if err := Take(ctx, tx, changes.Key); err != nil {
		return err
	}
	for _, m := range changes.Added {
		if err := t.q.addMemory(ctx, tx, owner, m); err != nil {
			return err
		}
	}
	for _, m := range changes.Updated {
		_, err := tx.Exec(ctx, UpdateMemory, m.Status, m.RejectReason, m.UpdatedAt, m.ApprovedAt, m.RejectedAt, m.ExpiresAt,
			m.MemoryContent, m.MemoryType, memory.Details(m), m.ID)
		if err != nil {
			return err
		}
	}
	for _, id := range changes.Edited {
		if _, err := tx.Exec(ctx, DeleteConflicts, id); err != nil {
			return err
		}
	}
	for _, pair := range changes.Conflicts {
		if _, err := tx.Exec(ctx, insertConflict, pair[0], pair[1]); err != nil {
			return err
		}
	}
	if changes.Spent == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, t.q.DeleteSpent, owner.ProjectID, owner.AgentID, owner.UserID, changes.Spent)
	return err
}

func (q *Queries) addMemory(ctx context.Context, tx Session, owner memory.Owner, m wire.Memory) error {
	var start, end *int
	if m.Span != nil {
		start, end = &m.Span.Start, &m.Span.End
	}
	_, err := tx.Exec(ctx, q.InsertMemory,
		m.ID, owner.ProjectID, owner.AgentID, owner.UserID, m.MemoryContent, m.MemoryType, m.ConfidenceScore, m.Status, m.RejectReason,
		m.CreatedAt, m.UpdatedAt, m.ApprovedAt, m.RejectedAt, m.ExpiresAt,
		m.SourceMessageID, m.TriggeringMessage, start, end, memory.Details(m))
	return err
}
