// Package app is the service as one process: what is wired to what, its start, its work in the background, and its end.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/config"
	"github.com/chatsdk/chatsdk/service/internal/demo"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/repeats"
	"github.com/chatsdk/chatsdk/service/internal/tool"
	"github.com/chatsdk/chatsdk/service/internal/websearch"
)

// Serve serves until ctx ends, and then lets running answers continue for a while. It reports
// wrong settings before it writes anything. If the database doesn't answer at the end, it returns
// while parts of the service still wait for it: the process is to end then.
func Serve(ctx context.Context, s *config.Settings, env config.Lookup, stdout, stderr io.Writer) error {
	log, endLog := newLog(s, stderr)
	defer endLog()
	return endWithin(ctx, s.Grace()+lastResort, log, func() error { return serveWith(ctx, s, env, stdout, log) })
}

func serveWith(ctx context.Context, s *config.Settings, env config.Lookup, stdout io.Writer, log *slog.Logger) (err error) {
	providers, err := config.ReadProviders(s, env)
	if err != nil {
		return err
	}
	agents, err := config.ReadAgents(s, providers, env, log)
	if err != nil {
		return err
	}
	endDemoTools, err := demo.AddTools(s, agents.All, log)
	if err != nil {
		return err
	}
	defer endDemoTools()
	demo, closeDemo, err := demo.Open(s)
	if err != nil {
		return err
	}
	defer closeDemo()
	console, closeConsole, err := openConsole(s)
	if err != nil {
		return err
	}
	defer closeConsole()
	set := httpapi.NewMetrics()
	models, err := newModels(s, providers, agents.All, set, log)
	if err != nil {
		return err
	}
	defer models.close()
	searcher, closeSearcher, err := newSearcher(s)
	if err != nil {
		return err
	}
	defer closeSearcher()
	data, err := openData(ctx, s, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.close()) }()
	listener, err := listen("ADDR", "-addr", s.Addr)
	if err != nil {
		return err
	}
	withdraw := func() {}
	if data.shared == nil {
		if withdraw, err = announce(s.Data, listener.Addr()); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	defer withdraw()
	// The address is withdrawn before the service stops listening, because another program may
	// soon have it.
	defer context.AfterFunc(ctx, withdraw)()
	metricsAt, closeMetrics, err := serveMetrics(s, set, log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer closeMetrics()
	memories := newMemory(s, agents, models, data, set, log)
	documents, closeReader := newKnowledge(s, agents.All, data, log)
	defer closeReader()
	if data.clock != nil {
		defer inBackground(data.clock.Run)()
	}
	streams, member := data.newStreams(s, log)
	if member != nil {
		httpapi.NameReplica(set, s.ReplicaName())
		defer inBackground(member.Run)() // until the very end: running answers belong to this replica until then
	}
	closeTools := RunTools(ctx, agents.All, data.store)
	defer closeTools() // after the last call
	service := chat.New(chat.Config{
		Store: data.store, Logs: streams, Provider: models.provider, Memory: memories, Knowledge: documents, Agents: agents.All,
		Model: providers.Model, Models: providers.Models, Abilities: providers.Catalog.Abilities, IsSameModel: providers.Catalog.IsSame,
		Limits: s.ChatLimits, ApprovalLifetime: s.ApprovalLifetime, Drain: data.drain(s), Silence: s.ProviderTimeout, Retention: s.StreamRetention, Log: log,
		Ended:  httpapi.CountAnswers(set),
		Erased: data.erased(), Structured: s.HasProvider(), Repaired: httpapi.CountRepairs(set), Refused: httpapi.CountRefusals(set), Called: httpapi.CountCalls(set),
		Searcher: searcher, Now: data.Now,
	})
	server := httpapi.NewServer(newHandler(demo, httpapi.Config{
		Chat: service, Memory: memories, Knowledge: documents, ProjectID: s.Project, APIKey: data.apiKey, APISecrets: data.apiSecrets,
		Limits: s.HTTPLimits(), Console: console, Removals: data.removals(),
		Origins: s.Origins, AllowedHeaders: s.AllowedHeaders, Heartbeat: s.Heartbeat, Log: log, Ready: data.store.Ping, Metrics: set, Version: Version, Now: data.Now,
	}))
	server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	endMemories, endDocuments := inBackground(memories.Run), inBackground(documents.Run)
	defer endMemories()
	defer endDocuments()
	defer inBackground(service.Run)()
	if data.shared != nil {
		defer inBackground(func(end context.Context) {
			data.handJobsOver(ctx, end, log, endMemories, endDocuments)
		})()
	}
	if demo != nil {
		defer inBackground(func(ctx context.Context) { importDemo(ctx, s, data, demo, "http://"+listener.Addr().String(), log) })()
	}
	greet(s, demo, "http://"+listener.Addr().String(), stdout)
	greetMetrics(metricsAt, stdout)
	return serveUntil(ctx, listener, server, service, s.Grace(), log)
}

// toolsTimeout is how long the service waits for the first answers of MCP servers before it
// serves. Tools of servers that answer later are offered from then on.
const toolsTimeout = 5 * time.Second

// RunTools connects to the agents' MCP servers, and listens to them until end is called.
func RunTools(ctx context.Context, agents []answering.Agent, readings tool.FirstReadings) (end func()) {
	ends := []func(){}
	for _, agent := range agents {
		ends = append(ends, inBackground(func(ctx context.Context) { agent.Tools.Run(ctx, agent.ID, readings) }))
	}
	ctx, cancel := context.WithTimeout(ctx, toolsTimeout)
	defer cancel()
	for _, agent := range agents {
		agent.Tools.Tried(ctx)
	}
	return func() {
		for i, agent := range agents {
			ends[i]()
			agent.Tools.Close()
		}
	}
}

// inBackground begins work that continues until end is called, which waits for it.
func inBackground(work func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { work(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// newMemory returns the agents' memory.
func newMemory(s *config.Settings, agents config.Agents, models *models, data *data, set *prometheus.Registry, log *slog.Logger) *memory.Service {
	fellBack := httpapi.CountDetectionFallbacks(set)
	return memory.New(memory.Config{
		Store: data.store, Detector: models.detector, Workers: models.detections, HashKey: data.hashKey,
		Agents: ids(agents.All), Defaults: agents.Memory, PendingLifetime: s.PendingLifetime, Log: log,
		MemoriesPerUser: s.MemoriesPerUser, Rooms: rooms(agents.All), Now: data.Now, Duplicates: httpapi.CountDuplicates(set),
		Fallback: models.fallback, Dropped: httpapi.CountDropped(set), Failed: httpapi.CountDetectionFailures(set),
		FellBack: func() { fellBack("rules") },
	})
}

// rooms returns how many bytes each agent's prompt has for memories.
func rooms(agents []answering.Agent) map[string]int {
	rooms := map[string]int{}
	for _, agent := range agents {
		rooms[agent.ID] = agent.MemoryRoom()
	}
	return rooms
}

func ids(agents []answering.Agent) []string {
	list := []string{}
	for _, agent := range agents {
		list = append(list, agent.ID)
	}
	return list
}

// newKnowledge returns the documents. The caller calls done when no document is being read any
// more.
func newKnowledge(s *config.Settings, agents []answering.Agent, data *data, log *slog.Logger) (documents *knowledge.Service, done func()) {
	bytes := s.Requests.DocumentBytes
	reader := &read.Reader{Bytes: int(bytes), Heap: s.ReaderHeap}
	if bytes == 0 {
		reader.Bytes = math.MaxInt
	}
	config := knowledge.Config{Store: data.store, Reader: reader, Bytes: bytes, Workers: s.Readers, Log: log, Now: data.Now}
	for _, agent := range agents {
		config.Agents = append(config.Agents, knowledge.Agent{ID: agent.ID, Documents: agent.Documents})
	}
	return knowledge.New(config), reader.Close
}

// newSearcher returns the web search, nil if none is configured.
func newSearcher(s *config.Settings) (searcher answering.Searcher, done func(), err error) {
	if s.SearchKey == "" {
		return nil, func() {}, nil
	}
	google, err := websearch.New(websearch.Config{Key: s.SearchKey, EngineID: s.SearchEngine, BaseURL: s.SearchURL})
	if err != nil {
		return nil, nil, fmt.Errorf("SEARCH_BASE_URL: %w", err)
	}
	return google, google.Close, nil
}

// newLog writes JSON lines, until end is called. In the demo and in an import, which people watch, it
// only writes failures.
func newLog(s *config.Settings, stderr io.Writer) (log *slog.Logger, end func()) {
	handler := slog.Handler(slog.NewJSONHandler(stderr, nil))
	if s.Demo || s.Quiet {
		handler = slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn})
	}
	counting := repeats.New(handler)
	log = slog.New(counting)
	if s.DatabaseURL != "" {
		log = log.With("replica", s.ReplicaName())
	}
	return log, inBackground(counting.Run)
}

// greet prints where the service listens; programs read the first line.
func greet(s *config.Settings, pages fs.FS, address string, stdout io.Writer) {
	fmt.Fprintln(stdout, "listening on", address)
	if pages != nil {
		demo.Greet(pages, address, stdout)
	}
	if s.Console {
		fmt.Fprintf(stdout, "the console is at %s/console/\n", address)
	}
}
