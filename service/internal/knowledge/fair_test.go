package knowledge_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

// Slow files only delay their owner: one is read at a time, and other people's files are read
// meanwhile.
func TestAUserDoesNotTakeAllWorkers(t *testing.T) {
	t.Parallel()
	begun, release, noted := make(chan struct{}, 100), make(chan struct{}), make(chan struct{})
	var running, most atomic.Int32
	s := start(t, func(ctx context.Context, name string, data []byte) (read.Document, error) {
		if name == "note.md" {
			defer close(noted)
			return inProcess(ctx, name, data)
		}
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		begun <- struct{}{}
		<-release
		return inProcess(ctx, name, data)
	})
	eve := access.Caller{Scope: access.Scope{ProjectID: "project", UserID: "eve"}}
	for i := range 12 {
		_, _, err := s.Upload(t.Context(), eve, knowledge.Upload{Name: fmt.Sprintf("%d.md", i), File: []byte("Slow.")})
		require.NoError(t, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { s.Run(ctx) })
	<-begun
	key := s.upload("note.md", "A note.")
	<-noted
	require.Equal(t, int32(1), running.Load(), "the slow one is still being read")
	close(release)
	for range 11 {
		<-begun
	}
	stop()
	all.Wait()
	require.Equal(t, int32(1), most.Load())
	require.NoError(t, s.ReadDue(t.Context()))
	require.Equal(t, wire.DocumentSynced, s.document(key).Status)
	require.Zero(t, s.backlog())
}

// Owners take turns, in any order of their uploads; the project is one of them.
func TestOwnersTakeTurns(t *testing.T) {
	t.Parallel()
	var names []string
	s := start(t, func(ctx context.Context, name string, data []byte) (read.Document, error) {
		names = append(names, strings.TrimSuffix(name, ".md"))
		return inProcess(ctx, name, data)
	})
	for _, user := range []string{"eve", "eve", "eve", "", "", "ann"} {
		caller := access.Caller{Scope: access.Scope{ProjectID: "project", UserID: user}}
		_, _, err := s.Upload(t.Context(), caller, knowledge.Upload{Name: "of " + user + ".md", File: []byte("Text.")})
		require.NoError(t, err)
	}
	require.NoError(t, s.ReadDue(t.Context()))
	require.Equal(t, []string{"of eve", "of ", "of ann", "of eve", "of ", "of eve"}, names)
}
