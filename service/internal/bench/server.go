package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// serveSubcommand is the argument that makes this program serve what is measured:
// "serve service FOLDER", or "serve bare FOLDER", where the file recording has the
// answer to write; or the model of all stacks: "serve provider FOLDER". It ends
// with its input.
const serveSubcommand = "serve"

const (
	ofService = "service"
	ofBare    = "bare"
	recording = "recording"
)

const (
	project   = "bench"
	assistant = "assistant"
	apiKey    = "key-of-the-bench"
	apiSecret = "secret-of-the-bench-which-is-long-enough"
)

// usePath returns what the process takes, and endPath ends the answers of paced.
const (
	usePath = "/bench/use"
	endPath = "/bench/end"
)

// serve runs the subcommand. With PROFILES, a folder, it leaves a profile of
// the CPU and one of the allocations there.
func serve(args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 2 {
		return fmt.Errorf("%s wants a kind and a folder", serveSubcommand)
	}
	kind, folder := args[0], args[1]
	handler, done, err := newHandler(kind, folder)
	if err != nil {
		return err
	}
	defer done()
	profiled, err := profile(os.Getenv("PROFILES"), kind)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := httpapi.NewServer(handler)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	if _, err := fmt.Fprintln(stdout, "http://"+listener.Addr().String()); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, stdin) // until the parent closes it, or has ended
	_ = server.Close()
	<-ended
	return profiled()
}

// profile begins profiling. The function that it returns ends it and writes the profiles.
func profile(folder, kind string) (func() error, error) {
	if folder == "" {
		return func() error { return nil }, nil
	}
	cpu, err := os.CreateTemp(folder, kind+"-*.cpu")
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return nil, err
	}
	return func() error {
		pprof.StopCPUProfile()
		allocations, err := os.Create(strings.TrimSuffix(cpu.Name(), ".cpu") + ".allocs")
		if err != nil {
			return err
		}
		return errors.Join(cpu.Close(), pprof.Lookup("allocs").WriteTo(allocations, 0), allocations.Close())
	}, nil
}

// newHandler returns the handler to measure, with the paths of the bench added.
func newHandler(kind, folder string) (handler http.Handler, done func(), err error) {
	model := newPaced()
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+usePath, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, taken().String()) })
	mux.HandleFunc("POST "+endPath, func(http.ResponseWriter, *http.Request) { model.end() })
	switch kind {
	case ofService:
		handler, done, err = newService(folder, model)
	case ofBare:
		handler, done, err = newBare(folder, model)
	case ofProvider:
		handler, done = script{model}, func() {}
	default:
		err = fmt.Errorf("%q is not one of %s, %s and %s", kind, ofService, ofBare, ofProvider)
	}
	if err != nil {
		return nil, nil, err
	}
	mux.Handle("/", handler)
	return mux, done, nil
}

// apiConfig is also used to make tokens.
func apiConfig() httpapi.Config {
	return httpapi.Config{ProjectID: project, APIKey: apiKey, APISecrets: []string{apiSecret}}
}

// newService is the service with its default settings, except for the limits of
// each user and the model. Its log is written, and discarded.
func newService(folder string, model answering.Provider) (handler http.Handler, done func(), err error) {
	store, err := sqlite.Open(context.Background(), filepath.Join(folder, "bench.db"))
	if err != nil {
		return nil, nil, err
	}
	log := slog.New(slog.NewJSONHandler(io.Discard, nil))
	reader := &read.Reader{}
	memories := memory.New(memory.Config{
		Store: store, Detector: memory.Embedded{}, Agents: []string{assistant}, HashKey: memory.HashKey(apiSecret), Log: log,
	})
	documents := knowledge.New(knowledge.Config{Store: store, Reader: reader, Agents: []knowledge.Agent{{ID: assistant}}, Log: log})
	service := chat.New(chat.Config{
		Store: store, Provider: model, Agents: []answering.Agent{{ID: assistant, Name: "Assistant"}}, Memory: memories, Knowledge: documents,
		Limits: chat.Limits{MessageCharacters: 32_000, NameCharacters: 200}, Log: log,
	})
	config := apiConfig()
	config.Chat, config.Memory, config.Knowledge, config.Log = service, memories, documents, log
	config.Limits = httpapi.Limits{JSONBytes: 1 << 20, MessageCharacters: 32_000, Images: 10, ImageBytes: 10 << 20, DocumentBytes: 25 << 20}
	return httpapi.New(config), func() {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		service.Close(over) // this interrupts running answers
		reader.Close()
		_ = store.Close()
	}, nil
}

// bare reads a request and writes the events of an answer, and does nothing else.
type bare struct {
	model *paced
	// answer is an answer of the embedded agent, start its first event.
	answer, start []byte
}

func newBare(folder string, model *paced) (http.Handler, func(), error) {
	answer, err := os.ReadFile(filepath.Join(folder, recording))
	if err != nil {
		return nil, nil, err
	}
	start, _, _ := bytes.Cut(answer, []byte("\n\n"))
	return &bare{model: model, answer: answer, start: append(bytes.Clone(start), "\n\n"...)}, func() {}, nil
}

func (b *bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case bytes.Contains(body, []byte(questionToRun)):
		b.write(w, r, pace)
	case bytes.Contains(body, []byte(questionToHold)):
		b.write(w, r, 0)
	default:
		_, _ = w.Write(b.answer)
	}
}

// write writes as many events as the service would.
func (b *bare) write(w http.ResponseWriter, r *http.Request, pause time.Duration) {
	control, id := http.NewResponseController(w), 1
	_, _ = w.Write(b.start)
	for range b.model.words(r.Context(), pause) {
		id++
		_, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: {\"text\":%q}\n\n", id, wire.EventChunk, spoken)
		if err == nil {
			err = control.Flush()
		}
		if err != nil {
			return
		}
	}
}

// use is what a process uses: live bytes of heap and stacks after a collection,
// resident bytes, and processor time so far.
type use struct {
	live, resident int
	processor      time.Duration
}

func taken() use {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // of this process it can't fail
	debug.FreeOSMemory()                              // after a collection
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return use{
		live: int(stats.HeapAlloc + stats.StackInuse), resident: resident(),
		processor: time.Duration(used.Utime.Nano() + used.Stime.Nano()),
	}
}

// resident is VmRSS; 0 if the system doesn't report it.
func resident() int {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		var kB int
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kB); err == nil {
			return kB << 10
		}
	}
	return 0
}

func (u use) String() string { return fmt.Sprintf("%d %d %d", u.live, u.resident, u.processor) }
