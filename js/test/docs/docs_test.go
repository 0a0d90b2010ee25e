package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// build builds the site as make docs does.
func build(t *testing.T, folder string) (printed string, err error) {
	t.Helper()
	command := exec.Command("npm", "run", "--silent", "build")
	command.Dir = filepath.Join(folder, "docs/site")
	command.Env = append(os.Environ(), "NO_COLOR=1")
	output, err := command.CombinedOutput()
	return string(output), err
}

// Whatever a page reports to the console, such as a breach of the policy, fails the test.
func TestTheDocumentationInTheDemo(t *testing.T) {
	t.Parallel()
	printed, err := build(t, suite.Root)
	require.NoError(t, err, printed)
	service := suite.Service(t)
	p := suite.Page(t, service.URL+"/docs/")
	p.Until(`document.querySelector("h1")?.textContent.startsWith("Documentation")`)
	require.Equal(t, "Documentation | ChatSDK", test.Eval[string](p, `return document.title`))

	p.Until(`document.documentElement.dataset.test = "the same document"`)
	p.Click(`main a[href="./architecture.html"]`)
	p.Until(`document.querySelector("h1").textContent.startsWith("Architecture")`)
	require.Equal(t, "the same document", test.Eval[string](p, `return document.documentElement.dataset.test`), "its script runs")

	p.Click(".VPNavBarSearch button")
	p.Until(`document.querySelector("#localsearch-input")`)
	p.Type("goldmark")
	p.Until(`document.querySelector("#localsearch-list a[href*='/docs/decisions.html']")`)
	p.Type(kb.Enter)
	p.Until(`location.pathname === "/docs/decisions.html" && document.querySelector("h1").textContent.startsWith("Decisions")`)
	require.Empty(t, p.Errors())
}

// copyDocs returns a folder with the generator, a list and one page, docs/page.md, which holds text.
func copyDocs(t *testing.T, text string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(folder, "docs/site/.vitepress"), os.DirFS(suite.File("docs/site/.vitepress"))))
	files, err := filepath.Glob(suite.File("docs/site/*.mjs"))
	require.NoError(t, err)
	for _, file := range append(files, suite.File("docs/site/package.json"), suite.File("README.md")) {
		name, err := filepath.Rel(suite.Root, file)
		require.NoError(t, err)
		copyFile(t, file, filepath.Join(folder, name))
	}
	require.NoError(t, os.Symlink(suite.File("docs/site/node_modules"), filepath.Join(folder, "docs/site/node_modules")))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "docs/index.md"), []byte("# Documentation\n\n## Start\n\n- [Page](page.md)\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "docs/page.md"), []byte("# Page\n\n## What it is\n\n"+text+"\n"), 0o600))
	return folder
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, content, 0o600))
}

func TestABrokenLinkFailsTheBuild(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct{ text, says string }{
		"to a page":    {"[no page](nothing.md)", "(!) Found dead link ./nothing in file page.md"},
		"to an anchor": {"[no anchor](index.md#nothing)", "page.html links to ./#nothing: there is no such anchor"},
		"to a file":    {"[no file](../nothing.go)", "docs/page.md links to ../nothing.go, which does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			printed, err := build(t, copyDocs(t, one.text))
			require.Error(t, err, printed)
			require.Contains(t, printed, one.says)
		})
	}
}

func TestWhatTheSiteMakesOfAPage(t *testing.T) {
	t.Parallel()
	folder := copyDocs(t, "See [here](#what-it-is), [the README](../README.md) and {{ text }}.")
	printed, err := build(t, folder)
	require.NoError(t, err, printed)
	content, err := os.ReadFile(filepath.Join(folder, "dist/docs/page.html"))
	require.NoError(t, err)
	page := string(content)
	require.Contains(t, page, `See <a href="#what-it-is">here</a>, the README (README.md) and {{ text }}.`)
	require.NotContains(t, strings.ReplaceAll(page, "<script type=\"module\" src=", ""), "<script>", "inline scripts are forbidden")
}
