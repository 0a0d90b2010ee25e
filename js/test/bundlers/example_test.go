package bundlers_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// example is a copy of an example, surrounded by what a reader's clone of the
// project has after make package.
type example struct {
	folder string
	node   string // the folder of another node than the one of PATH, or empty
}

// install copies an example and runs npm ci there. Files of overlay, a folder
// beside this file, replace the example's own.
func install(t *testing.T, name, overlay string) example {
	t.Helper()
	return installWith(t, "", name, overlay)
}

// node24 is the folder of the Node 24 of js/test/runtimes.
func node24() string { return suite.File("js/test/runtimes/node_modules/node-24/bin") }

// installWith does the same with the node of a folder.
func installWith(t *testing.T, node, name, overlay string) example {
	t.Helper()
	root := t.TempDir()
	e := example{filepath.Join(root, "examples", name), node}
	copyFiles(t, ".", root, ".build/chatsdk.tgz", "tsconfig.json", "examples/tsconfig.json")
	copyFiles(t, "examples/"+name, e.folder, filesOf(t, "examples/"+name)...)
	if overlay != "" {
		copyFiles(t, "js/test/bundlers/"+overlay, e.folder, filesOf(t, "js/test/bundlers/"+overlay)...)
	}
	e.run(t, "npm", "ci")
	return e
}

// filesOf lists a folder of the project without what is built there.
func filesOf(t *testing.T, folder string) []string {
	t.Helper()
	command := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard")
	command.Dir = suite.File(folder)
	output, err := command.Output()
	require.NoError(t, err)
	return strings.Fields(string(output))
}

func copyFiles(t *testing.T, from, to string, names ...string) {
	t.Helper()
	require.NotEmpty(t, names, from)
	for _, name := range names {
		content, err := os.ReadFile(suite.File(from + "/" + name))
		require.NoError(t, err)
		path := filepath.Join(to, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, content, 0o644))
	}
}

// environment is what the programs of npm run in. Bun is the one of js/test/runtimes.
func (e example) environment() []string {
	bun := suite.File("js/test/runtimes/node_modules/@oven/bun-linux-x64/bin")
	path := strings.Join([]string{e.node, bun, os.Getenv("PATH")}, string(os.PathListSeparator))
	return append(os.Environ(), "PATH="+strings.TrimPrefix(path, string(os.PathListSeparator)), "NO_COLOR=1", "npm_config_update_notifier=false",
		"NEXT_TELEMETRY_DISABLED=1", "ASTRO_TELEMETRY_DISABLED=1", "NUXT_TELEMETRY_DISABLED=1")
}

// run runs a command in the example to its end.
func (e example) run(t *testing.T, name string, args ...string) {
	t.Helper()
	output, err := e.command(t, name, args...).CombinedOutput()
	require.NoError(t, err, "%s %s:\n%s", name, strings.Join(args, " "), output)
}

// fails runs a command that fails, and returns what it prints.
func (e example) fails(t *testing.T, name string, args ...string) string {
	t.Helper()
	output, err := e.command(t, name, args...).CombinedOutput()
	require.Error(t, err)
	return string(output)
}

func (e example) command(t *testing.T, name string, args ...string) *exec.Cmd {
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir, command.Env = e.folder, e.environment()
	return command
}

// write replaces the content of a file of the copy.
func (e example) write(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(e.folder, name), []byte(content), 0o644))
}

// read returns a file of the copy.
func (e example) read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(e.folder, name))
	require.NoError(t, err)
	return string(content)
}

// files serves a folder of the copy.
func (e example) files(folder string) http.Handler {
	return http.FileServer(http.Dir(filepath.Join(e.folder, folder)))
}
