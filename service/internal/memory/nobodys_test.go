package memory_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// settingsAlone is a Store that has settings and counts how often they are read.
type settingsAlone struct {
	memory.Store
	on    bool
	reads int
}

func (s *settingsAlone) MemorySettings(context.Context, string, string) (wire.MemorySettings, error) {
	s.reads++
	return wire.MemorySettings{MemoryEnabled: &s.on}, nil
}

// Messages that are nobody's are told once for each agent, when its memory is on, and cost a look at its
// settings once a minute.
func TestMessagesOfNobodyAreTold(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	at, store := time.Unix(1000, 0), &settingsAlone{}
	service := memory.New(memory.Config{
		Store: store, Agents: []string{"a", "b"}, Log: slog.New(slog.NewTextHandler(&log, nil)), Now: func() time.Time { return at },
	})
	overlook := func(agents ...string) {
		for _, agent := range agents {
			service.Overlook(t.Context(), "project", agent)
		}
	}
	overlook("a", "a", "b")
	require.Empty(t, log.String(), "memory is off")
	require.Equal(t, 2, store.reads)
	store.on = true
	overlook("a")
	require.Equal(t, 2, store.reads)
	at = at.Add(time.Minute)
	overlook("a", "a", "b")
	at = at.Add(time.Hour)
	overlook("a", "b")
	require.Equal(t, 4, store.reads)
	service.Overlook(t.Context(), "another", "a")
	require.Equal(t, 5, store.reads, "each project has its own settings")
	require.Equal(t, 3, strings.Count(log.String(), "are nobody's"), log.String())
	require.Contains(t, log.String(), "agent_id=a")
	require.Contains(t, log.String(), "x-user-id")
}
