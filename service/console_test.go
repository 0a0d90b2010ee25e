package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var consoleFiles = []string{"index.html", "console.js", "console.css", "chatsdk.mjs", "chatsdk.wasm"}

// consoleFolder returns a folder with the files of the console except one.
func consoleFolder(t *testing.T, without string) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "dist", "console"), 0o700))
	for _, name := range consoleFiles {
		if name != without {
			require.NoError(t, os.WriteFile(filepath.Join(folder, "dist", "console", name), []byte("file "+name), 0o600))
		}
	}
	return folder
}

func TestConsoleNeedsItsFiles(t *testing.T) {
	t.Parallel()
	for _, name := range consoleFiles {
		folder := consoleFolder(t, name)
		line := fails(t, folder, env{"CONSOLE": "1", "ADDR": "127.0.0.1:0"})
		require.Contains(t, line, "CONSOLE: dist/console/"+name+" is missing in the working directory; run make console in the project's folder")
		require.NoDirExists(t, filepath.Join(folder, "data"))
	}
}

func TestConsoleIsServedBesideTheAPI(t *testing.T) {
	t.Parallel()
	p := startIn(t, consoleFolder(t, ""), env{"PROJECT_ID": "demo"}, "-console")
	page := p.do(http.MethodGet, "/console/", nil, "")
	require.Equal(t, "file index.html", string(page.body))
	require.JSONEq(t, `{"project_id":"demo","service":"../"}`, string(p.do(http.MethodGet, "/console/settings.json", nil, "").body))
	require.Equal(t, http.StatusNotFound, p.do(http.MethodPost, "/demo/token", nil, "{}").status, "it hands out no tokens")
	require.NotEmpty(t, p.ask("Hi "+word).Message.Content)
}
