package faults_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
	"github.com/chatsdk/chatsdk/js/test/fault"
)

//go:embed faults.js
var script string

// pieces are the model's answer: 2 kB in forty pieces, in characters of one to four bytes.
var pieces = func() []string {
	all := make([]string, 40)
	for i := range all {
		all[i] = fmt.Sprintf("Stück %d — \"naïve\" 東京 😀\n\tund weiter; ", i)
	}
	return all
}()

func answer(a *test.Answer) {
	for _, piece := range pieces {
		a.Text(piece)
	}
	a.Finish("stop")
}

const sendPath = "/v3/chat/message"

// bench is a page that talks to a service through a proxy.
type bench struct {
	t       *testing.T
	page    *test.Page
	model   *test.Model
	service *test.Service
	proxy   *fault.Proxy
	whole   reference

	mu sync.Mutex
	// next returns the plan of a request of the chat.
	next func(r *http.Request) fault.Plan
}

// newBench starts everything. Nothing breaks before plan is set.
func newBench(t *testing.T, settings test.Config) *bench {
	t.Helper()
	b := &bench{t: t, model: test.NewModel(t)}
	b.model.Otherwise(answer)
	b.service = suite.Service(t, append(b.model.Env(), "SENDS_PER_MINUTE=0", "STREAMS_PER_USER=0", "CHATS_PER_USER=0",
		"CHATS_PER_MINUTE=0", "WRITES_PER_MINUTE=0", "STREAM_RETENTION=1m")...)
	var err error
	b.proxy, err = fault.Start(b.service.Address, b.plan)
	require.NoError(t, err)
	t.Cleanup(b.proxy.Close)
	config := b.service.Config(t, "ada")
	b.whole = b.refer(config)
	config["baseUrl"] = b.proxy.URL
	config["retryDelay"] = 0
	delete(config, "maxRetries")
	for name, value := range settings {
		config[name] = value
	}
	b.page = suite.Page(t, b.proxy.URL+test.ScriptPage, script)
	b.page.Do(`globalThis.sdk = new ChatSDK($1)`, config)
	return b
}

// plan breaks only the requests for a chat's answers; pages come from their own server.
func (b *bench) plan(r *http.Request) fault.Plan {
	if strings.HasPrefix(r.URL.Path, "/test/") {
		return fault.Plan{Target: strings.TrimPrefix(b.service.URL, "http://")}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil || !strings.HasPrefix(r.URL.Path, "/v3/chat/") {
		return fault.Plan{}
	}
	return b.next(r)
}

// perEval is how many sends one evaluation makes: they must end before the harness gives up.
const perEval = 200

// run sends a message for each question; next returns the plans.
func (b *bench) run(name string, questions []string, next func(r *http.Request) fault.Plan) *tally {
	b.t.Helper()
	b.mu.Lock()
	b.next = next
	b.mu.Unlock()
	total := &tally{name: name}
	before := b.proxy.Broken()
	for len(questions) > 0 {
		some := questions[:min(perEval, len(questions))]
		questions = questions[len(some):]
		total.add(test.Eval[tally](b.page, `return faults.run(sdk, $1, $2)`, some, pieces))
		for _, question := range some {
			if calls := b.model.Calls(question); calls != 1 {
				total.calls++
				total.Examples = append(total.Examples, fmt.Sprintf("%s: %d calls of the model", question, calls))
			}
		}
	}
	total.broken = b.proxy.Broken()
	for part, n := range before {
		total.broken[part] -= n
	}
	return total
}

// reference is a response that nothing broke.
type reference struct {
	head string
	// events are the events of the body, each with its blank line.
	events []string
}

// refer reads the response to a message as it passes the proxy.
func (b *bench) refer(config test.Config) reference {
	b.t.Helper()
	token := fmt.Sprint("Bearer ", config["accessToken"])
	_, body := b.post(token, "/chat/create", "application/json", `{"project_id":"`+test.Project+`","name":"reference"}`)
	var chat struct {
		ID string `json:"chat_id"`
	}
	require.NoError(b.t, json.Unmarshal([]byte(body), &chat))
	var form strings.Builder
	for _, field := range [][2]string{{"message", "reference"}, {"project_id", test.Project}, {"chat_id", chat.ID}} {
		fmt.Fprintf(&form, "--x\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", field[0], field[1])
	}
	head, body := b.post(token, sendPath, "multipart/form-data; boundary=x", form.String()+"--x--\r\n")
	text, err := io.ReadAll(httputil.NewChunkedReader(strings.NewReader(body)))
	require.NoError(b.t, err)
	events := strings.SplitAfter(string(text), "\n\n")
	return reference{head: head, events: events[:len(events)-1]}
}

// post returns the bytes of a response.
func (b *bench) post(token, path, contentType, text string) (head, body string) {
	b.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.proxy.URL, "http://"))
	require.NoError(b.t, err)
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nAuthorization: %s\r\n"+
		"Content-Type: %s\r\nContent-Length: %d\r\n\r\n%s", path, token, contentType, len(text), text)
	require.NoError(b.t, err)
	raw, err := io.ReadAll(conn)
	require.NoError(b.t, err)
	head, body, _ = strings.Cut(string(raw), "\r\n\r\n")
	require.Contains(b.t, head, "200 OK")
	return head + "\r\n\r\n", body
}

// longest is more than the response after an event can have: each event may be a separate chunk,
// and times may have more digits.
func (w *reference) longest(after int) int {
	size := len(w.head) + 64
	for _, event := range w.events[min(after, len(w.events)):] {
		size += len(event) + len("fff\r\n\r\n")
	}
	return size
}

// somewhere breaks the response to a request at a random place, in a random way.
func (w *reference) somewhere(random *rand.Rand, r *http.Request) fault.Plan {
	after, _ := strconv.Atoi(r.Header.Get("Last-Event-Id")) // a missing id is 0
	return fault.Plan{Way: fault.Cuts[random.IntN(len(fault.Cuts))], At: fault.AtByte(random.IntN(w.longest(after)))}
}
