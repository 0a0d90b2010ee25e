//go:build unix

package cluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// binary is the built service.
var binary string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "chatsdk-cluster-*")
	if err == nil {
		binary = filepath.Join(folder, "service")
		err = exec.Command("go", "build", "-buildvcs=false", "-o", binary, "../..").Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the service:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(folder)
		os.Exit(code)
	}))
}
