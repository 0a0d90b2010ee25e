package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	// answerBytes is the largest size of a server's answer, and of all pages of its list together.
	answerBytes = 1 << 20
	// resultBytes is the largest size of the answer to a call, which may hold images.
	resultBytes = 8 << 20
	// answerDepth is how deep an answer is nested at most. The library reads a list again for each
	// list around it.
	answerDepth = 64

	methodCall   = "tools/call"
	methodList   = "tools/list"
	methodListen = "subscriptions/listen"
)

// attempt is the state of a call's only request.
type attempt struct {
	mu     sync.Mutex
	begun  bool
	sent   bool
	status int
	whole  bool
	// over says which bound the answer exceeds, empty for none.
	over string
	// text is what was read of the answer.
	text []byte
}

// Write implements io.Writer for what is read of the answer.
func (a *attempt) Write(p []byte) (int, error) {
	a.set(func(a *attempt) { a.text = append(a.text, p...) })
	return len(p), nil
}

// said returns what was read of the answer.
func (a *attempt) said() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.text)
}

// begin reports whether the request may be sent: only the first one may.
func (a *attempt) begin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	isFirst := !a.begun
	a.begun = true
	return isFirst
}

func (a *attempt) set(change func(a *attempt)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(a)
}

func (a *attempt) isSent() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sent
}

func (a *attempt) isOver() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.over
}

// answer returns the status, 0 for none, and whether the body was read to its end.
func (a *attempt) answer() (int, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status, a.whole
}

// roundTripper sends the requests of one session. It adds the token, limits the size of answers,
// and sends a call once.
type roundTripper struct {
	base  http.RoundTripper
	token string
	// attempt is the session's call, nil in the listening session.
	attempt *attempt
	// lost is called when the stream of notifications has ended; nil in the session of a call.
	lost func()
	// forgotten is set when the server says that it does not know the session.
	forgotten atomic.Bool
	// listed is how much of the list was read, of all its pages.
	listed atomic.Int64
	// over says which bound an answer has exceeded; nil for none.
	over atomic.Pointer[string]
}

// exceeded replaces an error of the library, which knows nothing of the bounds.
func (t *roundTripper) exceeded(err error) error {
	if over := t.over.Load(); err != nil && over != nil {
		return errors.New("its answer is " + *over)
	}
	return err
}

// beginList says that a list is read from its beginning.
func (t *roundTripper) beginList() { t.listed.Store(0) }

// client follows no redirects, so that the token is sent nowhere else.
func (t *roundTripper) client() *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// RoundTrip implements http.RoundTripper.
func (t *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	method := rpcMethod(r)
	r = r.Clone(r.Context())
	if t.token != "" {
		r.Header.Set("Authorization", "Bearer "+t.token)
	}
	if method == methodCall && t.attempt != nil {
		return t.call(r)
	}
	response, err := t.send(r)
	if err != nil {
		return nil, err
	}
	switch {
	case method == methodListen && t.lost != nil:
		response.Body = &body{ReadCloser: response.Body, left: -1, depth: depthOf(response), ended: t.lost}
	case method == methodList:
		response.Body = &body{
			ReadCloser: response.Body, left: max(0, answerBytes-int(t.listed.Load())), depth: depthOf(response), got: func(n int) { t.listed.Add(int64(n)) },
			over: func(what string) { t.over.Store(&what) },
		}
	case r.Method == http.MethodPost:
		response.Body = &body{ReadCloser: response.Body, left: answerBytes, depth: depthOf(response)}
	default:
		response.Body = &body{ReadCloser: response.Body, left: -1, depth: depthOf(response)}
	}
	return response, nil
}

// send sends a request. A session that the server has ended, or never began, is one that it does not know: only this
// makes it answer 404 to a request that names a session.
func (t *roundTripper) send(r *http.Request) (*http.Response, error) {
	response, err := t.base.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusNotFound && r.Header.Get("Mcp-Session-Id") != "" {
		t.forgotten.Store(true)
	}
	return response, err
}

// call sends the call.
func (t *roundTripper) call(r *http.Request) (*http.Response, error) {
	if !t.attempt.begin() {
		return nil, errors.New("a call is only sent once")
	}
	r.GetBody = nil
	sent := func(httptrace.GotConnInfo) { t.attempt.set(func(a *attempt) { a.sent = true }) }
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: sent}))
	response, err := t.send(r)
	if err != nil {
		return nil, err
	}
	t.attempt.set(func(a *attempt) { a.status = response.StatusCode })
	response.Body = &body{
		ReadCloser: response.Body, left: resultBytes, depth: depthOf(response), most: resultBytes,
		over:  func(what string) { t.attempt.set(func(a *attempt) { a.over = what }) },
		whole: func() { t.attempt.set(func(a *attempt) { a.whole = true }) },
	}
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		response.Body = tee{io.TeeReader(response.Body, t.attempt), response.Body}
		return response, nil
	}
	// The library reads some refusals and not others, so the body is read here to find out
	// whether it is complete.
	text, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(text))
	return response, nil
}

// rpcMethod returns the method of a JSON-RPC request, empty for anything else.
func rpcMethod(r *http.Request) string {
	if r.GetBody == nil {
		return ""
	}
	reader, err := r.GetBody()
	if err != nil {
		return ""
	}
	defer func() { _ = reader.Close() }()
	var request struct {
		Method string `json:"method"`
	}
	if json.NewDecoder(reader).Decode(&request) != nil {
		return ""
	}
	return request.Method
}

// tee is a body that is also written elsewhere.
type tee struct {
	io.Reader
	io.Closer
}

// body limits how much of an answer is read, and how deep it is nested.
type body struct {
	io.ReadCloser
	left         int // below 0: no bound
	most         int // what left was; 0 for answerBytes
	depth        depth
	over         func(what string)
	got          func(n int)
	whole, ended func()
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, b.refuse(fmt.Sprintf("longer than %d bytes", cmp.Or(b.most, answerBytes)))
	}
	if b.left > 0 {
		p = p[:min(len(p), b.left)]
	}
	n, err := b.ReadCloser.Read(p)
	if !b.depth.read(p[:n]) {
		return 0, b.refuse(fmt.Sprintf("nested deeper than %d levels", answerDepth))
	}
	if b.left > 0 {
		b.left -= n
	}
	if b.got != nil {
		b.got(n)
	}
	if err == io.EOF {
		call(b.whole)
	}
	if err != nil {
		call(b.ended)
	}
	return n, err
}

func (b *body) refuse(what string) error {
	if b.over != nil {
		b.over(what)
	}
	return errors.New("the answer is " + what)
}

func call(f func()) {
	if f != nil {
		f()
	}
}
