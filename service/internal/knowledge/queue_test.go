package knowledge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/queue"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite/sqlitetest"
)

// reader reads as the test defines.
type reader func(ctx context.Context, name string, data []byte) (read.Document, error)

func (r reader) Read(ctx context.Context, name string, data []byte) (read.Document, error) {
	return r(ctx, name, data)
}

// inProcess reads without a child.
func inProcess(_ context.Context, name string, data []byte) (read.Document, error) {
	return read.Bytes(name, data)
}

var ann = access.Caller{Scope: access.Scope{ProjectID: "project", UserID: "ann"}}

// service is a knowledge.Service on a real database.
type service struct {
	*knowledge.Service
	t     *testing.T
	store *sqlite.Store
	log   *bytes.Buffer
	now   time.Time
}

func start(t *testing.T, reads reader) *service {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlitetest.File(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return startOn(t, store, reads)
}

// startOn starts a service on the data of another one.
func startOn(t *testing.T, store *sqlite.Store, reads reader) *service {
	s := &service{t: t, store: store, log: &bytes.Buffer{}, now: time.Unix(1000, 0)}
	s.Service = knowledge.New(knowledge.Config{
		Store: store, Reader: reads, Workers: 2, Bytes: 1000,
		Log: slog.New(slog.NewTextHandler(s.log, nil)), Now: func() time.Time { return s.now },
	})
	return s
}

func (s *service) upload(name, text string) string {
	s.t.Helper()
	d, _, err := s.Upload(s.t.Context(), ann, knowledge.Upload{Name: name, File: []byte(text)})
	require.NoError(s.t, err)
	return d.Key
}

func (s *service) document(key string) knowledge.Document {
	s.t.Helper()
	d, err := s.store.Document(s.t.Context(), knowledge.Reach{ProjectID: "project", UserID: "ann"}, key)
	require.NoError(s.t, err)
	return d
}

func (s *service) backlog() int {
	s.t.Helper()
	count, err := s.Backlog(s.t.Context())
	require.NoError(s.t, err)
	return count
}

func TestUploadsAreReadInTheBackground(t *testing.T) {
	t.Parallel()
	done := make(chan struct{}, 100)
	s := start(t, func(ctx context.Context, name string, data []byte) (d read.Document, err error) {
		defer func() { done <- struct{}{} }()
		return inProcess(ctx, name, data)
	})
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	var keys []string
	for i := range 20 {
		keys = append(keys, s.upload(fmt.Sprintf("%d.md", i), fmt.Sprintf("# Title %d\n\nSalmon number %d.", i, i)))
	}
	for range 20 {
		<-done
	}
	stop()
	running.Wait()
	require.NoError(t, s.ReadDue(t.Context()), "one that was being read when the service ended is read again")
	hits, err := s.Search(t.Context(), "salmon", keys, 100)
	require.NoError(t, err)
	require.Len(t, hits, 20)
	require.Zero(t, s.backlog())
}

// A process that ends while it reads leaves the file to the next one.
func TestReadingResumesAfterARestart(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	s := start(t, func(ctx context.Context, _ string, _ []byte) (read.Document, error) {
		end()
		<-ctx.Done()
		return read.Document{}, ctx.Err()
	})
	key := s.upload("a.md", "# Title\n\nText.")
	s.Run(ctx)
	require.Equal(t, wire.DocumentQueued, s.document(key).Status)
	again := startOn(t, s.store, inProcess)
	require.NoError(t, again.ReadDue(t.Context()))
	require.Equal(t, []string{wire.DocumentSynced, "Title"}, []string{again.document(key).Status, again.document(key).Title})
}

func TestADocumentThatIsDeletedWhileItIsRead(t *testing.T) {
	t.Parallel()
	var s *service
	var key string
	s = start(t, func(ctx context.Context, name string, data []byte) (read.Document, error) {
		require.NoError(t, s.Delete(ctx, ann, []string{key}))
		return inProcess(ctx, name, data)
	})
	key = s.upload("a.md", "Salmon swim.")
	require.NoError(t, s.ReadDue(t.Context()))
	hits, err := s.Search(t.Context(), "salmon", []string{key}, 10)
	require.NoError(t, err)
	require.Empty(t, hits)
	_, err = s.Get(t.Context(), ann, key, nil)
	require.ErrorIs(t, err, fault.ErrNotFound)
	require.Zero(t, s.backlog())
	require.Empty(t, s.log.String())
}

func TestARefusalFailsTheDocument(t *testing.T) {
	t.Parallel()
	s := start(t, inProcess)
	key, next := s.upload("a.pdf", "%PDF-1.7\nno"), s.upload("b.md", "Text.")
	require.NoError(t, s.ReadDue(t.Context()))
	d := s.document(key)
	require.Equal(t, []string{wire.DocumentFailed, read.Broken.Error()}, []string{d.Status, d.Error})
	require.Equal(t, wire.DocumentSynced, s.document(next).Status, "it does not hold up others")
}

// A failure that is not the file's fault is tried again later, five times in all.
func TestFailuresAreRetried(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"an error": func() error { return errors.New("no more processes") },
		"a panic":  func() error { panic("somebody's words") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tries := 0
			s := start(t, func(context.Context, string, []byte) (read.Document, error) {
				tries++
				return read.Document{}, fail()
			})
			key := s.upload("a.md", "Text.")
			for i := range queue.Attempts - 1 {
				wait := queue.Delay(i)
				require.NoError(t, s.ReadDue(t.Context()))
				require.Equal(t, i+1, tries)
				s.now = s.now.Add(wait - time.Microsecond)
				require.NoError(t, s.ReadDue(t.Context()))
				require.Equal(t, i+1, tries, "not before it is due")
				require.Equal(t, wire.DocumentQueued, s.document(key).Status)
				s.now = s.now.Add(time.Microsecond)
			}
			require.NoError(t, s.ReadDue(t.Context()))
			require.Equal(t, wire.DocumentFailed, s.document(key).Status)
			require.Contains(t, s.document(key).Error, "upload it again")
			require.NotContains(t, s.log.String(), "somebody's words")
		})
	}
}

// An older release that tried more often may have left a file with more attempts than this one
// makes: the file is given up, and the process continues.
func TestAFilePastItsAttemptsIsGivenUp(t *testing.T) {
	t.Parallel()
	s := start(t, func(context.Context, string, []byte) (read.Document, error) {
		return read.Document{}, errors.New("no more processes")
	})
	key := s.upload("a.md", "Text.")
	for range queue.Attempts + 2 {
		require.NoError(t, s.store.PutOffDocument(t.Context(), key, 0))
	}
	require.Equal(t, 1, s.backlog())
	require.NoError(t, s.ReadDue(t.Context()))
	require.Equal(t, wire.DocumentFailed, s.document(key).Status)
	require.Zero(t, s.backlog())
}
