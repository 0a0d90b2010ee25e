//go:build unix

// Package replicas_test breaks three replicas of the service, and the PostgreSQL that they
// share, at random moments while 100 clients work, and holds what is stored then against
// what the clients were told. Begin with replicas_test.go.
//
//	go test -v ./service/crash/replicas -args -faults 300
//
// The seed decides what clients do and which faults come when; the operating system decides
// how far everybody has come by then.
package replicas_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

var (
	faults  = flag.Int("faults", len(kinds), "how many faults there are: one of each kind, and then in dozens")
	clients = flag.Int("clients", 100, "how many clients work at once")
	seed    = flag.Uint64("seed", rand.Uint64(), "what the faults are drawn from")
)

// binary is the built command, with a clock that can be set.
var binary string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "chatsdk-replicas-*")
	if err == nil {
		binary = filepath.Join(folder, "service")
		err = build()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(folder)
		os.Exit(code)
	}))
}

func build() error {
	output, err := exec.Command("go", "build", "-buildvcs=false", "-tags", "clockstep", "-o", binary, "../..").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, output)
	}
	return nil
}
