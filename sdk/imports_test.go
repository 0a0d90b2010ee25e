//go:build !js

package sdk_test

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/chatsdk/chatsdk/"

// goList runs go list at the root of the module for the given system.
func goList(t *testing.T, system, architecture string, args ...string) []byte {
	t.Helper()
	readSources(t)
	command := exec.Command("go", append([]string{"list"}, args...)...)
	command.Dir = ".."
	command.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+architecture)
	var problems bytes.Buffer
	command.Stderr = &problems
	list, err := command.Output()
	require.NoError(t, err, problems.String())
	return list
}

// readSources reads all Go files. go test notices only files that the test itself reads when it decides
// whether a cached result is still valid; go list is another process.
func readSources(t *testing.T) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() != ".." && strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case filepath.Ext(path) == ".go":
			_, err = os.ReadFile(path)
		}
		return err
	}))
}

// under reports whether a package is in the list, or in a folder that the list names with "/...".
func under(name string, list ...string) bool {
	return slices.ContainsFunc(list, func(item string) bool {
		folder, deep := strings.CutSuffix(item, "/...")
		return name == folder || deep && strings.HasPrefix(name, folder+"/")
	})
}

func TestAPageDownloadsNoLargePackages(t *testing.T) {
	t.Parallel()
	forbidden := []string{
		"fmt/...", "reflect/...", "os/...", "io/fs/...", "net/...", "encoding/json/...", "log/...", "mime/...",
		"text/template/...", "html/...", "crypto/...", "regexp/...",
	}
	for _, name := range []string{"./sdk", "./bridge", "./wasm"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := strings.Fields(string(goList(t, "js", "wasm", "-deps", name)))
			require.Contains(t, list, module+"sdk/jsontext")
			for _, dependency := range list {
				plain := strings.TrimPrefix(dependency, "vendor/")
				require.False(t, under(plain, forbidden...), "%s brings %s into the page, see docs/decisions.md", name, dependency)
			}
		})
	}
}

// listed is a package in the output of go list.
type listed struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T, system, architecture string) []listed {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(goList(t, system, architecture, "-e", "-json=ImportPath,Imports", "./...")))
	var list []listed
	for {
		var next listed
		err := decoder.Decode(&next)
		if err == io.EOF {
			return list
		}
		require.NoError(t, err)
		list = append(list, next)
	}
}

// direction says which packages of this module the packages of a folder may import. The longest folder
// that fits counts.
var direction = map[string][]string{
	"sdk":                  {"sdk/wire", "sdk/jsontext", "sdk/sse"},
	"sdk/wire/...":         {},
	"sdk/jsontext/...":     {},
	"sdk/sse":              {},
	"sdk/nethttp/...":      {"sdk"},
	"bridge/...":           {"sdk", "sdk/wire", "sdk/jsontext"},
	"wasm/...":             {"bridge"},
	"js/build/...":         {},
	"js/build/slim/...":    {"js/build/slim/..."},
	"js/test/...":          {"sdk/...", "service/apitest", "js/test/..."},
	"examples/...":         {"sdk", "sdk/wire", "sdk/nethttp"},
	"service":              {"service/internal/cli"},
	"service/internal/cli": {"service/internal/...", "sdk/wire"},
	"service/internal/app": {"service/internal/...", "sdk/wire"},
	"service/internal/config": {
		"service/internal/agent/...", "service/internal/builtin/embedded", "service/internal/answering", "service/internal/chat",
		"service/internal/clock", "service/internal/fault", "service/internal/httpapi",
		"service/internal/memory", "service/internal/store/sqlite", "service/internal/tool", "service/internal/toolcall", "sdk/wire",
	},
	"service/internal/demo": {
		"service/internal/answering", "service/internal/clock", "service/internal/config", "service/internal/httpapi", "service/internal/importer",
		"service/internal/tool", "sdk/wire",
	},
	"service/internal/clock":        {},
	"service/apitest/...":           {"sdk/wire"},
	"service/compat/...":            {"sdk/..."},
	"service/crash/...":             {"sdk/...", "service/crash/..."},
	"service/internal/cluster":      {"service/internal/store/postgres/pgtest"},
	"service/internal/cluster/demo": {"service/internal/cluster"},
	"service/internal/bench/...":    {"service/internal/...", "sdk/wire"},
	"service/internal/importer":     {"sdk", "sdk/nethttp", "sdk/wire"}, // a client
	"service/internal/fault":        {"sdk/wire"},
	"service/internal/english":      {},
	"service/internal/access":       {},
	"service/internal/buildtest":    {},
	"service/internal/cgroup":       {},
	"service/internal/console":      {},
	"service/internal/ids":          {},
	"service/internal/strictjson":   {"service/internal/fault"},
	"service/internal/toolcall": {
		"service/internal/access", "service/internal/fault", "service/internal/ids", "service/internal/images", "service/internal/once",
		"service/internal/stream", "service/internal/tool", "sdk/wire",
	},
	"service/internal/images":         {"service/internal/fault", "service/internal/ids", "sdk/wire"},
	"service/internal/lineartest":     {},
	"service/internal/once":           {"service/internal/fault", "sdk/wire"},
	"service/internal/queue":          {},
	"service/internal/rates":          {},
	"service/internal/repeats":        {"service/internal/fault"},
	"service/internal/replica":        {"service/internal/stream"},
	"service/internal/room":           {},
	"service/internal/tokens":         {},
	"service/internal/stream":         {"service/internal/fault", "sdk/wire"},
	"service/internal/chat/imagetest": {},
	"service/internal/tool":           {"service/internal/fault", "service/internal/images", "service/internal/strictjson", "sdk/sse", "sdk/wire"},
	"service/tooltest":                {},
	"service/internal/websearch/...":  {"service/internal/answering", "service/internal/fault", "sdk/wire"},
	"service/internal/knowledge/...": {
		"service/internal/access", "service/internal/english", "service/internal/fault", "service/internal/knowledge/...", "service/internal/once",
		"service/internal/queue", "sdk/wire",
	},
	"service/internal/knowledge/librarytest": {
		"service/internal/knowledge/...", "service/internal/knowledge", "service/internal/store/sqlite/...", "service/internal/store/sqlite", "sdk/wire",
	},
	"service/internal/builtin/...": { // what works without a model
		"service/internal/answering", "service/internal/builtin/...", "service/internal/chat", "service/internal/english", "service/internal/fault",
		"service/internal/images", "service/internal/knowledge/...", "service/internal/memory/...", "service/internal/toolcall", "sdk/wire",
	},
	"service/internal/builtin/knowledge/eval/...": { // a command on real stores
		"service/internal/builtin/...",
		"service/internal/english", "service/internal/knowledge/...", "service/internal/once", "service/internal/store/sqlite",
		"service/internal/store/postgres/...",
		"sdk/wire",
	},
	"service/internal/answering": { // no store
		"service/internal/english", "service/internal/fault", "service/internal/images", "service/internal/knowledge/search",
		"service/internal/stream", "service/internal/tokens", "service/internal/tool", "service/internal/toolcall", "sdk/wire",
	},
	"service/internal/chat": {
		"service/internal/answering", "service/internal/access", "service/internal/fault", "service/internal/ids", "service/internal/answering",
		"service/internal/images", "service/internal/toolcall",
		"service/internal/once", "service/internal/rates", "service/internal/knowledge/search", "service/internal/stream",
		"service/internal/tool", "sdk/wire",
	},
	"service/internal/chat/storetest": {
		"service/internal/answering", "service/internal/images", "service/internal/toolcall",
		"service/internal/access", "service/internal/room", "service/internal/fault", "service/internal/chat", "service/internal/once",
		"service/internal/stream", "service/internal/tool", "sdk/wire",
	},
	"service/internal/memory/...": {
		"service/internal/builtin/memory/rules", "service/internal/access", "service/internal/english", "service/internal/fault",
		"service/internal/memory/...", "service/internal/once",
		"service/internal/queue", "sdk/wire",
	},
	"service/internal/memory/storetest": {
		"service/internal/access", "service/internal/fault", "service/internal/stream", "service/internal/chat",
		"service/internal/memory/...", "sdk/wire",
	},
	"service/internal/store": { // what both Stores do in the same way
		"service/internal/access", "service/internal/room", "service/internal/fault", "service/internal/images",
		"service/internal/answering", "service/internal/chat", "service/internal/knowledge/...", "service/internal/memory", "service/internal/once",
		"service/internal/stream", "service/internal/tool", "service/internal/toolcall", "sdk/wire",
	},
	"service/internal/store/sqlite/...": {
		"service/internal/store", "service/internal/answering", "service/internal/images", "service/internal/toolcall",
		"service/internal/access", "service/internal/room", "service/internal/fault",
		"service/internal/chat", "service/internal/knowledge/...", "service/internal/memory/...", "service/internal/once",
		"service/internal/stream", "service/internal/tool", "sdk/wire",
	},
	"service/internal/store/postgres/...": {
		"service/internal/store", "service/internal/answering", "service/internal/images", "service/internal/toolcall",
		"service/internal/access", "service/internal/room", "service/internal/english", "service/internal/fault", "service/internal/replica",
		"service/internal/chat", "service/internal/knowledge/...", "service/internal/memory/...", "service/internal/once",
		"service/internal/stream", "service/internal/tool", "sdk/wire",
	},
	"service/internal/store/sqlite/sqlitetest": {"service/internal/store/sqlite"},
	"service/internal/store/postgres/pgtest":   {},
	"service/internal/agent/...": {
		"service/internal/agent/...",
		"service/internal/answering", "service/internal/images", "service/internal/toolcall",
		"service/internal/english", "service/internal/fault", "service/internal/chat", "service/internal/knowledge/...", "service/internal/memory/...",
		"sdk/sse", "sdk/wire",
	},
	"service/internal/agent/providertest": {
		"service/internal/agent/...", "service/internal/answering", "service/internal/chat/imagetest", "service/internal/images", "service/internal/tool",
		"service/internal/toolcall", "sdk/wire",
	},
	"service/internal/httpapi/...": {
		"service/internal/answering", "service/internal/images", "service/internal/toolcall",
		"service/internal/access", "service/internal/room", "service/internal/fault",
		"service/internal/chat", "service/internal/knowledge/...", "service/internal/memory/...", "service/internal/once",
		"service/internal/strictjson", "service/internal/rates", "sdk/wire",
	},
}

// allowed is the rule of a package.
func allowed(t *testing.T, name string) []string {
	t.Helper()
	longest := ""
	for folder := range direction {
		if under(name, folder) && len(folder) > len(longest) {
			longest = folder
		}
	}
	require.NotEmpty(t, longest, "%s has no rule in direction", name)
	return direction[longest]
}

func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	for _, system := range [][2]string{{"linux", "amd64"}, {"js", "wasm"}} {
		t.Run(system[0], func(t *testing.T) {
			t.Parallel()
			for _, p := range packages(t, system[0], system[1]) {
				name := strings.TrimPrefix(p.ImportPath, module)
				rule := allowed(t, name)
				for _, imported := range p.Imports {
					if ours, ok := strings.CutPrefix(imported, module); ok {
						require.True(t, under(ours, rule...), "%s imports %s, may import %v", name, ours, rule)
					}
				}
			}
		})
	}
}

// homes are imports that only some folders may have.
var homes = map[string][]string{
	"syscall/js":                     {"bridge/..."},
	"github.com/hack-pad/safejs/...": {"bridge/..."},
	"database/sql/...": {
		"service/internal/store", "service/internal/store/sqlite/...", "service/internal/store/postgres", "service/internal/bench/...",
		"service/internal/knowledge/...", "service/internal/builtin/knowledge/eval",
	},
	"github.com/jackc/pgx/v5/...":         {"service/internal/store/postgres/...", "service/internal/bench/..."},
	"modernc.org/...":                     {"service/internal/store/sqlite/...", "service/internal/knowledge/...", "service/internal/builtin/knowledge/eval"},
	"github.com/golang-jwt/jwt/v5/...":    {"service/internal/httpapi/..."},
	"github.com/modelcontextprotocol/...": {"service/internal/tool", "service/internal/demo", "service/tooltest"},
	"github.com/santhosh-tekuri/...":      {"service/internal/tool", "service/apitest"},
	"google.golang.org/genai/...":         {}, // only in tests
	"net/http/...": {
		"sdk/nethttp", "service/apitest", "service/crash/witness", "service/internal/bench/...", "service/internal/cluster",
		"service/internal/app", "service/internal/demo", "service/internal/httpapi/...",
		"service/internal/agent/upstream", "service/internal/agent/providertest", "service/internal/importer",
		"service/internal/tool", "service/internal/websearch/...", "service/tooltest", "examples/18-tools", "js/test/...",
	},
}

func TestImportsHaveTheirHomes(t *testing.T) {
	t.Parallel()
	for _, system := range [][2]string{{"linux", "amd64"}, {"js", "wasm"}} {
		t.Run(system[0], func(t *testing.T) {
			t.Parallel()
			for _, p := range packages(t, system[0], system[1]) {
				name := strings.TrimPrefix(p.ImportPath, module)
				for _, imported := range p.Imports {
					for what, folders := range homes {
						require.True(t, !under(imported, what) || under(name, folders...), "%s imports %s, which belongs to %v", name, imported, folders)
					}
				}
			}
		})
	}
}
