// Package buildtest builds the service for tests that run it as a process. Call Main in
// TestMain.
package buildtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// Main builds the service, sets binary to its path, runs the tests, which must leave no
// goroutine behind, and removes it. arguments are additional ones for go build.
func Main(m *testing.M, binary *string, arguments ...string) {
	folder, err := os.MkdirTemp("", "chatsdk-service-*")
	if err == nil {
		*binary = filepath.Join(folder, "service")
		err = build(*binary, arguments)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// An SDK that has carried a call out keeps reporting it while its claim lasts, even if the
	// service is gone.
	reports := goleak.IgnoreAnyFunction("github.com/chatsdk/chatsdk/sdk.(*attempt).run")
	goleak.VerifyTestMain(m, reports, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(folder)
		os.Exit(code)
	}))
}

func build(binary string, arguments []string) error {
	arguments = append(append([]string{"build", "-buildvcs=false", "-o", binary}, arguments...), "github.com/chatsdk/chatsdk/service")
	output, err := exec.Command("go", arguments...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, output)
	}
	return nil
}
