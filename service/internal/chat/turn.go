package chat

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/tool"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// An answer goes through stages, and each of them includes the earlier ones: the request
// (asking), everything that the answer is based on (basis), the answer that has begun (turn), the
// results of searches (finds), and the Prompt.

// asking is a checked request for an answer.
type asking struct {
	scope     access.Scope
	agent     Agent
	model     string
	options   Options
	once      once.Request
	requestID string
	newChat   *wire.Chat // nil if the chat exists
	question  wire.Message
	images    []images.File // of a new question, until they are stored
	again     bool          // the question already has an answer
	parent    string        // the id of the answer that a new question follows, empty for the last of the path
	edits     string        // the id of the question that this one is a new version of, empty for none
	offered   Offer
	tools     []*tool.Tool // that the model may call
}

// basis is an asking with everything that its answer is based on.
type basis struct {
	asking
	library   *library // the documents to search; nil means none
	memories  string   // the part of the prompt
	memoryIDs []string
	examine   *Examine // nil if the question is not to be examined
}

// basisOf reads what an answer is based on, and refuses a request that doesn't fit into the
// agent's window.
func (s *Service) basisOf(ctx context.Context, a asking) (basis, error) {
	documents, err := s.chooseDocuments(ctx, a)
	if err != nil {
		return basis{}, err
	}
	if err := a.fits(documents); err != nil {
		return basis{}, err
	}
	b := basis{asking: a, library: documents}
	return b, s.remember(ctx, &b)
}

// turn is a stored question, and its answer while that is being written.
type turn struct {
	basis
	ctx      context.Context // ends when the answer is stopped, the chat is deleted or the Service closes
	streamID string
	answer   wire.Message
	log      *stream.Writer
	release  func() // gives back the user's place among the running streams, once
	examined bool   // whether memory has been told that the question may be examined

	// The state after the events that are stored.
	text   strings.Builder
	chunks int
	finish string

	// past are the earlier rounds, in which the model was asked before.
	past []pastRound
	// found are the results of searches in an earlier round; nil if this is the first round, or
	// if another process ran the earlier one.
	found *finds
	// broken is why the round cannot be asked; nil if it can.
	broken error
	// last says that this round may not make calls.
	last bool
	// said and calls are the model's text in this round, without marks, and the calls it wants.
	said  strings.Builder
	calls []toolcall.ModelCall
	// evidence is what this round may use as sources. marks reads what the model cites; nil if it
	// was not asked for marks. named are the sources that the provider names, nil if it names
	// none.
	evidence []evidence
	marks    *marks
	named    []wire.Source
	// before is how many bytes of text are from earlier rounds, and most how many the answer may have;
	// 0 for no bound.
	before, most int
}

// finds are the results of searches for an answer.
type finds struct {
	query    string // what was searched for
	passages []search.Hit
	results  []Result // of a web search
}

func (t *turn) start() wire.Start {
	return wire.Start{StreamID: t.streamID, ChatID: t.question.ChatID, MessageID: t.answer.ID, UserMessageID: t.question.ID}
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
		case stopped && (err != nil || len(t.calls) > 0):
			t.finish, err = wire.FinishStopped, nil
		case err == nil && len(t.calls) > 0:
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
	found, err := s.find(t)
	if err != nil {
		return err
	}
	var prompt Prompt
	err = s.logs.Patiently(t.ctx, func() (err error) {
		prompt, err = s.prompt(t.ctx, t, found)
		return err
	})
	if err != nil {
		return err
	}
	t.evidence = evidenceOf(prompt)
	if t.options.ExampleJSON != "" {
		return s.writeStructured(t, prompt)
	}
	if t.library.asksForMarks() {
		t.marks = newMarks(len(prompt.Passages))
	}
	return s.relay(t, prompt, nil)
}

// find searches for sources of the answer. In the first round it tells the readers.
func (s *Service) find(t *turn) (all finds, err error) {
	if t.found != nil {
		return *t.found, nil
	}
	own := false
	if t.library != nil || t.options.GoogleSearch {
		if all.query, own, err = s.query(t); err != nil {
			return all, err
		}
	}
	if all.passages, err = s.lookUp(t, all.query, own); err != nil {
		return all, err
	}
	all.results, err = s.searchWeb(t, all.query)
	t.found = &all
	return all, err
}

// relay asks the provider, and stores and publishes what it says. Unless held is nil, the text
// goes there instead.
func (s *Service) relay(t *turn, prompt Prompt, held *strings.Builder) error {
	ctx, cancel := context.WithCancel(t.ctx)
	pieces := s.ask(ctx, prompt)
	defer func() {
		cancel()
		for range pieces {
			// Wait until the provider has ended its call.
		}
	}()
	for piece := range pieces {
		b := t.gather(piece, pieces, held)
		if err := s.keep(t, b); err != nil {
			return err
		}
		if b.err != nil || b.full {
			return b.err
		}
	}
	return nil
}

// keep stores and publishes a batch. Text that cannot be stored is not part of the answer: the
// answer contains exactly what its readers got. The end of t.ctx ends the request to the model,
// but what has arrived is still stored.
func (s *Service) keep(t *turn, b batch) error {
	if len(b.events) > 0 {
		if err := t.log.Append(context.WithoutCancel(t.ctx), b.events); err != nil {
			return err
		}
		s.examine(t)
	}
	for _, text := range b.chunks {
		t.text.WriteString(text)
	}
	t.said.WriteString(b.said)
	if b.sources != nil {
		t.named = append(append([]wire.Source{}, t.named...), b.sources...)
	}
	if !t.last {
		t.calls = append(t.calls, b.calls...)
	}
	t.chunks += len(b.chunks)
	if b.finish != "" {
		t.finish = b.finish
	}
	return nil
}

// SaidNothing reports whether a finished answer failed, or was stopped before its first word or
// call. A chat's path does not stay at such an answer.
func SaidNothing(answer wire.Message) bool {
	return answer.FinishReason == wire.FinishError ||
		answer.FinishReason == wire.FinishStopped && answer.Content == "" && len(answer.ToolCalls) == 0
}

// seal sets the final state of the answer.
func (t *turn) seal(finish string) {
	t.answer.Content, t.answer.FinishReason, t.answer.StreamID = t.text.String(), finish, ""
}

// complete stores the whole answer and ends the stream with its proof.
func (s *Service) complete(t *turn) error {
	ctx := context.WithoutCancel(t.ctx)
	t.seal(t.finish)
	return s.end(ctx, t, s.whole(t), nil)
}

// whole returns the end of a sealed answer, with its proof.
func (s *Service) whole(t *turn) End {
	name := title(t.question.Content, s.config.Limits.NameCharacters)
	events := t.sourced() // before the proof, which includes them
	return End{At: s.now(), Name: name, Events: append(events,
		NameEvent(name), stream.EventOf(wire.EventComplete, proof(t.answer, t.chunks)), stream.EventOf(wire.EventEnd, struct{}{}),
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
	outcome := t.finish
	if failed != nil {
		outcome = fault.Of(failed).Code
		s.config.Log.Log(t.ctx, level(failed), "answer failed",
			"request_id", t.requestID, "code", outcome, "user_id", t.scope.UserID, "agent_id", t.agent.ID, "model", t.model, "error", failed)
	}
	told := fault.Safely("the report of an answer's end", func() error {
		s.examine(t)
		if !t.question.IsTest {
			s.config.Ended(outcome)
		}
		return nil
	})
	if told != nil {
		s.config.Log.Error("the end of an answer could not be reported", "request_id", t.requestID, "error", told)
	}
}
