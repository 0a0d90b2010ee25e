//go:build unix

package replicas_test

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// reader reads one answer to its end, over as many connections as that takes.
type reader struct {
	*user
	request  request // the one that asks; none where the answer is known
	question string
	leaves   bool            // closes the connection in the middle, once
	stopAt   int64           // the event after which it asks for the end; 0 is none
	followed func(a *answer) // is told of the answer when that is known
	answer   *answer         // nil until it is known
	all      []event         // that it got
}

func (r *reader) run(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		goOn := r.connect(ctx)
		if r.ended() || !goOn || !pause(ctx) {
			break
		}
	}
	if r.answer == nil {
		r.ledger.add("given up", 1)
		return
	}
	r.ledger.read(r.answer, r.all)
	if !r.ended() && ctx.Err() != nil {
		r.ledger.violation(leftOpen, "a reader of %q has %d events of stream %s and no end after %v", r.question, len(r.all), r.answer.streamID, patience)
	}
}

func (r *reader) ended() bool { return len(r.all) > 0 && r.all[len(r.all)-1].kind == wire.EventEnd }

// connect reads what there is, and tells whether to try again.
func (r *reader) connect(ctx context.Context) bool {
	request := r.request
	if r.answer != nil {
		request = get(r.user.id, "/v3/chat/stream/"+r.answer.streamID)
		request.lastEvent, request.stream = int64(len(r.all)), true
		r.ledger.add("resumes", 1)
	}
	begun := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(tryTime, cancel)
	response, err := r.client.do(ctx, request)
	late.Stop()
	unknown := func() {
		if r.answer == nil {
			r.ledger.told(r.number, begun, operation{subject: "key " + request.key})
		}
	}
	if err != nil {
		r.client.told(0)
		unknown()
		return true
	}
	defer func() { _ = response.Body.Close() }()
	r.client.told(response.StatusCode)
	if tryAgain(response.StatusCode) {
		unknown()
		return true
	}
	if response.StatusCode != http.StatusOK {
		text := make([]byte, 200)
		n, _ := response.Body.Read(text)
		r.ledger.violation(odd, "%s %s by %s after event %d: status %d: %s %v",
			request.method, request.path, r.user.id, len(r.all), response.StatusCode, text[:n], response.Header)
		return false
	}
	first := response.Header.Get(wire.HeaderReplayed) != "true"
	asking := r.answer == nil
	events(ctx, cancel, response.Body, func(e event) bool { return r.hear(ctx, e) })
	if asking && r.answer == nil {
		unknown()
	} else if asking {
		r.ledger.told(r.number, begun, operation{"key " + request.key, r.answer.streamID, first})
	}
	return true
}

// hear takes an event, and tells whether to read on.
func (r *reader) hear(ctx context.Context, e event) bool {
	if e.kind == wire.EventStart && r.answer == nil {
		if r.answer = r.ledger.begin(r.user.id, r.question, e.data); r.answer == nil {
			return false
		}
		if r.followed != nil {
			r.followed(r.answer)
		}
	}
	if want := int64(len(r.all)) + 1; e.id != want {
		r.ledger.violation(torn, "a reader of %q got event %d where %d comes", r.question, e.id, want)
		return false
	}
	if r.answer == nil {
		r.ledger.violation(odd, "the stream of %q begins with %s %s", r.question, e.kind, e.data)
		return false
	}
	r.all = append(r.all, e)
	if e.id == r.stopAt {
		r.stop(ctx)
	}
	if r.leaves && e.id == 5 {
		r.leaves = false
		return false
	}
	return e.kind != wire.EventEnd
}

// stop asks for the end of the answer that it reads.
func (r *reader) stop(ctx context.Context) {
	ctx = context.WithoutCancel(ctx) // the stream may be silent meanwhile
	status, body := r.client.until(ctx, request{method: http.MethodPost, path: "/v3/chat/stream/" + r.answer.streamID + "/stop", userID: r.user.id})
	if !r.expect("stop an answer", status, body, http.StatusOK) {
		return
	}
	receipt := &wire.StopReceipt{}
	if err := json.Unmarshal(body, receipt); err != nil {
		r.ledger.violation(odd, "a receipt is %.200s", body)
		return
	}
	r.ledger.change(func() { r.answer.receipt = receipt })
	r.ledger.add("stops", 1)
}
