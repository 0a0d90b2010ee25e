// Package knowledge keeps the documents of a project and of its users, and searches them. Begin
// with New. Run reads uploaded files in the background.
//
// Its subpackages do the work: read turns a file into text, in a child process; split cuts the
// text into passages; search finds passages; and answer quotes them without a model.
//
// A document belongs to the project or to one user. A user sees the project's documents and their
// own. Only administrators change documents of the project: an API key that acts for no user, or
// an access token of role admin, for the documents that its agents use.
package knowledge

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/queue"
)

// Config configures a Service. Store and Reader are required.
type Config struct {
	Store  Store
	Reader Reader
	// Agents are all agents; an administrator's token names some of them.
	Agents []Agent
	// Bytes is the largest size of a file; 0 means no limit.
	Bytes int64
	// Workers is how many files are read at the same time; 0 means 1.
	Workers int
	// Log gets failures. Nil means slog.Default.
	Log *slog.Logger
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// Agent is an agent with the documents that it uses.
type Agent struct {
	ID string
	// Documents are keys; nil means all documents of the project.
	Documents []string
}

// Reader reads a file that may be hostile; read.Reader is one. If an error is not a read.Refusal,
// the file is not at fault, and is read again later.
type Reader interface {
	Read(ctx context.Context, name string, data []byte) (read.Document, error)
}

// Service keeps documents. It is safe for concurrent use.
type Service struct {
	config Config
	queue  *queue.Queue[Job]
}

// New returns a Service. It starts nothing.
func New(config Config) *Service {
	if config.Workers == 0 {
		config.Workers = 1
	}
	if config.Log == nil {
		config.Log = slog.Default()
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	s := &Service{config: config}
	s.queue = newQueue(s)
	return s
}

// now is the time in seconds since the Unix epoch, to the microsecond.
func (s *Service) now() float64 { return float64(s.config.Now().UnixMicro()) / 1e6 }

// newKey makes a key that cannot be guessed, with at least 128 random bits.
func newKey() string { return "doc_" + strings.ToLower(rand.Text()) }
