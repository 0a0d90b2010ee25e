package test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Suite is what all tests of a package share: one browser and the built
// programs. It is safe for tests that run at once.
type Suite struct {
	// Root is the folder of the project.
	Root string

	folder  string
	service string
	browser *browser
	faulty  func() (string, error)
}

// Open builds the service and starts the browser. Close ends both.
func Open() (*Suite, error) {
	root, err := findRoot()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "chatsdk-test-")
	if err != nil {
		return nil, err
	}
	s := &Suite{Root: root, folder: folder, service: filepath.Join(folder, "service")}
	s.faulty = sync.OnceValues(s.buildFaulty)
	if err := s.build(nil, "-o", s.service, "./service"); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if s.browser, err = startBrowser(folder); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends the browser and removes what was built.
func (s *Suite) Close() error {
	var err error
	if s.browser != nil {
		err = s.browser.close()
	}
	return errors.Join(err, os.RemoveAll(s.folder))
}

// FaultyWasm is the path of a chatsdk.wasm that breaks down on request: see
// bridge/fault.go. It is built when it is asked for first.
func (s *Suite) FaultyWasm() (string, error) { return s.faulty() }

func (s *Suite) buildFaulty() (string, error) {
	path := filepath.Join(s.folder, "faulty.wasm")
	return path, s.build([]string{"GOOS=js", "GOARCH=wasm"}, "-tags", "panictest", "-o", path, "./wasm")
}

func (s *Suite) build(env []string, args ...string) error {
	command := exec.CommandContext(context.Background(), "go", append([]string{"build"}, args...)...)
	command.Dir, command.Env = s.Root, append(os.Environ(), env...)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %v: %w\n%s", args, err, output)
	}
	return nil
}

// findRoot looks for go.mod above the folder of the tests that run.
func findRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("no go.mod above the working directory")
		}
		folder = parent
	}
}
