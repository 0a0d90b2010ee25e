package store

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

const (
	breakOff        = `UPDATE messages SET content = $1, sources = $2, finish_reason = $3, details = $4, image_urls = $5 WHERE id = $6`
	forgetJob       = `DELETE FROM memory_jobs WHERE message_id = $1`
	forgetPendingOf = `DELETE FROM memories WHERE source_chat_id = $1 AND source_message_id = $2 AND status = 'pending'`
)

// ChatOf returns the chat of a turn, which may be new.
func ChatOf(turn chat.Turn) string {
	if turn.NewChat != nil {
		return turn.NewChat.ChatID
	}
	return turn.Question.ChatID
}

// BegunAt returns when a turn began.
func BegunAt(turn chat.Turn) float64 {
	if turn.Again {
		return turn.Answer.CreatedAt
	}
	return turn.Question.CreatedAt
}

// ForgetQuestion removes what waits for a question: its job and its pending memories.
func ForgetQuestion(ctx context.Context, tx Session, chatID, questionID string) error {
	_, err := tx.Exec(ctx, forgetJob, questionID)
	if err == nil {
		_, err = tx.Exec(ctx, forgetPendingOf, chatID, questionID)
	}
	return err
}

// StoreMessages stores the answer, and the question with the rows of its images if it is new, and makes the path
// lead to the answer. position is the first of two for them, nil if the database gives them. It returns where the path
// returns to if the answer fails, nil for nowhere.
func (q *Queries) StoreMessages(
	ctx context.Context, tx Session, chatID string, turn chat.Turn, parent int64, position *int64,
) (before *int64, err error) {
	answer := Extras{Position: position, Parent: parent}
	if turn.Again {
		end, err := q.Tree(tx, chatID).PathEnd(ctx)
		if err != nil {
			return nil, err
		}
		before = &end
	} else {
		answer.Parent, err = InsertMessage(ctx, tx, chatID, turn.Question, Extras{Position: position, Options: turn.Options, Parent: parent})
		if position != nil {
			second := *position + 1
			answer.Position = &second
		}
		if err == nil {
			err = InsertImages(ctx, tx, turn.Question.ID, turn.Images)
		}
		if err != nil {
			return nil, err
		}
	}
	at, err := InsertMessage(ctx, tx, chatID, turn.Answer, answer)
	if err == nil {
		_, err = tx.Exec(ctx, LeadPath, at, chatID)
	}
	return before, err
}

// BreakOff makes an answer end with what was said so far, and returns the path to where it was before.
func (q *Queries) BreakOff(ctx context.Context, tx Session, streamID, messageID string, said *chat.Said) error {
	rounds, err := Collect(ctx, tx, scanRound, q.RoundsOfStream, streamID)
	if err == nil {
		more := detailsOf(wire.Message{
			Usage: toolcall.Usage(rounds), LeftOut: toolcall.LeftOut(rounds, wire.LeftOut{}), Reasoning: said.Reasoning(),
		}, nil)
		_, err = tx.Exec(ctx, breakOff, said.Text(), JSON(&said.Sources), wire.FinishError, more, JSON(&said.Images), messageID)
	}
	if err == nil {
		_, err = tx.Exec(ctx, ReturnPath, streamID)
	}
	return err
}

// ScanHead scans a stream without its answer.
func ScanHead(row Row) (head chat.StoredStream, err error) {
	start := &head.Start
	err = row.Scan(&start.StreamID, &start.ChatID, &start.MessageID, &start.UserMessageID,
		&head.EndedAt, &head.LastID, JSON(&head.Error), &head.Parked)
	return head, err
}
