package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// BeginTurn implements chat.Turns.
func (s *Store) BeginTurn(ctx context.Context, scope access.Scope, turn chat.Turn) error {
	chatID := store.ChatOf(turn)
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error { return s.beginTurn(ctx, tx, scope, chatID, turn) })
	return failed("begin a turn in chat", chatID, err)
}

func (s *Store) beginTurn(ctx context.Context, tx store.Session, scope access.Scope, chatID string, turn chat.Turn) error {
	if err := storeImages(ctx, tx, turn.Images); err != nil { // this comes first: it takes long, and blocks nobody
		return err
	}
	if err := store.Take(ctx, tx, turn.Key); err != nil {
		return err
	}
	if err := s.Limits.roomForTurn(ctx, tx, scope); err != nil {
		return err
	}
	if err := s.findOrMakeChat(ctx, tx, scope, chatID, turn); err != nil {
		return err
	}
	before, err := storeMessages(ctx, tx, chatID, turn)
	if err != nil {
		return err
	}
	asked, err := textOf(turn.Asked)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, insertStream, turn.StreamID, turn.Answer.ID, turn.Question.ID,
		len(turn.Events), s.replica, scope.ProjectID, scope.UserID, before, asked); err != nil {
		return err
	}
	if err := store.Enqueue(ctx, tx, scope.ProjectID, chatID, turn); err != nil {
		return err
	}
	if err := insertEvents(ctx, tx, turn.StreamID, 0, stream.Number(0, turn.Events)); err != nil || turn.NewChat != nil {
		return err
	}
	return moveChat(ctx, tx, chatID, store.BegunAt(turn))
}

// textOf returns what an answer was requested with as JSON, nil for nothing.
func textOf(asked *chat.Asked) (any, error) {
	if asked == nil {
		return nil, nil
	}
	text, err := json.Marshal(asked)
	return string(text), err
}

func (s *Store) findOrMakeChat(ctx context.Context, tx store.Session, scope access.Scope, chatID string, turn chat.Turn) error {
	if turn.NewChat == nil {
		if err := hold(ctx, tx, scope, chatID); err != nil {
			return err
		}
		return lockExamined(ctx, tx, scope.ProjectID, turn)
	}
	if err := s.Limits.roomForChat(ctx, tx, scope); err != nil {
		return err
	}
	if err := lockExamined(ctx, tx, scope.ProjectID, turn); err != nil {
		return err
	}
	return insertChat(ctx, tx, scope, *turn.NewChat, turn.Question.CreatedAt)
}

const ownersOfQuestion = `
	SELECT DISTINCT project_id, agent_id, user_id FROM memories WHERE source_chat_id = $1 AND source_message_id = $2 AND status = 'pending'
	ORDER BY project_id, agent_id, user_id`

// nextPositions returns the first of two consecutive positions. The chat is locked, so that
// later positions in it are higher.
const nextPositions = `SELECT nextval('message_positions')`

// storeMessages stores what a turn adds to its chat: see Queries.StoreMessages. It waits for decisions that are being made
// about the pending memories of a question that is edited.
func storeMessages(ctx context.Context, tx store.Session, chatID string, turn chat.Turn) (before *int64, err error) {
	parent, err := turn.Follows(ctx, queries.Tree(tx, chatID))
	if err == nil && turn.Edits != "" {
		err = lockOwners(ctx, tx, ownersOfQuestion, chatID, turn.Edits)
		if err == nil {
			err = store.ForgetQuestion(ctx, tx, chatID, turn.Edits)
		}
	}
	if err != nil {
		return nil, err
	}
	position, err := store.ScanNumber(tx.Row(ctx, nextPositions))
	if err != nil {
		return nil, err
	}
	return queries.StoreMessages(ctx, tx, chatID, turn, parent, &position)
}

const (
	// chatOfStream locks the chat of a stream.
	chatOfStream = `
		SELECT chats.id, chats.project_id, named
		FROM streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE streams.id = $1 FOR NO KEY UPDATE OF chats`
)

// heldChat is a locked chat.
type heldChat struct {
	id, projectID string
	named         bool
}

// holdChatOf locks the chat of a stream. If it was deleted, the error is fault.ErrNotFound.
func holdChatOf(ctx context.Context, tx store.Session, streamID string) (one heldChat, err error) {
	err = tx.Row(ctx, chatOfStream, streamID).Scan(&one.id, &one.projectID, &one.named)
	return one, store.OrNotFound(err)
}

// EndTurn implements chat.Turns.
func (s *Store) EndTurn(ctx context.Context, lease stream.Lease, answer wire.Message, end *chat.End) error {
	var stored chat.End
	err := s.write(ctx, func(ctx context.Context, tx store.Session) (err error) {
		stored, err = endTurn(ctx, tx, lease, answer, *end)
		return err
	})
	if err == nil {
		*end = stored
	}
	return failed("end message", answer.ID, err)
}

// endTurn returns the end as it was stored.
func endTurn(ctx context.Context, tx store.Session, lease stream.Lease, answer wire.Message, end chat.End) (chat.End, error) {
	held, err := holdChatOf(ctx, tx, lease.StreamID)
	switch {
	case err != nil:
		return end, err
	case end.Name != "" && !held.named:
		err = setName(ctx, tx, held.id, end.Name, end.At)
	case end.Name != "":
		end.Events = end.Unnamed()
	}
	if err != nil {
		return end, err
	}
	messageID, err := endStream(ctx, tx, lease, end)
	for _, call := range end.Calls {
		if err == nil {
			_, err = queries.SetCall(ctx, tx, call, "") // no call begins to run here
		}
	}
	if err != nil {
		return end, err
	}
	if messageID != answer.ID {
		return end, errors.New("the stream carries another message")
	}
	if err := store.SetAnswer(ctx, tx, answer, end.Marks); err != nil {
		return end, err
	}
	if chat.SaidNothing(answer) {
		_, err = tx.Exec(ctx, store.ReturnPath, lease.StreamID)
	}
	return end, err
}

const (
	// brokenAnswers are answers whose owner's lease has expired, answers without an owner, and
	// those of this replica that it says it doesn't write. The owner of parked answers has no
	// lease.
	brokenAnswers = `SELECT id FROM streams WHERE ` + isBroken
	isBroken      = `ended_at IS NULL AND CASE WHEN owner = $1 THEN id = ANY($2::text[]) ELSE owner IS NULL
		OR EXISTS (SELECT 1 FROM replicas WHERE replicas.id = owner AND lease_until < clock_timestamp()) END`
	// takeBroken locks an answer that is still broken and that no other replica has locked.
	takeBroken = `SELECT message_id, epoch FROM streams WHERE id = $3 AND ` + isBroken + ` FOR NO KEY UPDATE SKIP LOCKED`
	nextEpoch  = `UPDATE streams SET epoch = epoch + 1, owner = $2 WHERE id = $1`
)

// EndBrokenTurns implements chat.Turns. It ends each answer in its own transaction. Several
// replicas may run it at the same time: each answer is ended by one of them.
func (s *Store) EndBrokenTurns(ctx context.Context, end chat.End, orphans ...string) ([]string, error) {
	if _, err := s.now().Exec(ctx, loseCalls); err != nil {
		return nil, failed("end", "broken turns", err)
	}
	all, err := s.endBrokenTurns(ctx, end, orphans)
	return all, failed("end", "broken turns", ended(ctx, err))
}

func (s *Store) endBrokenTurns(ctx context.Context, end chat.End, orphans []string) (ended []string, err error) {
	if orphans == nil {
		orphans = []string{}
	}
	open, err := store.Collect(ctx, s.now(), store.ScanText, brokenAnswers, s.replica, orphans)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // all of them, or none
	var locked error
	for _, streamID := range open {
		did := false
		err := s.write(ctx, func(ctx context.Context, tx store.Session) (err error) {
			did, err = s.endBroken(ctx, tx, streamID, end, orphans)
			return err
		})
		switch {
		case code(err) == lockNotAvailable: // the others don't wait for it
			locked = fmt.Errorf("stream %s: %w", streamID, err)
		case err != nil:
			return ended, fmt.Errorf("stream %s: %w", streamID, err)
		case did:
			ended = append(ended, streamID)
		}
	}
	return ended, locked
}

// endBroken reports whether it ended the answer. If not, another replica has ended it, or its owner
// has renewed the lease.
func (s *Store) endBroken(ctx context.Context, tx store.Session, streamID string, end chat.End, orphans []string) (bool, error) {
	if _, err := tx.Exec(ctx, waitHardly); err != nil {
		return false, err
	}
	var messageID string
	lease := stream.Lease{StreamID: streamID}
	err := store.OrNotFound(tx.Row(ctx, takeBroken, s.replica, orphans, streamID).Scan(&messageID, &lease.Epoch))
	if errors.Is(err, fault.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	said, err := saidSoFar(ctx, tx, streamID)
	if err != nil {
		return false, err
	}
	if err := queries.BreakOff(ctx, tx, streamID, messageID, said); err != nil {
		return false, err
	}
	end.Events = slices.Clone(end.Events)
	if _, err = endStream(ctx, tx, lease, end); err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, nextEpoch, streamID, s.replica)
	return err == nil, err
}
