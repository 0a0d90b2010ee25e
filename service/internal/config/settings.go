// Package config reads everything that an operator sets: flags, environment variables, the file of AGENTS, and the secrets in
// the data folder. It checks them before the service begins.
package config

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// Lookup returns an environment variable.
type Lookup func(name string) (string, bool)

// Settings are what an operator can set with flags and environment variables.
type Settings struct {
	Addr, Data, Project string
	APIKey, APISecret   string
	DatabaseURL         string
	DatabaseNotify      bool
	memoryKey           string
	replica             string
	drain               time.Duration // 0 means the default for the database
	MetricsAddr         string
	AgentsFile          string
	Origins             []string
	AllowedHeaders      []string
	ProvidersFile       string
	OpenAIURL           string
	OpenAIKey           string
	Model               string
	Models              []string // further ones that a message may name
	SearchKey           string
	SearchEngine        string
	SearchURL           string
	Heartbeat           time.Duration
	StreamRetention     time.Duration
	ProviderTimeout     time.Duration
	PendingLifetime     time.Duration
	ApprovalLifetime    time.Duration
	Demo                bool
	Console             bool
	ChatLimits          chat.Limits
	Requests            httpapi.Limits
	Totals              sqlite.Limits
	MemoriesPerUser     int
	// Readers is how many documents are read at the same time, each in a process that tries to stay below ReaderHeap
	// bytes; 0 is its own default. Nobody sets them: they follow from the memory.
	Readers    int
	ReaderHeap int64

	PrintToken, Role string
	Version          bool
	// Quiet is not set by operators: it limits the log to failures.
	Quiet bool
}

// setting is one setting: an environment variable, a flag, or both. The flag wins.
type setting struct {
	env, flag, usage string
	value            flag.Value
}

func defaults() Settings {
	return Settings{
		Addr: "127.0.0.1:8080", Data: "./data", Project: "demo", DatabaseNotify: true,
		Heartbeat: httpapi.DefaultHeartbeat, StreamRetention: chat.DefaultRetention,
		ProviderTimeout: upstream.DefaultTimeout, PendingLifetime: memory.DefaultPendingLifetime,
		ApprovalLifetime: toolcall.DefaultApprovalLifetime,
		ChatLimits: chat.Limits{
			MessageCharacters: 32_000, NameCharacters: 200, DocumentKeys: 100, SendsPerMinute: 60, StreamsPerUser: 20, AnswerBytes: 8 << 20,
			ToolCalls: chat.DefaultToolCalls, RunningCalls: toolcall.DefaultRunningCalls, RunningCallsPerUser: toolcall.DefaultRunningCallsPerUser,
			RunningCallsPerTool: toolcall.DefaultRunningCallsPerTool,
		},
		Requests: httpapi.Limits{
			JSONBytes: 1 << 20, Images: 10, ImageBytes: 10 << 20, DocumentBytes: 25 << 20,
			BytesInFlight: 512 << 20, BytesInFlightPerUser: 128 << 20, MetadataBytes: 16 << 10, UserIDBytes: 255,
			ChatsPerMinute: 60, UploadsPerMinute: 30, WritesPerMinute: 600, ReadsPerMinute: 1200,
		},
		Totals: sqlite.Limits{Chats: 10_000, Documents: 1000, DocumentBytes: 250 << 20}, MemoriesPerUser: 5000,
	}
}

func (s *Settings) list() []setting {
	return []setting{
		{"ADDR", "addr", "where to listen, `HOST:PORT`; port 0 takes a free one (127.0.0.1:8080)", address(&s.Addr)},
		{"METRICS_ADDR", "metrics-addr", "where only /metrics is served, without credentials, `HOST:PORT` (nowhere; at ADDR it needs the API key)",
			address(&s.MetricsAddr)},
		{"DATA", "data", "`FOLDER` of the database and files (./data)", some(&s.Data, "a folder")},
		{"DATABASE_URL", "", "address of a PostgreSQL database that any number of replicas share, postgres://…, instead of DATA", text(&s.DatabaseURL)},
		{"DATABASE_NOTIFY", "database-notify",
			"hear of other replicas by LISTEN, which needs a connection that no pool shares; false asks twice a second (true)",
			onOff{boolean(&s.DatabaseNotify)}},
		{"MEMORY_KEY", "", "the key of the hashes of deleted memories, 32 bytes or more; made on the first start and kept in DATA", text(&s.memoryKey)},
		{"REPLICA", "replica", "`NAME` of this replica in logs and metrics (host name and process id)", some(&s.replica, "a name")},
		{"DRAIN", "drain", "how long running answers may go on after a signal to end, a `DURATION` of 1s to 1h (60s with DATABASE_URL, else 10s)",
			duration(&s.drain, time.Second, time.Hour)},
		{"PROJECT_ID", "project", "the project's `ID` (demo)", some(&s.Project, "an id")},
		{"API_KEY", "", "the project's API key; made on the first start and kept in DATA", text(&s.APIKey)},
		{"API_SECRET", "", "its secret, or two with a comma between while it is being changed", text(&s.APISecret)},
		{"AGENTS", "agents", "`FILE` of the agents, in YAML (one, \"assistant\")", text(&s.AgentsFile)},
		{"ALLOWED_ORIGINS", "origins", "`ORIGINS` of pages that may call, comma separated; http://localhost:* is any port (none)", origins(&s.Origins)},
		{"ALLOWED_HEADERS", "allowed-headers", "`NAMES` of headers that those pages may send besides the protocol's, comma separated (none)",
			headerNames(&s.AllowedHeaders)},
		{"PROVIDERS", "providers", "`FILE` of the models' providers, in YAML (that of OPENAI_BASE_URL)", text(&s.ProvidersFile)},
		{"OPENAI_BASE_URL", "openai-url", "`URL` of an OpenAI-compatible model provider (the embedded agent)", text(&s.OpenAIURL)},
		{"OPENAI_API_KEY", "", "the provider's key", text(&s.OpenAIKey)},
		{"MODEL", "model", "the `MODEL` to ask, or several with commas between: messages may name one, and the first is asked otherwise",
			modelNames(&s.Model, &s.Models)},
		{"SEARCH_KEY", "", "the key of Google's Programmable Search (no web search)", text(&s.SearchKey)},
		{"SEARCH_ENGINE_ID", "", "the id of the search engine", text(&s.SearchEngine)},
		{"SEARCH_BASE_URL", "search-url", "`URL` that the search is asked at, for your own proxy (Google's)", text(&s.SearchURL)},
		{"HEARTBEAT", "heartbeat", "longest silence of a stream, a `DURATION` of 1s to 10s (10s)", duration(&s.Heartbeat, time.Second, 10*time.Second)},
		{"STREAM_RETENTION", "stream-retention", "how long a finished stream can be resumed, a `DURATION` of 1s to 24h (10m)",
			duration(&s.StreamRetention, time.Second, 24*time.Hour)},
		{"PROVIDER_TIMEOUT", "provider-timeout", "longest silence of a model, a `DURATION` of 1s to 1h (60s)",
			duration(&s.ProviderTimeout, time.Second, time.Hour)},
		{"PENDING_LIFETIME", "pending-lifetime", "how long a memory waits for a reviewer, a `DURATION` of 1s to 87600h (168h)",
			duration(&s.PendingLifetime, time.Second, 87600*time.Hour)},
		{"APPROVAL_LIFETIME", "approval-lifetime", "how long a tool call waits for a decision, and an approved one for a page, a `DURATION` of 1s to 87600h (24h)",
			duration(&s.ApprovalLifetime, time.Second, 87600*time.Hour)},
		{"RUNNING_CALLS", "running-calls", "`LIMIT` of the tool calls that this process carries out at once (256)", within(&s.ChatLimits.RunningCalls, 1, 10_000)},
		{"RUNNING_CALLS_PER_USER", "running-calls-per-user", "`LIMIT` of those of one user (32)", within(&s.ChatLimits.RunningCallsPerUser, 1, 10_000)},
		{"RUNNING_CALLS_PER_TOOL", "running-calls-per-tool", "`LIMIT` of those of one tool (64)", within(&s.ChatLimits.RunningCallsPerTool, 1, 10_000)},
		{"MAX_TOOL_CALLS", "max-tool-calls", "`LIMIT` of the tool calls of one answer, 1 to 1000 (25)", within(&s.ChatLimits.ToolCalls, 1, 1000)},
		{"CONSOLE", "console", "also serve the console, for administrators, at /console/", onOff{boolean(&s.Console)}},
		{"DEMO", "demo", "also serve examples/ and dist/ and hand out demo tokens", onOff{boolean(&s.Demo)}},
		{"MESSAGE_CHARACTERS", "message-characters", "`LIMIT` of a message, 0 for none (32000)", count(&s.ChatLimits.MessageCharacters)},
		{"ANSWER_BYTES", "answer-bytes", "`LIMIT` of the text of an answer, which ends there as cut, 0 for none (8388608)", count(&s.ChatLimits.AnswerBytes)},
		{"NAME_CHARACTERS", "name-characters", "`LIMIT` of a chat's name, 0 for none (200)", count(&s.ChatLimits.NameCharacters)},
		{"JSON_BYTES", "json-bytes", "`LIMIT` of a JSON body, 0 for none (1048576)", count(&s.Requests.JSONBytes)},
		{"IMAGES", "images", "`LIMIT` of a message's images, 0 for none (10)", count(&s.Requests.Images)},
		{"IMAGE_BYTES", "image-bytes", "`LIMIT` of an image, 0 for none (10485760)", count(&s.Requests.ImageBytes)},
		{"DOCUMENT_BYTES", "document-bytes", "`LIMIT` of a document's file, 0 for none (26214400)", count(&s.Requests.DocumentBytes)},
		{"SENDS_PER_MINUTE", "sends-per-minute", "`LIMIT` of messages a minute for each user, 0 for none (60)", count(&s.ChatLimits.SendsPerMinute)},
		{"STREAMS_PER_USER", "streams-per-user", "`LIMIT` of answers at once for each user, 0 for none (20)", count(&s.ChatLimits.StreamsPerUser)},
		{"BYTES_IN_FLIGHT", "bytes-in-flight", "`LIMIT` of the bytes of all requests being read and answers being written, 0 for none (536870912)",
			size(&s.Requests.BytesInFlight)},
		{"BYTES_IN_FLIGHT_PER_USER", "bytes-in-flight-per-user", "`LIMIT` of the same bytes of each user, 0 for none (134217728)",
			size(&s.Requests.BytesInFlightPerUser)},
		{"METADATA_BYTES", "metadata-bytes", "`LIMIT` of the metadata of a chat, a message or a document, 0 for none (16384)",
			count(&s.Requests.MetadataBytes)},
		{"DOCUMENT_KEYS", "document-keys", "`LIMIT` of the documents that a chat or a message names, 0 for none (100)", count(&s.ChatLimits.DocumentKeys)},
		{"USER_ID_BYTES", "user-id-bytes", "`LIMIT` of a user's id, 0 for none (255)", count(&s.Requests.UserIDBytes)},
		{"CHATS_PER_USER", "chats-per-user", "`LIMIT` of a user's chats, 0 for none (10000)", count(&s.Totals.Chats)},
		{"DOCUMENTS_PER_USER", "documents-per-user", "`LIMIT` of a user's documents, 0 for none (1000)", count(&s.Totals.Documents)},
		{"DOCUMENT_BYTES_PER_USER", "document-bytes-per-user", "`LIMIT` of the bytes of a user's documents, 0 for none (262144000)",
			count(&s.Totals.DocumentBytes)},
		{"MEMORIES_PER_USER", "memories-per-user", "`LIMIT` of a user's memories with each agent, in every status, 0 for none (5000)",
			count(&s.MemoriesPerUser)},
		{"CHATS_PER_MINUTE", "chats-per-minute", "`LIMIT` of chats made a minute by each user, 0 for none (60)", count(&s.Requests.ChatsPerMinute)},
		{"UPLOADS_PER_MINUTE", "uploads-per-minute", "`LIMIT` of documents uploaded a minute by each user, 0 for none (30)",
			count(&s.Requests.UploadsPerMinute)},
		{"WRITES_PER_MINUTE", "writes-per-minute", "`LIMIT` of other changes a minute by each user, 0 for none (600)", count(&s.Requests.WritesPerMinute)},
		{"READS_PER_MINUTE", "reads-per-minute", "`LIMIT` of histories, branches, texts of documents and searches a minute of each user, 0 for none (1200)",
			count(&s.Requests.ReadsPerMinute)},
		{"", "print-token", "write an access token for `USER` and exit", some(&s.PrintToken, "a user's id")},
		{"", "role", "`ROLE` of that token, user or admin (user)", oneOf(&s.Role, wire.RoleOrdinary, wire.RoleAdmin)},
		{"", "version", "write the version and exit", onOff{boolean(&s.Version)}},
	}
}

// Parse reads the environment and then the flags, where this much memory is allowed, 0 for no limit. It returns the arguments
// behind the flags, too. An error is one line that names the setting; flag.ErrHelp asks for the help.
func Parse(memory int64, args []string, env Lookup) (*Settings, []string, error) {
	s := defaults()
	s.fitInto(memory)
	list := s.list()
	if err := readEnvironment(list, env); err != nil {
		return nil, nil, err
	}
	flags := newFlags(list)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil, nil, err
	case err != nil:
		return nil, nil, fmt.Errorf("%w; see -h", err)
	case s.Version:
		return &s, flags.Args(), nil
	}
	return &s, flags.Args(), s.check()
}

// readEnvironment sets settings from the environment. An empty variable counts as unset.
func readEnvironment(list []setting, env Lookup) error {
	for _, setting := range list {
		if setting.env == "" {
			continue
		}
		if text, _ := env(setting.env); text != "" {
			if err := setting.value.Set(text); err != nil {
				return fmt.Errorf("%s is %q: %w", setting.env, text, err)
			}
		}
	}
	return nil
}

func newFlags(list []setting) *flag.FlagSet {
	flags := flag.NewFlagSet("service", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for _, setting := range list {
		usage := setting.usage
		if setting.env != "" {
			usage += "; " + setting.env
		}
		if setting.flag != "" {
			flags.Var(setting.value, setting.flag, usage)
		}
	}
	return flags
}

// WriteHelp writes all settings with their defaults.
func WriteHelp(out io.Writer) {
	s := defaults()
	list := s.list()
	fmt.Fprint(out, "A flag wins over its environment variable, which is named last. Secrets are variables only:\n\n")
	for _, setting := range list {
		if setting.flag == "" {
			fmt.Fprintf(out, "  %s\n    \t%s\n", setting.env, setting.usage)
		}
	}
	fmt.Fprintln(out)
	flags := newFlags(list)
	flags.SetOutput(out)
	flags.PrintDefaults()
}

// check finds settings that don't fit together.
func (s *Settings) check() error {
	switch {
	case s.Project == "." || s.Project == "..":
		return fmt.Errorf("PROJECT_ID is %q, which cannot be an id", s.Project)
	case s.DatabaseURL != "" && s.missing() != "":
		return fmt.Errorf("DATABASE_URL is set and %s is not: set it to the same value for all replicas, since there is no data folder", s.missing())
	case (s.APIKey == "") != (s.APISecret == ""):
		return errors.New("API_KEY and API_SECRET belong together, but one of them is not set")
	case s.Role != "" && s.PrintToken == "":
		return errors.New("-role only goes with -print-token")
	case s.ProvidersFile != "" && s.OpenAIURL != "":
		return errors.New("PROVIDERS and OPENAI_BASE_URL are both set; write the address into the file, and leave out OPENAI_BASE_URL")
	case s.HasProvider() && s.ProvidersFile == "" && s.Model == "" && s.AgentsFile == "":
		return errors.New("MODEL is not set; name the model to ask")
	case !s.HasProvider() && s.Model != "":
		return errors.New("MODEL is set, but none of PROVIDERS, OPENAI_BASE_URL and OPENAI_API_KEY is")
	case (s.SearchKey == "") != (s.SearchEngine == ""):
		return errors.New("SEARCH_KEY and SEARCH_ENGINE_ID belong together, but one of them is not set")
	case s.Demo && !isLoopback(s.Addr):
		return fmt.Errorf("ADDR is %s, but DEMO hands out tokens to anybody, so it only starts on a loopback address", s.Addr)
	}
	return nil
}

// missing returns a setting that must be set with DATABASE_URL and isn't, empty if there is none.
func (s *Settings) missing() string {
	switch {
	case s.APIKey == "":
		return "API_KEY"
	case s.APISecret == "":
		return "API_SECRET"
	case s.memoryKey == "":
		return "MEMORY_KEY"
	}
	return ""
}

// Grace is how long running answers may continue after a signal to end.
func (s *Settings) Grace() time.Duration {
	switch {
	case s.drain != 0:
		return s.drain
	case s.DatabaseURL != "":
		return time.Minute
	}
	return 10 * time.Second
}

// ReplicaName is the name of this process among the replicas.
func (s *Settings) ReplicaName() string {
	if s.replica != "" {
		return s.replica
	}
	host, err := os.Hostname()
	if err != nil {
		host = "replica"
	}
	return fmt.Sprint(host, "-", os.Getpid())
}

// HasProvider reports whether to ask a model. A key alone is not enough: many people have one in
// their environment for other programs.
func (s *Settings) HasProvider() bool {
	return s.ProvidersFile != "" || s.OpenAIURL != "" || s.OpenAIKey != "" && (s.Model != "" || s.AgentsFile != "")
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// HTTPLimits returns the limits of requests; the limit of a message is in ChatLimits.
func (s *Settings) HTTPLimits() httpapi.Limits {
	limits := s.Requests
	limits.MessageCharacters = s.ChatLimits.MessageCharacters
	return limits
}

// flightPart is the part of the memory that bytes in flight may have: 4 means a quarter. Bodies and answers are in memory up to
// twice, as they arrived and as they are stored or sent, and garbage needs room.
const flightPart = 4

// Two processes that read documents may take a gigabyte. Where memory is less than twice that, there is one, and it may have
// another quarter.
const (
	readers      = 2
	readersNeed  = 2 << 30
	readerMemory = 4 // 4 means a quarter
)

// fitInto lowers the default limits of bytes in flight, and what documents are read with, to what a machine with this much
// memory can hold; 0 means that nobody knows.
func (s *Settings) fitInto(memory int64) {
	s.Readers = readers
	if memory == 0 {
		return
	}
	if memory < readersNeed {
		s.Readers, s.ReaderHeap = 1, memory/readerMemory
	}
	s.Requests.BytesInFlight = min(s.Requests.BytesInFlight, memory/flightPart)
	s.Requests.BytesInFlightPerUser = min(s.Requests.BytesInFlightPerUser, s.Requests.BytesInFlight)
}
