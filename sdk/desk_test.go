package sdk_test

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// desk is a service with one answer, s1, that makes tool calls. Decisions, claims and results become
// events of the answer, and its readers get each event at once. Times count from the desk's creation.
type desk struct {
	made    time.Time
	mutex   sync.Mutex
	spoil   func(asked string) *reply
	log     []string // the events, as they are sent
	ended   bool
	changed chan struct{} // closed at the next event, or when readers are sent away
	away    int           // how many times readers were sent away
	before  func()        // is called once, before a reader gets the next event
	calls   []*wire.ToolCall
	claims  map[string]string
	timeout time.Duration // how long a claim is valid, in the response to a claim; 0 leaves it out
	asked   []arrival
	unread  int // bodies that are not closed
}

// arrival is a request.
type arrival struct {
	what string // method, path, and the last event id if there is one
	at   time.Duration
	body string
	ctx  context.Context
	// reading is how many streams are being read when the request arrives.
	reading int
}

func newDesk() *desk {
	d := &desk{made: time.Now(), changed: make(chan struct{}), claims: map[string]string{}}
	d.tell(wire.EventStart, wire.Start{StreamID: "s1", ChatID: "c1", MessageID: "m2", UserMessageID: "m1"})
	return d
}

func (d *desk) open(t testing.TB, config sdk.Config) *sdk.Client {
	t.Helper()
	config.Transport = d
	client, err := sdk.New(config)
	require.NoError(t, err)
	t.Cleanup(func() {
		time.Sleep(time.Second) // a whole stream is closed in the background
		require.Zero(t, d.opens(0), "bodies that are not closed")
	})
	return client
}

// spoils sets the function that replaces the desk's responses. If it returns nil, the desk responds.
func (d *desk) spoils(spoil func(asked string) *reply) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.spoil = spoil
}

// alters changes a call without an event.
func (d *desk) alters(id string, change func(call *wire.ToolCall)) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	change(d.find(id))
}

// forgets removes all calls.
func (d *desk) forgets() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.calls = nil
}

// status returns the status of a call.
func (d *desk) status(id string) (status string) {
	d.alters(id, func(call *wire.ToolCall) { status = call.Status })
	return status
}

// tell adds an event.
func (d *desk) tell(event string, data any) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.log = append(d.log, written{id: len(d.log) + 1, event: event, data: data}.String())
	d.ended = event == wire.EventEnd
	d.rouse()
}

func (d *desk) rouse() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// sendAway ends all streams as they are.
func (d *desk) sendAway() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.away++
	d.rouse()
}

// makes adds calls of the page's tool look.
func (d *desk) makes(status string, ids ...string) {
	for _, id := range ids {
		call := wire.ToolCall{
			ID: id, ChatID: "c1", MessageID: "m2", StreamID: "s1", Name: "look", Kind: wire.ToolPage, Arguments: `{"at":"` + id + `"}`,
			Description: "D", Status: status, RequestedAt: 1,
		}
		d.mutex.Lock()
		d.calls = append(d.calls, &call)
		d.mutex.Unlock()
		d.tell(wire.EventToolCall, call)
	}
}

// becomes changes a call's status and adds the event.
func (d *desk) becomes(id, status string) {
	d.mutex.Lock()
	call := d.find(id)
	call.Status = status
	now := *call
	d.mutex.Unlock()
	d.tell(wire.EventToolCall, now)
}

func (d *desk) find(id string) *wire.ToolCall {
	for _, call := range d.calls {
		if call.ID == id {
			return call
		}
	}
	return nil
}

// finishes ends the answer with a text.
func (d *desk) finishes(text string) {
	d.tell(wire.EventChunk, wire.Text{Text: text})
	d.tell(wire.EventComplete, complete(text).data)
	d.tell(wire.EventEnd, struct{}{})
}

// requests returns the requests whose text begins with prefix.
func (d *desk) requests(prefix string) []arrival {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	var found []arrival
	for _, one := range d.asked {
		if strings.HasPrefix(one.what, prefix) {
			found = append(found, one)
		}
	}
	return found
}

// whats returns the texts of all requests.
func (d *desk) whats() []string {
	var all []string
	for _, one := range d.requests("") {
		all = append(all, one.what)
	}
	return all
}

func (d *desk) Do(ctx context.Context, request *sdk.Request) (*sdk.Response, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	what, spoil, away := d.hears(ctx, request)
	var given *reply
	if spoil != nil {
		given = spoil(what)
	}
	if given == nil && isReading(what) {
		d.opens(1)
		from, _ := strconv.Atoi(request.Header["last-event-id"])
		return &sdk.Response{Status: 200, Header: reply{header: streamHeader()}.get, Body: &reader{desk: d, ctx: ctx, from: from, away: away}}, nil
	}
	if given == nil {
		own := d.answer(request, what)
		given = &own
	}
	if given.hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if given.err != nil {
		return nil, given.err
	}
	body := given.body
	if body == nil {
		body = reads()
	}
	body.ctx = ctx
	d.opens(1)
	return &sdk.Response{Status: max(given.status, 200), Header: given.get, Body: &counted{body, d}}, nil
}

// opens adds n to the number of open bodies, and returns it.
func (d *desk) opens(n int) int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.unread += n
	return d.unread
}

// counted is a body that the desk counts while it is open.
type counted struct {
	*body
	desk *desk
}

func (c *counted) Close() error {
	if c.body.closed == 0 {
		c.desk.opens(-1)
	}
	return c.body.Close()
}

// isReading reports whether a request reads the answer.
func isReading(what string) bool { return what == sends || strings.HasPrefix(what, resumes) }

func (d *desk) hears(ctx context.Context, request *sdk.Request) (what string, spoil func(string) *reply, away int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	what = strings.TrimSpace(request.Method + " " + strings.TrimPrefix(request.URL, "https://api.example.com") + " " + request.Header["last-event-id"])
	reading := 0
	for _, one := range d.asked {
		if isReading(one.what) && one.ctx.Err() == nil {
			reading++
		}
	}
	d.asked = append(d.asked, arrival{what, time.Since(d.made), string(request.Body), ctx, reading})
	return what, d.spoil, d.away
}

func (d *desk) answer(request *sdk.Request, what string) reply {
	path, _, _ := strings.Cut(strings.TrimPrefix(request.URL, "https://api.example.com/"), "?")
	parts := strings.Split(path, "/")
	switch {
	case what == history:
		return runningHistory()
	case parts[0] != "tool-calls":
		return receipt()
	case len(parts) == 1:
		return d.list()
	}
	return d.changes(parts[1], parts[2], request.Body)
}

func (d *desk) list() reply {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	list := wire.ListToolCallsResponse{ToolCalls: []wire.ToolCall{}}
	for i := range d.calls {
		list.ToolCalls = append(list.ToolCalls, *d.calls[len(d.calls)-1-i])
	}
	text, _ := json.Marshal(list)
	return jsonReply(string(text))
}

// changes decides, claims or finishes a call.
func (d *desk) changes(id, how string, body []byte) reply {
	var request struct{ Action, Claim, Error string }
	_ = json.Unmarshal(body, &request)
	d.mutex.Lock()
	status, claim := d.find(id).Status, d.claims[id]
	next := ""
	switch {
	case how == "decision" && status == wire.CallAwaiting:
		next = map[string]string{wire.DecisionApprove: wire.CallApproved, wire.DecisionDeny: wire.CallDenied}[request.Action]
	case how == "claim" && status == wire.CallApproved:
		next, d.claims[id] = wire.CallRunning, request.Claim
	case how == "claim" && status == wire.CallRunning && claim == request.Claim:
	case how == "result" && status == wire.CallRunning && claim == request.Claim:
		if next = wire.CallDone; request.Error != "" {
			next = wire.CallFailed
		}
	case how == "result" && claim == request.Claim && (status == wire.CallDone || status == wire.CallFailed):
	default:
		d.mutex.Unlock()
		return coded(409, wire.CodeConflict)
	}
	d.mutex.Unlock()
	if next != "" {
		d.becomes(id, next)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	text, _ := json.Marshal(wire.ToolCallResponse{Call: *d.find(id)})
	if how == "claim" && d.timeout != 0 {
		text, _ = json.Marshal(wire.ClaimResponse{Call: *d.find(id), Timeout: d.timeout.Seconds()})
	}
	return jsonReply(string(text))
}

// reader is a stream that is read as it grows.
type reader struct {
	*desk
	ctx        context.Context
	from, away int
	closed     bool
}

func (r *reader) Read(p []byte) (int, error) {
	for {
		came := r.comes()
		r.mutex.Lock()
		changed, away, ended := r.changed, r.desk.away != r.away, r.ended
		text := strings.Join(r.log[min(r.from, len(r.log)):], "")
		r.from = len(r.log)
		r.mutex.Unlock()
		switch {
		case r.ctx.Err() != nil && !came:
			return 0, r.ctx.Err()
		case text != "":
			return copy(p, text), nil
		case away || ended:
			return 0, io.EOF
		}
		select {
		case <-r.ctx.Done():
		case <-changed:
		case <-time.After(10 * time.Second):
			return copy(p, ": beat\n\n"), nil
		}
	}
}

// comes calls before, if before is set and the next event is there. It reports whether it did: if so,
// the reader gets the event even if its context has ended.
func (r *reader) comes() bool {
	r.mutex.Lock()
	before := r.before
	if r.from == len(r.log) {
		before = nil
	}
	if before != nil {
		r.before = nil
	}
	r.mutex.Unlock()
	if before != nil {
		before()
	}
	return before != nil
}

func (r *reader) Close() error {
	if !r.closed {
		r.closed = true
		r.opens(-1)
	}
	return nil
}
