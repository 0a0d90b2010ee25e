//go:build unix

package compat_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// order is an order to the client program, see client/main.go.
type order struct {
	N         int      `json:"n"`
	Do        string   `json:"do"`
	Chat      string   `json:"chat,omitempty"`
	ID        string   `json:"id,omitempty"`
	Text      string   `json:"text,omitempty"`
	Key       string   `json:"key,omitempty"`
	Yes       bool     `json:"yes,omitempty"`
	Documents []string `json:"documents,omitempty"`
}

// line is a line of the client program's output.
type line struct {
	N     int
	Event *struct {
		Type   string
		ID     int64
		Text   string
		Object json.RawMessage
	}
	Over   bool
	Value  json.RawMessage
	Error  string
	Status int
	Code   string
}

// client is a running client program, with one version of the SDK and as one user.
type client struct {
	t     *testing.T
	name  string
	input io.WriteCloser
	// gaps permits gaps in the event ids: the old SDK skips events that it doesn't know.
	gaps bool

	mu     sync.Mutex
	last   int
	asking map[int]chan line
}

// newClient starts the client program of a version. If userID is empty, it is the administrator.
func newClient(t *testing.T, v version, address, userID string) *client {
	t.Helper()
	cmd := exec.Command(v.client)
	cmd.Env = []string{"BASE_URL=" + address, "API_KEY=" + apiKey, "API_SECRET=" + apiSecret, "USER_ID=" + userID, "HOME=" + os.TempDir()}
	var failed bytes.Buffer
	cmd.Stderr = &failed
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := &client{t: t, name: v.name, input: input, asking: map[int]chan line{}}
	var listening sync.WaitGroup
	listening.Go(func() { c.listen(output) })
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Process.Kill()
		listening.Wait()
		_ = cmd.Wait()
		require.Empty(t, failed.String())
	})
	return c
}

func (c *client) listen(output io.Reader) {
	lines := bufio.NewReader(output)
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var told line
		if err := json.Unmarshal(text, &told); err != nil {
			c.t.Errorf("the client program wrote %q", text)
			return
		}
		c.mu.Lock()
		to, asked := c.asking[told.N]
		c.mu.Unlock()
		if !asked {
			c.t.Errorf("the client program answered order %d, which nobody gave", told.N)
			return
		}
		to <- told
	}
}

// mostLines is more than any order writes.
const mostLines = 1000

// begin sends an order.
func (c *client) begin(o order) *running {
	c.t.Helper()
	to := make(chan line, mostLines)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	o.N = c.last
	c.asking[o.N] = to
	text, err := json.Marshal(o)
	require.NoError(c.t, err)
	_, err = c.input.Write(append(text, '\n'))
	require.NoError(c.t, err)
	return &running{c: c, order: o, lines: to}
}

// running is an order in progress.
type running struct {
	c     *client
	order order
	lines <-chan line
	text  strings.Builder
	last  int64 // the id of the last event
	start wire.Start
}

// next returns the next line.
func (r *running) next() line {
	r.c.t.Helper()
	select {
	case told := <-r.lines:
		r.take(told)
		return told
	case <-time.After(time.Minute):
		r.c.t.Fatalf("the %s SDK: %s wrote nothing for a minute", r.c.name, r.order.Do)
		return line{}
	}
}

// take checks that events arrive in order, and collects the text.
func (r *running) take(told line) {
	r.c.t.Helper()
	if told.Event == nil {
		return
	}
	if r.c.gaps {
		r.last = told.Event.ID - 1
	}
	require.Equal(r.c.t, r.last+1, told.Event.ID, "the %s SDK: %s: event ids must not have gaps", r.c.name, r.order.Do)
	r.last = told.Event.ID
	switch told.Event.Type {
	case wire.EventStart:
		require.NoError(r.c.t, json.Unmarshal(told.Event.Object, &r.start))
	case wire.EventChunk:
		r.text.WriteString(told.Event.Text)
	}
}

// until reads up to the first event of a type.
func (r *running) until(kind string) *running {
	r.c.t.Helper()
	for {
		told := r.next()
		require.False(r.c.t, told.Over, "the %s SDK: %s ended before %s: %s", r.c.name, r.order.Do, kind, told.Error)
		if told.Event.Type == kind {
			return r
		}
	}
}

// end reads up to the last line, and returns it.
func (r *running) end() line {
	r.c.t.Helper()
	for {
		if told := r.next(); told.Over {
			return told
		}
	}
}

// into requires success, and reads the value.
func (r *running) into(value any) {
	r.c.t.Helper()
	told := r.end()
	require.Empty(r.c.t, told.Error, "the %s SDK: %s", r.c.name, r.order.Do)
	if value != nil {
		require.NoError(r.c.t, json.Unmarshal(told.Value, value), "%s", told.Value)
	}
}

// do sends an order and waits for its value.
func do[T any](c *client, o order) (value T) {
	c.t.Helper()
	c.begin(o).into(&value)
	return value
}

// done sends an order that has no value, and requires success.
func (c *client) done(o order) {
	c.t.Helper()
	c.begin(o).into(nil)
}

// fails requires an order to fail with a status.
func (c *client) fails(status int, o order) {
	c.t.Helper()
	told := c.begin(o).end()
	require.Equal(c.t, status, told.Status, "the %s SDK: %s: %s", c.name, o.Do, told.Error)
}

// answer requires success, and that the text of the message equals its chunks.
func (r *running) answer() wire.Message {
	r.c.t.Helper()
	var message wire.Message
	r.into(&message)
	require.Equal(r.c.t, message.Content, r.text.String(), "the %s SDK: %s", r.c.name, r.order.Do)
	return message
}

// eventually repeats an order until its value is the expected one.
func eventually[T any](c *client, o order, there func(T) bool) T {
	c.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		value := do[T](c, o)
		if there(value) {
			return value
		}
		require.True(c.t, time.Now().Before(deadline), "%s never returned what the test waits for: %+v", o.Do, value)
	}
}
