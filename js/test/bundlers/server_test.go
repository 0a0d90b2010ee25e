package bundlers_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// cdn serves the files of the installed package under /dist/, from its own
// origin.
type cdn struct {
	*httptest.Server
	forbidden atomic.Value
	// modules counts how often chatsdk.wasm was requested.
	modules atomic.Int32
}

func newCDN(t *testing.T, e example) *cdn {
	c := &cdn{}
	c.forbid("")
	files := e.files("node_modules/chatsdk")
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/dist/chatsdk.wasm" {
			c.modules.Add(1)
		}
		if r.URL.Path != "/dist/"+c.forbidden.Load().(string) {
			w.Header().Set("Access-Control-Allow-Origin", "*")
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(c.Close)
	return c
}

// forbid keeps a file from pages of other origins.
func (c *cdn) forbid(name string) { c.forbidden.Store(name) }

// deleteWith leaves out the lines that contain one of the texts.
func deleteWith(lines []string, texts ...string) []string {
	return slices.DeleteFunc(lines, func(line string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) })
	})
}

func get(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get(address)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}

// policyOf is the Content-Security-Policy that a page comes with.
func policyOf(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get(address)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.Header.Get("Content-Security-Policy")
}
