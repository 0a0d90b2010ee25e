// Package knowledge keeps the documents of a project and of its users, and finds
// what they say. Begin with New; Run reads what was uploaded, in the background.
//
// Below it read turns a file into text, in a child process, split cuts that into
// passages, search finds these, and answer quotes them without a model.
//
// A document is the project's or one user's. Everybody sees the project's and
// their own: others' don't exist for them. What belongs to the project is
// changed by administrators alone: an API key that acts for nobody, and an
// access token of role admin, which administers what its agents draw on.
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

// Config is what a Service works with. Store and Reader are required.
type Config struct {
	Store  Store
	Reader Reader
	// Agents are those that there are; an administrator's token names some.
	Agents []Agent
	// Bytes is what a file may have; 0 is no limit.
	Bytes int64
	// Workers is how many files are read at once; 0 means 1.
	Workers int
	// Log gets failures. Nil means slog.Default.
	Log *slog.Logger
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// Agent is an agent with the documents that it draws on.
type Agent struct {
	ID string
	// Documents are keys; nil means all documents of the project.
	Documents []string
}

// Reader reads a file that may be hostile; read.Reader is one. An error that is
// no read.Refusal is no fault of the file, which is then read again later.
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

// newKey makes a key that cannot be guessed, of 128 random bits at least.
func newKey() string { return "doc_" + strings.ToLower(rand.Text()) }
