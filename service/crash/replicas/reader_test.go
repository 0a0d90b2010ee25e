//go:build unix

package replicas_test

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
)

// reader reads one answer to its end, over as many connections as needed.
type reader struct {
	*user
	request  witness.Request // asks the question; unused if the answer is known
	question string
	leaves   bool            // closes the connection once, after event 5
	stopAt   int64           // the event after which it stops the answer; 0 means never
	followed func(a *answer) // called when the answer is known
	answer   *answer         // nil until it is known
	all      []witness.Event // the events that it received
}

func (r *reader) run(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		goOn := r.connect(ctx)
		if r.ended() || !goOn || !witness.Pause(ctx, again) {
			break
		}
	}
	if r.answer == nil {
		r.ledger.Add("given up", 1)
		return
	}
	r.ledger.read(r.answer, r.all)
	if !r.ended() && ctx.Err() != nil {
		r.ledger.Violation(leftOpen, "a reader of %q has %d events of stream %s and no end after %v", r.question, len(r.all), r.answer.streamID, patience)
	}
}

func (r *reader) ended() bool { return len(r.all) > 0 && r.all[len(r.all)-1].Kind == wire.EventEnd }

// connect reads events until the connection ends, and reports whether to try again.
func (r *reader) connect(ctx context.Context) bool {
	request := r.request
	asking := r.answer == nil
	if !asking {
		request = witness.Stream(r.user.id, r.answer.streamID, len(r.all))
		r.ledger.Add("resumes", 1)
	}
	begun := time.Now()
	status, refusal, header := r.client.Read(ctx, request, func(e witness.Event) bool { return r.hear(ctx, e) })
	switch {
	case status != http.StatusOK && !witness.TryAgain(status):
		r.ledger.Violation(odd, "%s %s by %s after event %d: status %d: %.200s %v",
			request.Method, request.Path, r.user.id, len(r.all), status, refusal, header)
		return false
	case asking && r.answer == nil:
		r.ledger.told(r.number, begun, operation{subject: "key " + request.Key})
	case asking:
		first := header.Get(wire.HeaderReplayed) != "true"
		r.ledger.told(r.number, begun, operation{"key " + request.Key, r.answer.streamID, first})
	}
	return true
}

// hear handles an event, and reports whether to read on.
func (r *reader) hear(ctx context.Context, e witness.Event) bool {
	if e.Kind == wire.EventStart && r.answer == nil {
		if r.answer = r.ledger.begin(r.user.id, r.question, e.Data); r.answer == nil {
			return false
		}
		if r.followed != nil {
			r.followed(r.answer)
		}
	}
	if want := int64(len(r.all)) + 1; e.ID != want {
		r.ledger.Violation(torn, "a reader of %q got event %d, want %d", r.question, e.ID, want)
		return false
	}
	if r.answer == nil {
		r.ledger.Violation(odd, "the stream of %q begins with %s %s", r.question, e.Kind, e.Data)
		return false
	}
	r.all = append(r.all, e)
	if e.ID == r.stopAt {
		r.stop(ctx)
	}
	if r.leaves && e.ID == 5 {
		r.leaves = false
		return false
	}
	return e.Kind != wire.EventEnd
}

// stop stops the answer that it reads.
func (r *reader) stop(ctx context.Context) {
	ctx = context.WithoutCancel(ctx) // Until has its own time limit, patience
	status, body := r.client.Until(ctx, witness.Request{Method: http.MethodPost, Path: "/v3/chat/stream/" + r.answer.streamID + "/stop", UserID: r.user.id})
	if !r.expect("stop an answer", status, body, http.StatusOK) {
		return
	}
	receipt := &wire.StopReceipt{}
	if err := json.Unmarshal(body, receipt); err != nil {
		r.ledger.Violation(odd, "invalid receipt: %.200s", body)
		return
	}
	r.ledger.Change(func() { r.answer.receipt = receipt })
	r.ledger.Add("stops", 1)
}
