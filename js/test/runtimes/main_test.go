// Package runtimes_test runs the packed tarball where it claims to run: in the
// Nodes, Deno, Bun and workerd of its package.json, against the real service
// with an API key. Begin with programs_test.go. make test-bundlers installs what
// is needed and runs it.
package runtimes_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chatsdk/chatsdk/js/test"
	"github.com/stretchr/testify/require"
)

// suite and installed are set before the first test and never changed.
var (
	suite *test.Suite
	// installed is a folder that has the tarball as chatsdk, and beneath it the
	// programs of this folder and of the examples.
	installed string
)

func TestMain(m *testing.M) {
	os.Exit(test.Main(m, test.OpenWithoutBrowser, func(s *test.Suite) error {
		suite, installed = s, filepath.Join(s.Folder(), "installed")
		return install()
	}))
}

// install does what a user does with the tarball.
func install() error {
	for _, folder := range []string{"js/test/runtimes", "examples/13-servers", "examples/14-workerd"} {
		if err := copyFiles(suite.File(folder)); err != nil {
			return err
		}
	}
	tarball := suite.File(".build/chatsdk.tgz")
	if _, err := os.Stat(tarball); err != nil {
		return fmt.Errorf("the tarball is missing, run make test-bundlers: %w", err)
	}
	// Deno accepts a package only if it is in package.json, where npm writes it.
	if err := os.WriteFile(filepath.Join(installed, "package.json"), []byte(`{"private": true}`), 0o600); err != nil {
		return err
	}
	command := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund", tarball)
	command.Dir = installed
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install %s: %w\n%s", tarball, err, output)
	}
	return nil
}

// copyFiles copies the programs of a folder into one with the same name.
func copyFiles(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	to := filepath.Join(installed, filepath.Base(folder))
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, entry := range entries {
		switch filepath.Ext(entry.Name()) {
		case ".mjs", ".mts", ".capnp":
			text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			if err != nil {
				return err
			}
			// workerd embeds files by path, and here one node_modules is above all folders.
			text = bytes.ReplaceAll(text, []byte(`embed "node_modules/`), []byte(`embed "../node_modules/`))
			if err := os.WriteFile(filepath.Join(to, entry.Name()), text, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// tool is the path of a program that the package.json here installs.
func tool(t *testing.T, name string) string {
	t.Helper()
	path := suite.File("js/test/runtimes/node_modules/" + name)
	require.FileExists(t, path, "run make test-bundlers, which installs it")
	return path
}

// environment has the variables that name a service to a program.
func environment(service *test.Service) []string {
	return append(os.Environ(), "BASE_URL="+service.URL, "PROJECT_ID="+test.Project, "API_KEY="+test.APIKey, "API_SECRET="+test.APISecret)
}

// server is a runtime that runs a file.
type server struct {
	name    string
	program string
	args    []string
}

var servers = []server{
	{"Node 20", "node-20/bin/node", nil},
	{"Node 22", "node-22/bin/node", nil},
	{"Node 24", "node-24/bin/node", nil},
	{"Deno", "@deno/linux-x64-glibc/deno", []string{"run", "--no-remote", "--allow-env", "--allow-net", "--allow-read"}},
	{"Bun", "@oven/bun-linux-x64/bin/bun", nil},
}

// command runs a file of a folder with that runtime.
func (s server) command(t *testing.T, service *test.Service, folder string, args ...string) *exec.Cmd {
	command := exec.CommandContext(t.Context(), tool(t, s.program), append(s.args, args...)...)
	command.Dir = filepath.Join(installed, folder)
	command.Env = environment(service)
	return command
}
