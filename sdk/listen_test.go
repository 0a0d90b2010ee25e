package sdk_test

import (
	"context"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chatsdk/chatsdk/sdk"
)

// listener reads an answer in the background.
type listener struct {
	mutex sync.Mutex
	heard []string
	err   error
	ended chan struct{}
	leave context.CancelFunc
}

// listen reads the answer until its end, or until leave is called.
func listen(t *testing.T, answer func(context.Context) iter.Seq2[sdk.Event, error]) *listener {
	t.Helper()
	l := &listener{ended: make(chan struct{})}
	ctx, leave := context.WithCancel(t.Context())
	l.leave = leave
	t.Cleanup(leave)
	go func() {
		defer close(l.ended)
		for event, err := range answer(ctx) {
			l.take(event, err)
		}
	}()
	synctest.Wait()
	return l
}

func (l *listener) take(event sdk.Event, err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	said := event.Type
	switch {
	case err != nil:
		l.err = err
		return
	case event.ToolCall != nil:
		said = event.ToolCall.ID + " " + event.ToolCall.Status
	case event.Text != "":
		said += " " + event.Text
	}
	l.heard = append(l.heard, said)
}

func (l *listener) list() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return strings.Join(l.heard, ", ")
}

// asks sends a message and listens to its answer.
func asks(t *testing.T, client *sdk.Client) *listener {
	t.Helper()
	return listen(t, func(ctx context.Context) iter.Seq2[sdk.Event, error] {
		return client.Stream(ctx, "hi", sdk.SendMessageOptions{})
	})
}

// follows listens to the answer that is being written.
func follows(t *testing.T, client *sdk.Client) *listener {
	t.Helper()
	return listen(t, func(ctx context.Context) iter.Seq2[sdk.Event, error] {
		return client.Resume(ctx, "c1", sdk.ResumeOptions{})
	})
}

const (
	asksCalls = "GET /tool-calls?chat_id=c1&message_id=m2"
	decides   = "POST /tool-calls/t1/decision"
	claims    = "POST /tool-calls/t1/claim"
	results   = "POST /tool-calls/t1/result"
)

// after lets time pass.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// times returns the arrival times of the requests whose text begins with prefix.
func (d *desk) times(prefix string) []time.Duration {
	var times []time.Duration
	for _, one := range d.requests(prefix) {
		times = append(times, one.at)
	}
	return times
}
