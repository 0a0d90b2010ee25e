package main_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Whatever prevents a start is reported in one clear line, with exit code 1.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	line := fails(t, t.TempDir(), keyed(), "-addr", taken.Addr().String())
	require.Equal(t, "chatsdk: ADDR: "+taken.Addr().String()+
		" is in use by another program; end that one, or choose another address with ADDR or -addr\n", line)
}

func TestAddressOfAnotherMachine(t *testing.T) {
	t.Parallel()
	line := fails(t, t.TempDir(), keyed(), "-addr", "192.0.2.1:0") // RFC 5737 keeps it free
	require.Contains(t, line, "ADDR: listen tcp 192.0.2.1:0")
	require.Contains(t, line, "choose another address")
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "read-only"), 0o500))
	data := []string{"file", "file/data", "/proc/data", "/proc/self"} // even root can't write there
	if os.Getuid() != 0 {
		data = append(data, "read-only", "read-only/data")
	}
	for _, data := range data {
		line := fails(t, folder, keyed(), "-addr", "127.0.0.1:0", "-data", data)
		require.Contains(t, line, "DATA: ")
		require.Contains(t, line, strings.TrimSuffix(data, "/data"))
		require.Contains(t, line, "choose another folder with DATA or -data")
		require.Contains(t, fails(t, folder, env{"DATA": data}, "-print-token", ann), "credentials: ")
	}
}

func TestBrokenDatabase(t *testing.T) {
	t.Parallel()
	good := t.TempDir()
	startIn(t, good, nil).stop()
	database, err := os.ReadFile(filepath.Join(good, "data", "chatsdk.db"))
	require.NoError(t, err)
	tests := []struct {
		name string
		make func(path string) error
		want string
	}{
		{"another file", func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600)
		},
			"is not a database"},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o700) }, "open"},
		{"half a database", func(path string) error { return os.WriteFile(path, database[:len(database)/2], 0o600) }, "damaged"},
		{"a database with holes", func(path string) error {
			return os.WriteFile(path, append(database[:100:100], make([]byte, len(database)-100)...), 0o600)
		}, "damaged"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "data", "chatsdk.db")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			require.NoError(t, test.make(path))
			line := fails(t, folder, keyed(), "-addr", "127.0.0.1:0")
			require.Contains(t, line, "data/chatsdk.db")
			require.Contains(t, line, test.want)
		})
	}
}

func TestSecondProcessOnOneFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := startIn(t, folder, nil)
	line := fails(t, folder, keyed(), "-addr", "127.0.0.1:0")
	require.Contains(t, line, "DATA: ./data is served by another process")
	require.Equal(t, http.StatusOK, p.do(http.MethodGet, "/readyz", nil, "").status, "the first one is not disturbed")
	p.stop()
	startIn(t, folder, nil)
}

func TestBadProvider(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		env  env
		want string
	}{
		{"not an address", env{"OPENAI_BASE_URL": "::"}, "the base URL is not an address"},
		{"another scheme", env{"OPENAI_BASE_URL": "ftp://a"}, `"ftp"`},
		{"credentials in it", env{"OPENAI_BASE_URL": "http://user:" + openaiKey + "@a"}, "credentials"},
		{"a key with a line end", env{"OPENAI_API_KEY": openaiKey + "\n"}, "the API key holds"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			line := fails(t, folder, test.env.with(env{"MODEL": "m", "ADDR": "127.0.0.1:0"}))
			require.Contains(t, line, "OPENAI_BASE_URL, OPENAI_API_KEY: ")
			require.Contains(t, line, test.want)
			require.NoDirExists(t, filepath.Join(folder, "data"))
		})
	}
}

var demoFiles = []string{
	"examples/01-script-tag/index.html", "examples/03-memory-console/index.html",
	"dist/chatsdk.js", "dist/chatsdk.mjs", "dist/chatsdk.wasm",
}

// demoFolder returns a folder with the files of the demo except one.
func demoFolder(t *testing.T, without string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range demoFiles {
		if name == without {
			continue
		}
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("file "+name), 0o600))
	}
	return folder
}

func TestDemoNeedsItsFiles(t *testing.T) {
	t.Parallel()
	for _, name := range demoFiles {
		folder := demoFolder(t, name)
		line := fails(t, folder, env{"DEMO": "1", "ADDR": "127.0.0.1:0"})
		require.Contains(t, line, "DEMO: "+name+" is missing in the working directory; run make demo")
		require.NoDirExists(t, filepath.Join(folder, "data"))
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:0", "localhost:0"} {
		p := startIn(t, demoFolder(t, ""), nil, "-demo", "-addr", address)
		for i, path := range []string{"/examples/01-script-tag/", "/examples/03-memory-console/"} {
			page := p.do(http.MethodGet, path, nil, "")
			require.Equal(t, "file "+demoFiles[i], string(page.body))
		}
		anybody := http.Header{"Content-Type": {"application/json"}, "X-Api-Key": nil, "X-Api-Secret": nil, "X-User-Id": nil}
		token := p.do(http.MethodPost, "/demo/token", anybody, `{"user_id":"`+ann+`"}`)
		claims(t, decode[wire.AccessTokenResponse](t, token, http.StatusOK).AccessToken, apiSecret)
		require.NotEmpty(t, p.ask("Hi "+word).Message.Content)
		p.stop()
		require.Empty(t, p.stderr.String(), "people watch the demo")
	}
}

func TestTheDemoServesTheDocumentation(t *testing.T) {
	t.Parallel()
	folder := demoFolder(t, "")
	p := startIn(t, folder, nil, "-demo")
	require.Equal(t, http.StatusNotFound, p.do(http.MethodGet, "/docs/", nil, "").status)
	p.kill()
	require.Contains(t, p.stdout.String(), "To read the documentation at http://"+p.address+"/docs/, run make docs, which needs Node.js.\n")

	require.NoError(t, os.Mkdir(filepath.Join(folder, "dist/docs"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "dist/docs/index.html"), []byte("the list"), 0o600))
	p = startIn(t, folder, nil, "-demo")
	require.Equal(t, "the list", string(p.do(http.MethodGet, "/docs/", nil, "").body))
	p.kill()
	require.Contains(t, p.stdout.String(), "The documentation is at http://"+p.address+"/docs/.\n")
}

func TestNoDemoByDefault(t *testing.T) {
	t.Parallel()
	p := startIn(t, demoFolder(t, ""), nil)
	for _, path := range []string{"/demo/token", "/dist/chatsdk.js", "/docs/"} {
		response, err := http.Get("http://" + p.address + path)
		require.NoError(t, err)
		_ = response.Body.Close()
		require.Equal(t, http.StatusNotFound, response.StatusCode)
	}
}
