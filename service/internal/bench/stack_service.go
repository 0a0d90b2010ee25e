package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// service is the program as it is released, once or as several replicas that take turns.
// Its log goes to a file.
type service struct {
	program, folder string
	urls            []string
	env             []string
}

// startOnSQLite starts the service as one command would.
func startOnSQLite(ctx context.Context, folder, model string) (*running, error) {
	r := &running{}
	return r, r.serve(ctx, folder, model, 1, "DATA="+folder)
}

// startOnPostgres starts replicas on one database, with additional environment variables.
func startOnPostgres(replicas int, env ...string) func(ctx context.Context, folder, model string) (*running, error) {
	return func(ctx context.Context, folder, model string) (*running, error) {
		r := &running{}
		address, err := r.startPostgres(ctx)
		if err == nil {
			err = r.serve(ctx, folder, model, replicas, append(env, "DATABASE_URL="+address, "MEMORY_KEY="+apiSecret)...)
		}
		if err != nil {
			return nil, errors.Join(err, r.stop())
		}
		r.settle = func(ctx context.Context) (int64, error) { return 0, checkpoint(ctx, address) }
		return r, nil
	}
}

// serve starts the service in front.
func (r *running) serve(ctx context.Context, folder, model string, replicas int, env ...string) error {
	s := &service{folder: folder, env: append(env,
		"ADDR=127.0.0.1:0", "OPENAI_BASE_URL="+model+"/v1", "OPENAI_API_KEY=none", "MODEL=bench",
		"PROJECT_ID="+project, "API_KEY="+apiKey, "API_SECRET="+apiSecret,
		"SENDS_PER_MINUTE=0", "STREAMS_PER_USER=0", "CHATS_PER_USER=0", "DRAIN=1s",
	)}
	if s.program = os.Getenv("SERVICE"); s.program == "" {
		s.program = filepath.Join(folder, "service")
		build := exec.CommandContext(ctx, "go", "build", "-o", s.program, "github.com/chatsdk/chatsdk/service")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return err
		}
	}
	r.client, r.settle, r.request, r.stored, r.beforeWord = newClient(), s.settle, s.request, s.stored, `{"text":"`
	r.elsewhere = s.elsewhere
	r.restart = func(ctx context.Context) error {
		s.urls = nil
		for range replicas {
			front, err := s.start(ctx)
			if err != nil {
				return err
			}
			r.front = append(r.front, front)
		}
		return nil
	}
	return r.restart(ctx)
}

func (s *service) start(ctx context.Context) (*child, error) {
	log, err := os.OpenFile(filepath.Join(s.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	program := exec.CommandContext(ctx, s.program)
	program.Env, program.Stderr = append(os.Environ(), s.env...), log
	front, address, err := startChild(program, "listening on ")
	s.urls = append(s.urls, address)
	return front, err
}

// settle moves the write-ahead log into the database's file.
func (s *service) settle(ctx context.Context) (written int64, err error) {
	before, err := takenByOne(os.Getpid())
	if err != nil {
		return 0, err
	}
	files, err := filepath.Glob(filepath.Join(s.folder, "*.db"))
	if err != nil || len(files) != 1 {
		return 0, errors.Join(err, fmt.Errorf("%s has the databases %v, want one", s.folder, files))
	}
	db, err := sql.Open("sqlite", files[0])
	if err != nil {
		return 0, err
	}
	_, err = db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	if err = errors.Join(err, db.Close()); err != nil {
		return 0, err
	}
	after, err := takenByOne(os.Getpid())
	return after.written - before.written, err
}

// senders is how many users send, each in a new chat every time.
const senders = 1000

func (s *service) call(ctx context.Context, method, path string, chat int, body *bytes.Buffer) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.urls[chat%len(s.urls)]+path, body)
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{"X-Api-Key": {apiKey}, "X-Api-Secret": {apiSecret}, "X-User-Id": {fmt.Sprint("user", chat%senders)}}
	return request, nil
}

func (s *service) request(ctx context.Context, chat int, question string) (*http.Request, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField(wire.FieldMessage, question) // to a buffer
	_ = form.WriteField(wire.FieldProjectID, project)
	_ = form.Close()
	request, err := s.call(ctx, http.MethodPost, "/v3/chat/message", chat, &body)
	if err == nil {
		request.Header.Set("Content-Type", form.FormDataContentType())
		request.Header.Set("Accept", eventStream)
		request.Header.Set("Idempotency-Key", rand.Text()) // as every message of the SDK
	}
	return request, err
}

func (s *service) stored(ctx context.Context, chat int, events string) ([]*http.Request, error) {
	start, err := startOf(events)
	if err != nil {
		return nil, err
	}
	request, err := s.call(ctx, http.MethodGet, "/project/"+project+"/chat/"+start.ChatID+"/all", chat, &bytes.Buffer{})
	return []*http.Request{request}, err
}

// elsewhere reads the stream of an answer from its start, at the next replica.
func (s *service) elsewhere(ctx context.Context, chat int, events string) (*http.Request, error) {
	start, err := startOf(events)
	if err != nil {
		return nil, err
	}
	request, err := s.call(ctx, http.MethodGet, "/v3/chat/stream/"+start.StreamID, chat, &bytes.Buffer{})
	if err != nil {
		return nil, err
	}
	next, err := url.Parse(s.urls[(chat+1)%len(s.urls)])
	if err != nil {
		return nil, err
	}
	request.URL.Host, request.Host = next.Host, next.Host
	return request, nil
}

func startOf(events string) (start wire.Start, err error) {
	_, data, _ := strings.Cut(events, "event: start\ndata: ")
	data, _, _ = strings.Cut(data, "\n")
	if err := json.Unmarshal([]byte(data), &start); err != nil {
		return start, fmt.Errorf("an answer does not begin with its start: %w", err)
	}
	return start, nil
}
