package chat

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// An answer goes through stages: what is asked (asking), everything that the answer is based on (the same with its
// Basis complete), and the answer that has begun (turn).

// request is who asks, and where the question goes.
type request struct {
	scope     access.Scope
	once      once.Request
	requestID string
	newChat   *wire.Chat    // nil if the chat exists
	images    []images.File // of a new question, until they are stored
	again     bool          // the question already has an answer
	parent    string        // the id of the answer that a new question follows, empty for the last of the path
	edits     string        // the id of the question that this one is a new version of, empty for none
	offered   Offer
	memoryIDs []string // of Basis.Memories
	examine   *Examine // nil if the question is not to be examined
}

// asking is a checked request for an answer.
type asking struct {
	answering.Basis
	request
}

// basisOf reads what an answer is based on, and refuses a request that doesn't fit into the
// agent's window.
func (s *Service) basisOf(ctx context.Context, a asking) (asking, error) {
	var err error
	if a.Library, err = s.chooseDocuments(ctx, a); err != nil {
		return asking{}, err
	}
	a.Learned, a.Now = s.learned, s.config.Now()
	if err := a.Fits(); err != nil {
		return asking{}, err
	}
	return a, s.remember(ctx, &a)
}

// turn is a stored question, and its answer while that is being written.
type turn struct {
	request
	answering.Draft
	ctx      context.Context // ends when the answer is stopped, the chat is deleted or the Service closes
	streamID string
	answer   wire.Message
	log      *stream.Writer
	release  func() // gives back the user's slot among the running streams, once
	examined bool   // whether memory has been told that the question may be examined

	// broken is why the round cannot be asked; nil if it can.
	broken error
}

func (t *turn) start() wire.Start {
	return wire.Start{StreamID: t.streamID, ChatID: t.Question.ChatID, MessageID: t.answer.ID, UserMessageID: t.Question.ID}
}

// run asks the provider and writes the stream until it ends or is parked.
func (s *Service) run(t *turn) {
	defer s.turns.Done()
	parked := false
	defer func() {
		if parked {
			s.isParked(t)
		}
	}()
	defer t.log.Close()
	defer t.release()
	var err error
	if parked, err = s.tryAnswer(t); err != nil {
		s.fail(t, err)
	}
}

// tryAnswer returns a panic as an error, because one answer must not end the service.
func (s *Service) tryAnswer(t *turn) (parked bool, err error) {
	err = fault.Safely("answer", func() error {
		err := s.write(t)
		stopped := context.Cause(t.ctx) == stream.ErrStopped
		switch {
		case stopped && (err != nil || len(t.Calls) > 0):
			t.Finish, err = wire.FinishStopped, nil
		case err == nil && len(t.Calls) > 0:
			parked = true
			return s.park(t)
		}
		if err != nil {
			return err
		}
		return s.complete(t)
	})
	return parked && err == nil, err
}

// write makes the prompt and the answer.
func (s *Service) write(t *turn) error {
	if t.broken != nil {
		return t.broken
	}
	w := answering.Writer{
		Draft: &t.Draft, Provider: s.config.Provider, Knowledge: s.config.Knowledge, Searcher: s.config.Searcher, Patiently: s.logs.Patiently,
		Past: pastOf{s.config.Store, t.scope, t.Question.ChatID, t.Question.ID}, Repaired: s.config.Repaired, Refused: s.refused,
		Log: s.config.Log.With("request_id", t.requestID),
		Store: func(events []Event) error {
			err := t.log.Append(context.WithoutCancel(t.ctx), events)
			if err == nil {
				s.examine(t)
			}
			return err
		},
		AddImages: func(files []images.File) (kept []string, err error) {
			ctx := context.WithoutCancel(t.ctx)
			err = s.logs.Patiently(t.ctx, func() (err error) {
				kept, err = s.config.Store.AddImages(ctx, t.answer.ID, files)
				return err
			})
			return kept, err
		},
	}
	if t.Question.IsTest {
		w.Repaired = func() {}
	}
	return w.Write(t.ctx)
}

// refused counts a prompt that a provider refused.
func (s *Service) refused(what answering.Refused, tool string) { s.config.Refused(string(what), tool) }

// pastOf is what an answer reads of its chat.
type pastOf struct {
	Store
	scope              access.Scope
	chatID, questionID string
}

// Recent implements Past.
func (p pastOf) Recent(ctx context.Context, tokens int) ([]answering.PromptMessage, error) {
	return p.Store.Recent(ctx, p.scope, p.chatID, p.questionID, tokens)
}

// Image implements Past.
func (p pastOf) Image(ctx context.Context, imageID string) (images.Image, error) {
	return p.Store.Image(ctx, p.scope.ProjectID, imageID)
}

// sourced adds what this round used to the sources of the answer. It returns the event about them, if there are new
// ones.
func (t *turn) sourced() []Event {
	events := t.Draft.Sourced()
	t.answer.Sources = t.Sources
	return events
}

// SaidNothing reports whether a finished answer failed, or was stopped before its first word or
// call. A chat's path does not stay at such an answer.
func SaidNothing(answer wire.Message) bool {
	return answer.FinishReason == wire.FinishError ||
		answer.FinishReason == wire.FinishStopped && answer.Content == "" && len(answer.ToolCalls) == 0 && len(answer.ImageURLs) == 0
}

// seal sets the final state of the answer.
func (t *turn) seal(finish string) {
	t.answer.Content, t.answer.FinishReason, t.answer.StreamID = t.Text.String(), finish, ""
	t.answer.ImageURLs = t.Images
	t.answer.Usage, t.answer.LeftOut, t.answer.Reasoning = t.Usage, t.LeftOutInAll(), t.Thought.String()
	t.answer.ModelName = cmp.Or(t.Answered, t.answer.ModelName)
}

// complete stores the whole answer and ends the stream with its proof.
func (s *Service) complete(t *turn) error {
	ctx := context.WithoutCancel(t.ctx)
	t.seal(t.Finish)
	return s.end(ctx, t, s.whole(t), nil)
}

// whole returns the end of a sealed answer, with its proof.
func (s *Service) whole(t *turn) End {
	name := answering.Title(t.Question.Content, s.config.Limits.NameCharacters)
	events := t.sourced() // before the proof, which includes them
	return End{At: s.now(), Name: name, Events: append(events,
		NameEvent(name), stream.EventOf(wire.EventComplete, proof(t.answer, t.Chunks)), stream.EventOf(wire.EventEnd, struct{}{}),
	)}
}

// fail stores what has arrived, and ends the stream with the error.
func (s *Service) fail(t *turn, err error) {
	switch cause := context.Cause(t.ctx); cause {
	case nil, stream.ErrStopped:
	case stream.ErrDeleted:
		err = errNoChat
	default:
		err = cause
	}
	t.seal(wire.FinishError)
	end := Broken(s.now(), err)
	end.Events = append(t.sourced(), end.Events...)
	for pause := endPause; ; pause = min(2*pause, endPauseMost) {
		stored := fault.Safely("store", func() error { return s.end(context.WithoutCancel(t.ctx), t, end, err) })
		if stored == nil || isOver(stored) {
			return
		}
		if pause == endPause {
			s.config.Log.Error("the end of an answer is not stored yet", "request_id", t.requestID, "error", errors.Join(err, stored))
		}
		t.release()
		select {
		case <-time.After(pause):
		case <-s.breaking:
			return
		}
	}
}

// How long to wait before the end of an answer is stored again, at first and at most. Readers
// wait too, because they never get anything that is not stored. If the Service is closed before,
// the answer is ended the next time a service starts.
const (
	endPause     = 100 * time.Millisecond
	endPauseMost = 5 * time.Second
)

// Broken returns the end of a stream whose answer failed.
func Broken(at float64, err error) End {
	failure := failureOf(err)
	return End{At: at, Error: failure, Events: []Event{stream.EventOf(wire.EventError, failure), stream.EventOf(wire.EventEnd, struct{}{})}}
}

// level returns the log level of a failed answer.
func level(err error) slog.Level {
	if isOver(err) {
		return slog.LevelInfo
	}
	return slog.LevelError
}

// end stores how the turn ended, with its failure or nil, as patiently as everything else of the
// answer, and publishes the last events. It does so last, because a client that has read the end
// may send again at once. If the answer was deleted with its chat, or if somebody else writes it or
// has ended it, the readers learn that from the Store.
func (s *Service) end(ctx context.Context, t *turn, end End, failed error) error {
	end.Marks = t.Marks()
	err := t.log.Store(ctx, &end.Events, func() error { return s.config.Store.EndTurn(ctx, t.log.Lease(), t.answer, &end) })
	over := failed != nil && isOver(err)
	if err != nil && !over {
		return err
	}
	if over {
		failed = err
		s.logs.Lost(t.streamID)
	}
	s.tellOthers(t, failed)
	if err == nil {
		t.log.Show(end.Events)
	}
	return err
}

// isOver reports whether this process may no longer write an answer.
func isOver(err error) bool {
	return errors.Is(err, fault.ErrNotFound) || errors.Is(err, stream.ErrTaken)
}

// tellOthers reports the end of an answer to the log, the memory and Config.Ended.
func (s *Service) tellOthers(t *turn, failed error) {
	t.release()
	outcome := t.Finish
	if failed != nil {
		outcome = fault.Of(failed).Code
		s.config.Log.Log(t.ctx, level(failed), "answer failed",
			"request_id", t.requestID, "code", outcome, "user_id", t.scope.UserID, "agent_id", t.Agent.ID, "model", t.Model, "error", failed)
	}
	if out := t.answer.LeftOut; out != nil {
		s.config.Log.InfoContext(t.ctx, "a model did not get all that belongs to its question", "request_id", t.requestID,
			"agent_id", t.Agent.ID, "model", t.answer.ModelName, "messages", out.Messages, "images", out.Images, "tools", out.Tools)
	}
	told := fault.Safely("the report of an answer's end", func() error {
		s.examine(t)
		if !t.Question.IsTest {
			s.config.Ended(outcome)
		}
		return nil
	})
	if told != nil {
		s.config.Log.Error("the end of an answer could not be reported", "request_id", t.requestID, "error", told)
	}
}
