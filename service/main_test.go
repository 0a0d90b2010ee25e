package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// binary is the built command.
var binary string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "chatsdk-service-*")
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
	output, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, ".").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, output)
	}
	return nil
}
