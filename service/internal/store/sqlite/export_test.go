package sqlite

import (
	"context"
	"database/sql"
	"os"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// PassagesOf is what a search reads.
func PassagesOf(tx *sql.Tx) search.Index { return passages{session{tx}} }

// Internals that the tests check.
var (
	Readers   = readers
	SweepRows = sweepRows
	Queries   = map[string]string{
		"list of a project":   queries.ChatsOfProject,
		"list of a user":      queries.ChatsOfUser,
		"page of a path":      queries.MessagesOnPath,
		"page of branches":    queries.MessagesBefore,
		"sizes on a path":     queries.SizesOnPath,
		"sizes of branches":   queries.SizesBefore,
		"size of a message":   queries.SizeOfMessage,
		"bytes of events":     bytesOfEvents,
		"newest descendant":   queries.NewestBelow,
		"message of a chat":   store.MessageOfChat,
		"returning a path":    store.ReturnPath,
		"end of a path":       store.PathEnd,
		"leading a path":      store.LeadPath,
		"place in a history":  store.PlaceOfMessage,
		"count of chats":      queries.CountChats,
		"count of files":      queries.CountUserFiles,
		"place of a document": store.PlaceOfDocument,
		"recent exchanges":    queries.RecentExchanges,
		"open streams":        openNumbers,
		"open answers":        openAnswers,
		"events at places":    eventsAt,
		"parts of a stream":   partsOfStream,
		"streams of a chat":   streamsOfChat,
		"chat in scope":       `SELECT name FROM chats WHERE ` + inScope,
		"hiding a chat":       hideChat,
		"deleted chats":       deletedChats,
		"messages to remove":  someMessages,
		"events to sweep":     sweepEvents,
		"naming a file":       nameFile,
		"part of a file":      store.PartOf,
		"parts of a file":     store.PartsOf,
		"unnamed files":       unnamedFiles,
		"removing parts":      removeSomeParts,
		"message in scope":    queries.RoleInScope,
		"ending a stream":     endStream,
		"stream in scope":     streamInScope,
		"message of a stream": store.OneMessage,
		"turn to end":         openTurn,
		"claim":               store.ClaimOfKey,
		"passing keys on":     store.PassKeysOn,
		"streams to sweep":    streamsToSweep,
		"keys to sweep":       queries.SweepKeys,
		"ending a message":    store.UpdateAnswer,
		"rating a message":    store.RateMessage,
		"naming, to look up":  unnamed,
		"document in reach":   queries.OneDocument,
		"page of documents":   queries.PageOfDocuments,
		"documents by name":   queries.SearchedPage,
		"count of documents":  queries.CountDocuments,
		"usable documents":    queries.AllKeys,
		"hiding a document":   hideDocument,
		"deleted documents":   deletedDocuments,
		"passages to remove":  somePassages,
		"texts to remove":     removeSomeText,
		"title":               queries.TitleInView,
		"texts":               store.TextsOfDocument,
		"passages":            store.PassagesOfDocument,
		"file of a document":  store.FileOfDocument,
	}
)

// ShareFor sets how long a transaction takes writes that wait.
func (s *Store) ShareFor(time time.Duration) { s.shareFor = time }

// Pools are the connections of a store.
func (s *Store) Pools() (writer, readers *sql.DB) { return s.writer, s.readers }

// Write runs every change of the database.
func (s *Store) Write(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	return s.write(ctx, func(ctx context.Context, tx store.Session) error { return do(ctx, tx.(session).in.(*sql.Tx)) })
}

// Waiting returns how many writes wait for the writer.
func (s *Store) Waiting() int {
	s.writes.mu.Lock()
	defer s.writes.mu.Unlock()
	return len(s.writes.waiting)
}

// Writes are those that wait for the writer.
type Writes = writes

// NewWrites returns empty Writes.
func NewWrites() *Writes { return &writes{joined: make(chan struct{}, 1)} }

// Join adds a write with a patience.
func (w *writes) Join(patience time.Duration) { w.join(&write{patience: patience}) }

// Begin begins a transaction.
func (w *writes) Begin() { w.begin() }

// FailAll fails those that have waited since the last transaction began, and returns how many they are.
func (w *writes) FailAll() int { return len(w.takeUntil(w.begun)) }

// Wait waits for the patience to end.
func (w *writes) Wait(ctx context.Context) { w.wait(ctx) }

// MergeIndex merges the whole index of passages, and lets the removal of other things through.
func (s *Store) MergeIndex(ctx context.Context) error { return s.mergeAll(ctx, s.eraseBetween) }

// Unreadable makes reading the whole file fail.
func (s *Store) Unreadable() (readable func()) {
	file := s.raw
	s.raw, _ = os.Open(os.DevNull)
	return func() { _, s.raw = s.raw.Close(), file }
}

// KeepsOut reports whether readers are kept out.
func (s *Store) KeepsOut() bool {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	return s.gate.shut != nil
}

// Awaited returns how many wait until something is removed.
func (s *Store) Awaited() int {
	s.erasing.mu.Lock()
	defer s.erasing.mu.Unlock()
	return s.erasing.awaited
}

// Fresh sets how long the outcome of a write counts for Ping.
func (s *Store) Fresh(time time.Duration) { s.health.fresh = time }

// Probed is when Ping last wrote.
func (s *Store) Probed() time.Time {
	s.health.mu.Lock()
	defer s.health.mu.Unlock()
	return s.health.probed
}

// Room sets what the Store takes for the room on its disk, in bytes.
func (s *Store) Room(room func() int64) {
	s.spare.free = func(string) (int64, bool) { return room(), true }
}

// Probe is what Ping does at most once a second.
func (s *Store) Probe(ctx context.Context) error { return failed("ping", "the database", s.probe(ctx)) }
