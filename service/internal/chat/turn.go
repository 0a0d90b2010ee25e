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
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// An answer goes through stages, and each has what the ones before it made: what is
// asked (asking), what the answer rests on (basis), the answer that was begun (turn), what
// was looked up for it (finds), and the Prompt.

// asking is what a request asks for, checked.
type asking struct {
	scope     access.Scope
	agent     Agent
	model     string
	options   Options
	once      once.Request
	requestID string
	newChat   *wire.Chat // nil if the chat is there
	question  wire.Message
	images    []ImageFile // of a new question, until they are stored
	again     bool        // the question was answered before
	parent    string      // the id of the answer that a new question follows, empty for the last of the path
	edits     string      // the id of the question that a new one stands beside, empty for none
	offered   Offer
	tools     []*tool.Tool // that the model may call
}

// basis is an asking with what its answer rests on.
type basis struct {
	asking
	library   *library // what is searched for the answer; nil is nothing
	memories  string   // the part of the prompt
	memoryIDs []string
	examine   *Examine // nil if the question is not to be examined
}

// basisOf reads what an answer rests on, and refuses what the agent's window has no room for.
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

// turn is a question that is stored, with its answer while that is written.
type turn struct {
	basis
	ctx      context.Context // ends when the answer is stopped, the chat is deleted or the Service closes
	streamID string
	answer   wire.Message
	log      *stream.Writer
	release  func() // gives the user's place among the running streams back, once
	examined bool   // whether it was told that the question may be examined

	// What the stored events came to.
	text   strings.Builder
	chunks int
	finish string

	// past are the rounds in which the model was asked before.
	past []pastRound
	// found is what was looked up in an earlier round; nil if this is the first, or
	// another process asked it.
	found *finds
	// broken is why the round is not asked; nil if it is.
	broken error
	// last tells that this round makes no calls.
	last bool
	// said and calls are what the model says, without marks, and wants in this round.
	said  strings.Builder
	calls []ModelCall
	// evidence is what this round may draw on, marks reads what it cites, nil if nobody
	// asked for marks, and named is what the provider names, nil for nothing.
	evidence []evidence
	marks    *marks
	named    []wire.Source
	// before is how much of text the rounds before have said, in bytes.
	before int
}

// finds are what was looked up for an answer.
type finds struct {
	query    string // what was searched for
	passages []search.Hit
	results  []Result // of a web search
}

func (t *turn) start() wire.Start {
	return wire.Start{StreamID: t.streamID, ChatID: t.question.ChatID, MessageID: t.answer.ID, UserMessageID: t.question.ID}
}

// run asks the provider and writes the stream to its end, or until it is parked.
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

// tryAnswer gives a panic as an error: one answer must not end the service.
func (s *Service) tryAnswer(t *turn) (parked bool, err error) {
	err = safely("answer", func() error {
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

// find looks up what the answer is to draw on, and tells its readers so in the first round.
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

// relay asks the provider and stores and publishes what it says. The text goes
// to held instead, unless that is nil.
func (s *Service) relay(t *turn, prompt Prompt, held *strings.Builder) error {
	ctx, cancel := context.WithCancel(t.ctx)
	pieces := s.ask(ctx, prompt)
	defer func() {
		cancel()
		for range pieces {
			// Until the provider has let go.
		}
	}()
	for piece := range pieces {
		b := t.gather(piece, pieces, held)
		if err := s.keep(t, b); err != nil {
			return err
		}
		if b.err != nil {
			return b.err
		}
	}
	return nil
}

// keep stores and publishes a batch. What is not stored was never said: the
// answer holds what its readers got. Ending t.ctx ends the asking, not the
// storing of what had come.
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

// SaidNothing tells of an answer that has ended that it failed, or was stopped before its
// first word or call: it is no answer that a path leads to for long.
func SaidNothing(answer wire.Message) bool {
	return answer.FinishReason == wire.FinishError ||
		answer.FinishReason == wire.FinishStopped && answer.Content == "" && len(answer.ToolCalls) == 0
}

// seal makes the answer what it is for good.
func (t *turn) seal(finish string) {
	t.answer.Content, t.answer.FinishReason, t.answer.StreamID = t.text.String(), finish, ""
}

// complete stores the whole answer and ends the stream with its proof.
func (s *Service) complete(t *turn) error {
	ctx := context.WithoutCancel(t.ctx)
	t.seal(t.finish)
	return s.end(ctx, t, s.whole(t), nil)
}

// whole is the end of an answer that is sealed, with its proof.
func (s *Service) whole(t *turn) End {
	name := title(t.question.Content, s.config.Limits.NameCharacters)
	events := t.sourced() // before the proof, which has them too
	return End{At: s.now(), Name: name, Events: append(events,
		eventOf(wire.EventChatName, wire.ChatName{Name: name}),
		eventOf(wire.EventComplete, proof(t.answer, t.chunks)), eventOf(wire.EventEnd, struct{}{}),
	)}
}

// fail stores what had come and ends the stream with the error.
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
		stored := safely("store", func() error { return s.end(context.WithoutCancel(t.ctx), t, end, err) })
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

// How long an answer waits before its end is stored once more, at first and at
// most. Its readers wait too, since nothing is told that is not stored. Where the
// Service is closed first, the next start of a service ends the answer.
const (
	endPause     = 100 * time.Millisecond
	endPauseMost = 5 * time.Second
)

// Broken is the end of a stream whose answer failed.
func Broken(at float64, err error) End {
	failure := failureOf(err)
	return End{At: at, Error: failure, Events: []Event{eventOf(wire.EventError, failure), eventOf(wire.EventEnd, struct{}{})}}
}

// level is how much an operator needs to know of a failed answer.
func level(err error) slog.Level {
	if isOver(err) {
		return slog.LevelInfo
	}
	return slog.LevelError
}

// end stores how the turn ended, with its failure or nil, and gives the readers
// the last events. All else comes before that: who has read the end may send again
// at once. Where the answer is gone with its chat, or somebody else writes it or has ended it,
// its readers hear of that from the Store.
func (s *Service) end(ctx context.Context, t *turn, end End, failed error) error {
	err := s.config.Store.EndTurn(ctx, t.log.Lease(), t.answer, &end)
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

// isOver tells that an answer is no longer this process's to write.
func isOver(err error) bool {
	return errors.Is(err, fault.ErrNotFound) || errors.Is(err, stream.ErrTaken)
}

// tellOthers tells what follows the end of an answer.
func (s *Service) tellOthers(t *turn, failed error) {
	t.release()
	outcome := t.finish
	if failed != nil {
		outcome = fault.Of(failed).Code
		s.config.Log.Log(t.ctx, level(failed), "answer failed",
			"request_id", t.requestID, "code", outcome, "agent_id", t.agent.ID, "error", failed)
	}
	told := safely("what is told of an answer's end", func() error {
		s.examine(t)
		if !t.question.IsTest {
			s.config.Ended(outcome)
		}
		return nil
	})
	if told != nil {
		s.config.Log.Error("the end of an answer was not told", "request_id", t.requestID, "error", told)
	}
}
