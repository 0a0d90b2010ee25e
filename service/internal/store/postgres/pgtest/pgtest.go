package pgtest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
)

// shared is the server for all tests of a package. It ends with the program.
var shared = sync.OnceValues(func() (*Server, error) { return Start(Settings{}) })

// New returns the URL of an empty database for one test, on a server without fsync that the tests
// of the package share. If PostgreSQL isn't installed, the test is skipped, or fails with
// CI_POSTGRES=1.
func New(t testing.TB) string {
	t.Helper()
	server, err := shared()
	Need(t, err)
	address, err := server.Create(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal("make a database: ", err)
	}
	return address
}

// StartFor starts a server for one test, which may kill it.
func StartFor(t testing.TB, settings Settings) *Server {
	t.Helper()
	server, err := Start(settings)
	Need(t, err)
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error("end PostgreSQL: ", err)
		}
	})
	return server
}

// Need skips a test if PostgreSQL isn't installed, and fails it after any other error of Start.
func Need(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, ErrMissing) && os.Getenv("CI_POSTGRES") != "1":
		t.Skip(err)
	case err != nil:
		t.Fatal("start PostgreSQL: ", err)
	}
}
