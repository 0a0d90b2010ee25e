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
	lost       = "acknowledged data lost"
	torn       = "events that a reader lost or got twice"
	doubled    = "messages, memories or documents stored twice"
	calledMore = "model called more than once for a message"
	former     = "writes by a former owner"
	twice      = "keys or decisions granted twice"
	leftOpen   = "answers left open"
	brokenBy   = "answers interrupted by a deployment or an outage"
	leftBehind = "goroutines or connections leaked"
	odd        = "unexpected responses"
)

var promises = []string{lost, torn, doubled, calledMore, former, twice, leftOpen, brokenBy, leftBehind, odd}

// ledger records what clients were told.
type ledger struct {
	*witness.Ledger
	asked     map[string]int     // how often a question was asked, each time with another key
	answers   map[string]*answer // by stream
	unchecked []*answer
	documents []*document
	chats     map[string]bool // whether a chat was deleted, by id
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
	// receipt is what a stop returned; nil if no client got one.
	receipt *wire.StopReceipt
	// readings are the events that each reader received, in order.
	readings [][]witness.Event
	// replaced reports that a regeneration was requested, which may have removed the answer.
	replaced bool
}

// document is what a client knows about an acknowledged upload.
type document struct {
	key, name, text, userID string
	deleted                 bool
}

// begin records an answer whose first event a reader received. All readers of a stream get the same
// answer.
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

// read records all events that a reader received of an answer.
func (l *ledger) read(a *answer, all []witness.Event) {
	l.Change(func() { a.readings = append(a.readings, all) })
	l.Add("events read", len(all))
}

// take returns the answers that no earlier call returned.
func (l *ledger) take() []*answer {
	l.Lock()
	defer l.Unlock()
	all := l.unchecked
	l.unchecked = nil
	return all
}

// operation is an operation in the history, on a key or on a memory.
type operation struct {
	subject string // what it is about
	// result is the id of the stream, chat or document that was created with a key, or the action of a
	// decision; empty if unknown.
	result string
	// first reports that this request took effect: it was neither replayed nor refused.
	first bool
}

// told records an operation with its result.
func (l *ledger) told(client int, begun time.Time, op operation) {
	l.Lock()
	defer l.Unlock()
	ended := int64(time.Since(l.Begun))
	if op.result == "" {
		ended = 1 << 62 // it may take effect at any later time
	}
	l.history = append(l.history, porcupine.Operation{ClientId: client, Input: op.subject, Call: int64(begun.Sub(l.Begun)), Output: op, Return: ended})
}

// onceModel describes something that is done once: the first operation gets a result, and all others
// get the same result. An operation without a response may have been the first.
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

// done is a state of onceModel.
type done struct {
	result string // empty if no client was told one
	maybe  bool   // an operation without a response came before
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

// refused is the result of a decision that came too late. It doesn't say which decision won.
const refused = "refused"
