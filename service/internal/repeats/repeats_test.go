package repeats_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/repeats"
)

func away() error {
	return fmt.Errorf("wrapped: %w", &fault.Error{
		Code: wire.CodeUnavailable, Message: "The database can't be reached", Shared: true, Cause: errors.New("refused"),
	})
}

// logbook is what was logged since it was read.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// lines reads what was logged, and forgets it.
func lines(t *testing.T, out *logbook) (all []map[string]any) {
	t.Helper()
	out.mu.Lock()
	defer out.mu.Unlock()
	for _, line := range bytes.Split(bytes.TrimSpace(out.text.Bytes()), []byte("\n")) {
		one := map[string]any{}
		if len(line) > 0 {
			require.NoError(t, json.Unmarshal(line, &one))
			delete(one, "time")
			delete(one, "since")
			all = append(all, one)
		}
	}
	out.text.Reset()
	return all
}

// An outage of two minutes, in which two loops and the requests fail all the time.
func TestAFailureThatGoesOnIsLoggedWithACount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out logbook
		handler := repeats.New(slog.NewJSONHandler(&out, nil))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); handler.Run(ctx) }()
		log := slog.New(handler).With("replica", "a")
		fail := func() {
			for n := range 100 {
				log.Error("documents cannot be read", "error", away())
				log.Error("request failed", "request_id", n, "error", errors.Join(errors.New("and"), away()))
			}
		}
		time.Sleep(time.Second)
		fail()
		first := lines(t, &out)
		require.Len(t, first, 2)
		require.Equal(t, map[string]any{"level": "ERROR", "msg": "documents cannot be read", "replica": "a",
			"error": "wrapped: UNAVAILABLE: The database can't be reached: refused"}, first[0])
		require.Equal(t, "request failed", first[1]["msg"])
		require.Equal(t, 0.0, first[1]["request_id"])
		for range 3 {
			time.Sleep(30 * time.Second)
			synctest.Wait()
			told := lines(t, &out)
			require.Len(t, told, 2)
			require.Contains(t, []any{99.0, 100.0}, told[0]["more"])
			require.Equal(t, "a", told[0]["replica"])
			fail()
			require.Empty(t, lines(t, &out))
		}
		time.Sleep(60 * time.Second)
		synctest.Wait()
		told := lines(t, &out)
		require.Len(t, told, 4)
		require.Equal(t, map[string]any{"level": "INFO", "msg": "works again: documents cannot be read", "replica": "a",
			"cause": "The database can't be reached", "times": 400.0}, told[2])
		fail()
		require.Len(t, lines(t, &out), 2, "a new outage")
		cancel()
		<-ended
		require.Len(t, lines(t, &out), 2, "what the end would have lost")
	})
}

// Each of the others has a cause of its own, which the log alone has.
func TestOtherRecordsPass(t *testing.T) {
	t.Parallel()
	var out logbook
	log := slog.New(repeats.New(slog.NewJSONHandler(&out, nil)))
	for range 3 {
		log.Error("request failed", "error", errors.New("a fault"))
		log.Error("request failed", "error", &fault.Error{Code: wire.CodeUnavailable, Message: "The model is away"})
		log.Error("request failed", "why", away())
		log.Warn("no error")
	}
	require.Len(t, lines(t, &out), 12)
}
