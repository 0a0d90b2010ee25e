package main_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// act does a request of a user, and reports whether the answer was 200.
func (p *process) act(ctx context.Context, user, path string, header http.Header, body string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.address+path, strings.NewReader(body))
	if err != nil {
		return false
	}
	request.Header = http.Header{"X-Api-Key": {apiKey}, "X-Api-Secret": {apiSecret}, "X-User-Id": {user}, "Content-Type": header["Content-Type"]}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return err == nil && response.StatusCode == http.StatusOK
}

func (p *process) creates(ctx context.Context, user string) bool {
	return p.act(ctx, user, "/chat/create", asJSON(), `{"project_id":"demo"}`)
}

func (p *process) sends(ctx context.Context, user string) bool {
	header, body := form("How many words are in this question?")
	return p.act(ctx, user, "/v3/chat/message", header, body)
}

// longest returns how long the longest of many creations and sends takes, by several users at once.
func (p *process) longest(t *testing.T) (longest time.Duration) {
	var mu sync.Mutex
	var acting sync.WaitGroup
	for n := range 3 {
		acting.Go(func() {
			for range 5 {
				for _, act := range []func(context.Context, string) bool{p.creates, p.sends} {
					begun := time.Now()
					ok := act(t.Context(), fmt.Sprint("other", n))
					mu.Lock()
					longest = max(longest, time.Since(begun))
					mu.Unlock()
					assert.True(t, ok, "neither a creation nor a send fails")
				}
			}
		})
	}
	acting.Wait()
	return longest
}

// A replica that hangs in the middle of its work, or is cut off from the database as one whose host is lost, delays
// creations, sends and ends of answers on others by at most a second. PostgreSQL frees what it has locked after
// idle_in_transaction_session_timeout, 10 s.
func TestAReplicaThatHangsDelaysNobody(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	h, behind := newHole(t, database)
	unlimited := env{"SENDS_PER_MINUTE": "0", "CHATS_PER_MINUTE": "0", "STREAMS_PER_USER": "0"}
	hangs, other := replicas(t, behind, 1, unlimited)[0], replicas(t, database, 1, unlimited)[0]
	ctx, end := context.WithCancel(t.Context())
	var loading sync.WaitGroup
	defer loading.Wait()
	defer end()
	for n := range 12 {
		loading.Go(func() {
			for ctx.Err() == nil {
				hangs.creates(ctx, fmt.Sprint("user", n))
				hangs.sends(ctx, fmt.Sprint("user", n))
			}
		})
	}
	usual := time.Duration(0) // without a fault, on the machine as it is just now
	for range 8 {
		usual = max(usual, other.longest(t))
		require.True(t, hangs.sends(t.Context(), "another"), "it works")
		hangs.signal(syscall.SIGSTOP)
		hanging := other.longest(t)
		hangs.signal(syscall.SIGCONT)
		require.Less(t, hanging, usual+time.Second)
	}
	require.True(t, hangs.sends(t.Context(), "another"), "it goes on")
	h.open.Store(true)
	require.Less(t, other.longest(t), usual+time.Second)
}
