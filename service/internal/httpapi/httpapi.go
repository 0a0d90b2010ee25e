// Package httpapi serves packages chat, memory and knowledge over HTTP: routes,
// credentials, JSON and event streams, as openapi.yaml beside it describes them.
// It is the only place that knows statuses. Begin with [New], or [Demo] to serve the examples as well,
// and run it with [Server].
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

// Config is what the service is served with. Chat, ProjectID, APIKey and
// APISecrets are required.
type Config struct {
	Chat *chat.Service
	// Memory is what agents remember of users. Nil leaves its paths unknown.
	Memory *memory.Service
	// Knowledge are the documents. Nil leaves their paths unknown.
	Knowledge *knowledge.Service
	// ProjectID is the one project that is served.
	ProjectID string
	APIKey    string
	// APISecrets verify API keys and access tokens; the first one signs.
	APISecrets []string
	Limits     Limits
	// Origins are those whose pages may call, for CORS; `:*` at the end of one is any port.
	Origins []string
	// Heartbeat is the longest silence of a stream; 0 is DefaultHeartbeat.
	Heartbeat time.Duration
	// Log gets a line for each request and the cause of each failure. Nil is
	// slog.Default.
	Log *slog.Logger
	// Now is the clock for access tokens. Nil is time.Now.
	Now func() time.Time
	// Ready tells whether requests can be served. Nil is always.
	Ready func(context.Context) error
	// Metrics counts requests and is served at /metrics. Nil is NewMetrics.
	Metrics *prometheus.Registry
	// Version stands in the answer of /healthz.
	Version string
	// Console are the files of the console, which is served at /console/. Nil leaves its
	// paths unknown.
	Console fs.FS
}

// Limits bound what comes in. A limit of 0 does not hold.
type Limits struct {
	// JSONBytes is the size of a JSON body, and of all of a form but its
	// message and images.
	JSONBytes int64
	// MessageCharacters is chat.Limits.MessageCharacters: it bounds what is
	// read of a form.
	MessageCharacters int
	// Images is how many images a message may have, ImageBytes the size of each.
	Images     int
	ImageBytes int64
	// DocumentBytes is the size of an uploaded file.
	DocumentBytes int64
	// BytesInFlight is what bodies that are being read, and answers that are
	// being written, may take together; BytesInFlightPerUser is each user's.
	BytesInFlight        int64
	BytesInFlightPerUser int64
	// MetadataBytes is the size of the metadata of a chat, a message or a document.
	MetadataBytes int
	// UserIDBytes is how long a user's id may be.
	UserIDBytes int
	// ChatsPerMinute and UploadsPerMinute are how many chats a user may make and
	// documents a user may upload in a minute. WritesPerMinute is for all other
	// requests that write, except sends. An API key that acts for nobody counts
	// as one user, but may make and upload as much as it likes.
	ChatsPerMinute   int
	UploadsPerMinute int
	WritesPerMinute  int
}

// New returns the service. Any number of requests may be served at once.
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
	// localOnly refuses requests that name another host than this machine.
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
	a.gaugeBacklog("chatsdk_answers_parked", "Answers that wait for calls of tools, in the whole database.", config.Chat.Parked)
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
