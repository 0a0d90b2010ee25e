//go:build unix

package replicas_test

import (
	"encoding/json"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
)

// The counts that must be 0.
const (
	lost       = "acknowledged things lost"
	torn       = "chunks lost or doubled to a reader"
	doubled    = "messages, memories or documents doubled"
	calledMore = "model calls beyond one a message"
	former     = "writes of a former owner"
	twice      = "keys or decisions that two requests got"
	leftOpen   = "answers left open"
	brokenBy   = "answers that a deploy or an outage interrupted"
	leftBehind = "goroutines or connections left behind"
	odd        = "answers of an impossible kind"
)

var promises = []string{lost, torn, doubled, calledMore, former, twice, leftOpen, brokenBy, leftBehind, odd}

// ledger is what clients were told.
type ledger struct {
	*witness.Ledger
	asked     map[string]int     // how often a question was asked, each time with another key
	answers   map[string]*answer // by stream
	unchecked []*answer
	documents []*document
	chats     map[string]bool // whether it was deleted
	history   []porcupine.Operation
}

func newLedger(say func(args ...any)) *ledger {
	return &ledger{
		Ledger: witness.NewLedger(say), asked: map[string]int{}, answers: map[string]*answer{}, chats: map[string]bool{},
	}
}

// answer is what clients know about one answer.
type answer struct {
	streamID, chatID, messageID, userMessageID, userID, question string
	// receipt is the end that a stop returned to a client; nil if none did.
	receipt *wire.StopReceipt
	// readings are what each reader read, in order.
	readings [][]witness.Event
	// replaced says that a regeneration was requested, after which the answer may be gone.
	replaced bool
}

// document is what a client knows about an acknowledged upload.
type document struct {
	key, name, text, userID string
	deleted                 bool
}

// begin notes an answer that a reader heard of. It is the same for all readers.
func (l *ledger) begin(userID, question, data string) *answer {
	var start wire.Start
	if err := json.Unmarshal([]byte(data), &start); err != nil {
		l.Violation(odd, "a stream begins with %q", data)
		return nil
	}
	l.Lock()
	defer l.Unlock()
	a := l.answers[start.StreamID]
	if a == nil {
		a = &answer{
			streamID: start.StreamID, chatID: start.ChatID, messageID: start.MessageID, userMessageID: start.UserMessageID,
			userID: userID, question: question,
		}
		l.answers[start.StreamID] = a
		l.unchecked = append(l.unchecked, a)
	}
	return a
}

// read notes what a reader read of an answer in the end.
func (l *ledger) read(a *answer, all []witness.Event) {
	l.Change(func() { a.readings = append(a.readings, all) })
	l.Add("events read", len(all))
}

// take returns what was not checked yet.
func (l *ledger) take() []*answer {
	l.Lock()
	defer l.Unlock()
	all := l.unchecked
	l.unchecked = nil
	return all
}

// operation is an operation of the history: on a key, or on a memory.
type operation struct {
	subject string // what it is about
	// result is the operation's result: a stream, a chat or a document of a key, or the action of a
	// decision; empty if unknown.
	result string
	// first says that this request did it: it was neither replayed nor refused.
	first bool
}

// told notes an operation with its result.
func (l *ledger) told(client int, begun time.Time, op operation) {
	l.Lock()
	defer l.Unlock()
	ended := int64(time.Since(l.Begun))
	if op.result == "" {
		ended = 1 << 62 // it may be done at any later time
	}
	l.history = append(l.history, porcupine.Operation{ClientId: client, Input: op.subject, Call: int64(begun.Sub(l.Begun)), Output: op, Return: ended})
}

// onceModel is a thing that is done once: the first operation gets a result, and all others are
// told the same result. An operation without an answer may have done it.
var onceModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		at := map[string]int{}
		for _, op := range history {
			subject := op.Input.(string)
			if _, known := at[subject]; !known {
				at[subject] = len(parts)
				parts = append(parts, nil)
			}
			parts[at[subject]] = append(parts[at[subject]], op)
		}
		return parts
	},
	Init: func() any { return done{} },
	Step: func(state, _, output any) (bool, any) { return state.(done).step(output.(operation)) },
}

// done is the state of a thing.
type done struct {
	result string // empty: nobody was told one
	maybe  bool   // an operation without an answer came before
}

func (d done) step(op operation) (bool, any) {
	switch {
	case op.result == "":
		return true, done{d.result, true}
	case op.first:
		return d.result == "", done{op.result, d.maybe}
	case d.result == "" && d.maybe:
		return true, done{op.result, true}
	}
	return d.result != "" && (op.result == refused || d.result == refused || d.result == op.result), d
}

// refused is the result of a decision that came too late: it doesn't say which one won.
const refused = "refused"
