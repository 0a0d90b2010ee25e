package bundlers_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// block is code of a page that names the file which contains it.
var block = regexp.MustCompile("(?ms)^```\\w+ ([^\n]+)\n(.*?)^```$")

func TestTheCodeOfTheInstallingGuideIsInTheExamples(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, match := range block.FindAllStringSubmatch(read(t, "docs/installing.md")+read(t, "docs/worker-and-csp.md"), -1) {
		file, code := match[1], match[2]
		require.Contains(t, read(t, file), strings.TrimSpace(code), file)
		found[file] = true
	}
	for _, file := range []string{
		"examples/06-cdn/index.html", "examples/07-vite/vite.config.js", "examples/09-esbuild/package.json",
		"examples/10-rollup/rollup.config.js", "examples/11-nextjs/next.config.js", "examples/12-csp/index.html",
		"examples/16-angular/angular.json", "examples/17-bun/main.js", "examples/19-rolldown/rolldown.config.js",
		"examples/22-nuxt/server/api/token.post.js", "examples/25-extension/manifest.json",
	} {
		require.True(t, found[file], "no page has code of %s", file)
	}
}

// The server and the page of the README run in an empty folder, with the tarball installed as it says. Only
// the addresses differ.
func TestTheProjectOfTheReadme(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	s := newStage(t, "ALLOWED_ORIGINS=http://localhost:"+port)
	e := example{folder: t.TempDir()}
	for _, match := range block.FindAllStringSubmatch(read(t, "README.md"), -1) {
		e.write(t, match[1], strings.NewReplacer("http://127.0.0.1:8080", s.URL, "3000", port).Replace(match[2]))
	}
	e.run(t, "npm", "install", suite.File(".build/chatsdk.tgz"))
	without := exec.CommandContext(t.Context(), "node", "server.mjs")
	without.Dir, without.Env = e.folder, slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "API_") })
	said, err := without.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, "Set API_KEY and API_SECRET: make demo writes them to data/credentials\n", string(said))
	address := e.start(t, []string{"API_KEY=" + test.APIKey, "API_SECRET=" + test.APISecret}, "node", "server.mjs")
	gate := make(chan struct{})
	s.model.On(question, func(a *test.Answer) {
		a.Text("There are ").Wait(gate)
		a.Text("seven.").Finish("stop")
	})
	p := suite.Page(t, address, counting)
	p.Click("button")
	p.Until(`document.getElementById("answer").textContent === "There are "`)
	close(gate)
	p.Until(`document.getElementById("answer").textContent === "There are seven."`)
	require.Equal(t, inPage, countedIn(p))

	// Without the service, the page says so.
	p = suite.Page(t, address)
	p.Offline(true)
	p.Do(`document.forms[0].requestSubmit()`)
	p.Until(`document.getElementById("answer").textContent.length > 20`)
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(suite.File(name))
	require.NoError(t, err)
	return string(content)
}

// lock is the part of a package-lock.json that matters.
type lock struct {
	Packages map[string]struct {
		Resolved  string `json:"resolved"`
		Integrity string `json:"integrity"`
		InBundle  bool   `json:"inBundle"` // it is inside the package around it
	} `json:"packages"`
}

// A lock file of an example must be valid wherever npm finds the packages, and
// whatever make package has built.
func TestLockFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(suite.File("examples/*/package-lock.json"))
	require.NoError(t, err)
	for _, pattern := range []string{"js/test/*/package-lock.json", "js/test/bundlers/*/package-lock.json", "docs/site/package-lock.json"} {
		more, err := filepath.Glob(suite.File(pattern))
		require.NoError(t, err)
		files = append(files, more...)
	}
	for _, file := range files {
		t.Run(strings.TrimPrefix(filepath.Dir(file), suite.Root+"/"), func(t *testing.T) {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			var locked lock
			require.NoError(t, json.Unmarshal(content, &locked))
			for name, entry := range locked.Packages {
				if name == "node_modules/chatsdk" {
					require.Regexp(t, `^file:(\.\./)+\.build/chatsdk\.tgz$`, entry.Resolved)
					require.Empty(t, entry.Integrity, "the next make package makes another")
					continue
				}
				require.Empty(t, entry.Resolved, "%s: an address", name)
				require.True(t, name == "" || entry.InBundle || entry.Integrity != "", "%s: no integrity", name)
			}
		})
	}
}
