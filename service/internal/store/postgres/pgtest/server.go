// Package pgtest starts PostgreSQL for tests: a private server in a temporary folder, which ends
// with the program that started it, even if that is killed. Use New in a test, and Start
// elsewhere.
//
// The server is an installed one, which install.sh finds or installs. PostgreSQL doesn't run as
// root: if the tests do, it runs as postgres or nobody.
package pgtest

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// ErrMissing says that PostgreSQL isn't installed.
var ErrMissing = errors.New("no PostgreSQL is installed: run service/internal/store/postgres/pgtest/install.sh, or name its programs with POSTGRES_BIN")

//go:embed server.sh
var script string

// Settings configure a server. The zero value is for tests.
type Settings struct {
	// Durable makes commits survive a power failure, as in production. Without it a commit is
	// much cheaper. If only the server is killed, commits survive in both cases.
	Durable bool
	// Connections is the largest number of connections; 0 means 200.
	Connections int
	// TCP makes the server listen at a port of 127.0.0.1, and not only at a socket.
	TCP bool
}

// Server is a private PostgreSQL server. The caller calls Close.
type Server struct {
	folder  string
	port    int // 0: it listens only at the socket
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
	made    atomic.Int64 // databases
}

// Start starts a server. If PostgreSQL isn't installed, the error is ErrMissing.
func Start(settings Settings) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "chatsdk-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{folder: folder}
	if settings.TCP {
		s.port, err = freePort()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	if err := s.start(bin, settings); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return s, nil
}

func (s *Server) start(bin string, settings Settings) error {
	s.command = exec.Command("/bin/sh", append([]string{"-c", script, "server.sh", bin, s.folder}, s.lines(settings)...)...)
	var err error
	if s.command.SysProcAttr, err = account(s.folder); err != nil {
		return err
	}
	if s.input, err = s.command.StdinPipe(); err != nil {
		return err
	}
	output, err := s.command.StdoutPipe()
	if err != nil {
		return err
	}
	s.output = bufio.NewReader(output)
	if err := s.command.Start(); err != nil {
		return err
	}
	return s.answered("started")
}

// lines returns the lines of the server's configuration.
func (s *Server) lines(settings Settings) []string {
	connections := settings.Connections
	if connections == 0 {
		connections = 200
	}
	all := []string{
		"listen_addresses = ''", "unix_socket_directories = '" + s.folder + "'", "unix_socket_permissions = 0777",
		"max_connections = " + strconv.Itoa(connections), "shared_buffers = 64MB", "max_wal_size = 2GB", "timezone = 'UTC'",
		"log_min_messages = fatal", "autovacuum_naptime = 10s", "checkpoint_timeout = 1h",
	}
	if settings.TCP {
		all = append(all, "listen_addresses = '127.0.0.1'", "port = "+strconv.Itoa(s.port))
	}
	if !settings.Durable {
		all = append(all, "fsync = off", "full_page_writes = off")
	}
	return all
}

// answered waits for an answer of the script. The script doesn't inherit the program's outputs,
// because go test waits until nobody has them open.
func (s *Server) answered(want string) error {
	line, err := s.output.ReadString('\n')
	if got := strings.TrimSpace(line); err != nil || got != want {
		log, _ := io.ReadAll(s.output) // as much as there is
		return fmt.Errorf("PostgreSQL says %q instead of %q: %w", line+string(log), want, errors.Join(err, s.Close()))
	}
	return nil
}

func (s *Server) tell(command, answer string) error {
	if _, err := fmt.Fprintln(s.input, command); err != nil {
		return err
	}
	return s.answered(answer)
}

// Kill ends the server at once, like a crash.
func (s *Server) Kill() error { return s.tell("stop", "stopped") }

// Restart starts the server after Kill.
func (s *Server) Restart() error { return s.tell("start", "started") }

// Close ends the server and removes its data.
func (s *Server) Close() error {
	return errors.Join(s.input.Close(), s.command.Wait(), os.RemoveAll(s.folder))
}

// URL is the address of a database.
func (s *Server) URL(database string) string {
	if s.port != 0 {
		return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
	}
	return "postgres://postgres@/" + database + "?host=" + url.QueryEscape(s.folder)
}

// freePort returns a port that nobody listens at.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

// Create makes an empty database and returns its URL.
func (s *Server) Create(ctx context.Context) (string, error) {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	name := "test_" + strconv.FormatInt(s.made.Add(1), 10)
	_, err = conn.Exec(ctx, `CREATE DATABASE `+name+` TEMPLATE template0 STRATEGY file_copy`)
	return s.URL(name), err
}

// programs returns the folder of PostgreSQL's programs.
func programs() (string, error) {
	if folder := os.Getenv("POSTGRES_BIN"); folder != "" {
		return folder, nil
	}
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin") // Debian's
	slices.SortFunc(folders, func(a, b string) int { return version(b) - version(a) })
	if err == nil && len(folders) > 0 {
		return folders[0], nil
	}
	initdb, err := exec.LookPath("initdb")
	if err != nil {
		return "", ErrMissing
	}
	return filepath.Dir(initdb), nil
}

func version(folder string) int {
	number, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder))) // 0 comes last
	return number
}
