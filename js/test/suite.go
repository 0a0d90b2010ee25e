package test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Suite is what all tests of a package share: one browser and the built programs. It is safe for
// concurrent use.
type Suite struct {
	// Root is the folder of the project.
	Root string

	folder  string
	service string
	// database returns what readDatabase returned to the first caller.
	database func() ([]byte, error)
	browser  browser
	workers  bool
}

// Open builds the service and starts the browser. Close ends both.
func Open() (*Suite, error) {
	s, err := OpenWithoutBrowser()
	if err != nil {
		return nil, err
	}
	browser, err := startBrowser(s.folder)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.browser = browser // not earlier: an interface of a nil pointer is not nil
	return s, nil
}

// OpenWithoutBrowser builds the service, for tests that open no page.
func OpenWithoutBrowser() (*Suite, error) {
	root, err := findRoot()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "chatsdk-test-")
	if err != nil {
		return nil, err
	}
	s := &Suite{Root: root, folder: folder, service: filepath.Join(folder, "service"), workers: workersWanted()}
	s.database = sync.OnceValues(s.readDatabase)
	if err := s.buildService(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Folder is where to put files that are removed with the Suite.
func (s *Suite) Folder() string { return s.folder }

// Close ends the browser and removes what was built.
func (s *Suite) Close() error {
	var err error
	if s.browser != nil {
		err = s.browser.close()
	}
	return errors.Join(err, os.RemoveAll(s.folder))
}

func (s *Suite) buildService() error {
	command := exec.Command("go", "build", "-o", s.service, "./service")
	command.Dir = s.Root
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building the service: %w\n%s", err, output)
	}
	return nil
}

// File is the path of a file of the project, such as "dist/chatsdk.wasm".
func (s *Suite) File(name string) string { return filepath.Join(s.Root, filepath.FromSlash(name)) }

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
