// Package httpapi serves packages chat, memory and knowledge over HTTP: routes, credentials, JSON
// and event streams, as the openapi.yaml beside it describes them. No other package knows HTTP
// statuses. Begin with [New], or with [Demo] to serve the examples as well, and run the handler
// with [NewServer].
package httpapi

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// DefaultHeartbeat is the longest silence of a stream.
const DefaultHeartbeat = 10 * time.Second

// Config configures the service. Chat, ProjectID, APIKey and APISecrets are required.
type Config struct {
	Chat *chat.Service
	// Memory is what agents remember about users. If nil, its paths answer 404.
	Memory *memory.Service
	// Knowledge holds the documents. If nil, their paths answer 404.
	Knowledge *knowledge.Service
	// ProjectID is the one project that is served.
	ProjectID string
	APIKey    string
	// APISecrets verify API keys and access tokens; the first one signs new tokens.
	APISecrets []string
	Limits     Limits
	// Origins are the origins whose pages may call (CORS); `:*` at the end stands for any port.
	Origins []string
	// AllowedHeaders are names of headers that those pages may send besides the protocol's.
	AllowedHeaders []string
	// Heartbeat is the longest silence of a stream; 0 means DefaultHeartbeat.
	Heartbeat time.Duration
	// Log gets a line for each request and the cause of each failure. The default is
	// slog.Default.
	Log *slog.Logger
	// Now is the clock for access tokens. The default is time.Now.
	Now func() time.Time
	// Ready returns an error while requests cannot be served. Nil means always ready.
	Ready func(context.Context) error
	// Removals is what the answer to a deletion waits for. Nil means nothing.
	Removals Removals
	// Metrics counts requests and is served at /metrics. The default is NewMetrics.
	Metrics *prometheus.Registry
	// Version is part of the answer of /healthz.
	Version string
	// Console has the files of the console, which is served at /console/. If nil, its paths
	// answer 404.
	Console fs.FS
}

// Limits bound what clients may send. A limit of 0 means none.
type Limits struct {
	// JSONBytes is the largest size of a JSON body, and of a form without its message and images.
	JSONBytes int64
	// MessageCharacters is chat.Limits.MessageCharacters: it bounds how much of a form is read.
	MessageCharacters int
	// Images is how many images a message may have, and ImageBytes the largest size of each.
	Images     int
	ImageBytes int64
	// DocumentBytes is the largest size of an uploaded file.
	DocumentBytes int64
	// BytesInFlight bounds the bytes of all bodies that are being read and all answers that are
	// being written, together; BytesInFlightPerUser bounds those of one user.
	BytesInFlight        int64
	BytesInFlightPerUser int64
	// MetadataBytes is the largest size of the metadata of a chat, a message or a document.
	MetadataBytes int
	// UserIDBytes is the largest size of a user's id.
	UserIDBytes int
	// ChatsPerMinute and UploadsPerMinute are how many chats and documents a user may make in a
	// minute. WritesPerMinute counts all other requests that write, except sends. An API key that
	// acts for no user counts as one user for WritesPerMinute, and the other two don't apply to
	// it.
	ChatsPerMinute   int
	UploadsPerMinute int
	WritesPerMinute  int
	// ReadsPerMinute is how many histories, texts of documents and searches a user may read, and
	// how many branches choose, in a minute. An API key that acts for no user counts as one user.
	ReadsPerMinute int
}

// New returns the service's handler. It may serve any number of requests at once.
func New(config Config) http.Handler {
	return newAPI(config)
}

// api serves the requests.
type api struct {
	config   Config
	budget   *budget
	apiKeys  apiKeys
	limiters limiters
	routes   []route
	requests requests
	// localOnly refuses requests whose host is not this machine.
	localOnly bool
}

func newAPI(config Config) *api {
	if config.Heartbeat == 0 {
		config.Heartbeat = DefaultHeartbeat
	}
	if config.Log == nil {
		config.Log = slog.Default()
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Ready == nil {
		config.Ready = func(context.Context) error { return nil }
	}
	if config.Removals == nil {
		config.Removals = noRemovals{}
	}
	if config.Metrics == nil {
		config.Metrics = NewMetrics()
	}
	a := &api{
		config: config, budget: newBudget(config.Limits), apiKeys: newAPIKeys(config),
		limiters: newLimiters(config.Limits, config.Now), requests: newRequests(config.Metrics),
	}
	a.addRoutes()
	a.addStreams()
	a.addCalls()
	a.gaugeRunning()
	a.gaugeBacklog("chatsdk_answers_parked", "Answers that wait for tool calls, in the whole database.", config.Chat.Parked)
	gauge(config.Metrics, "chatsdk_bytes_in_flight", "Bytes that bodies being read and answers being written hold.", a.budget.inFlight)
	if config.Memory != nil {
		a.addMemories()
		a.gaugeBacklog("chatsdk_memory_backlog", "Messages that wait to be examined for memories.", config.Memory.Backlog)
	}
	if config.Knowledge != nil {
		a.addDocuments()
		a.gaugeBacklog("chatsdk_document_backlog", "Documents that wait to be read.", config.Knowledge.Backlog)
	}
	if config.Console != nil {
		a.addConsole()
	}
	return a
}
