package test_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/chatsdk/chatsdk/js/test"
)

// policyOf returns the Content-Security-Policy of a page, which comes before everything that it
// covers, or "".
func policyOf(t *testing.T, page string) string {
	t.Helper()
	file, err := os.Open(page)
	require.NoError(t, err)
	defer file.Close()
	for tokens := html.NewTokenizer(file); tokens.Next() != html.ErrorToken; {
		token := tokens.Token()
		attributes := map[string]string{}
		for _, one := range token.Attr {
			attributes[one.Key] = one.Val
		}
		switch {
		case token.Data == "meta" && strings.EqualFold(attributes["http-equiv"], "Content-Security-Policy"):
			return attributes["content"]
		case token.Data == "script", token.Data == "link", token.Data == "style":
			return ""
		}
	}
	return ""
}

// withoutMeta are a template whose inline scripts SvelteKit writes, and the page of an extension,
// whose policy is in its manifest.
var withoutMeta = []string{"app.html", "popup.html"}

// People copy examples, so each example has a policy. The page of 11-nextjs is made by its server;
// the bundlers' tests check its policy.
func TestEveryPageOfTheExamplesHasAPolicy(t *testing.T) {
	t.Parallel()
	root, pages := suite.File("examples"), 0
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "dist"):
			return filepath.SkipDir
		case filepath.Ext(path) != ".html" || slices.Contains(withoutMeta, entry.Name()):
			return nil
		}
		pages++
		policy := policyOf(t, path)
		require.Contains(t, policy, "default-src 'none'; script-src 'self'", path)
		require.Contains(t, policy, "base-uri ", path)
		require.Contains(t, policy, "form-action 'none'", path)
		require.NotContains(t, policy, "unsafe-inline", path)
		require.NotContains(t, policy, "'unsafe-eval'", path)
		return nil
	}))
	require.GreaterOrEqual(t, pages, 13)
}

// A page that frames one of ours could trick its visitors into clicking on hidden controls, such as
// the switch of auto-approval.
func TestExamplesCannotBeFramed(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	const path = "/examples/03-memory-console/"
	for name, origin := range map[string]string{
		"by another origin": strings.Replace(service.URL, "127.0.0.1", "localhost", 1), "by their own": service.URL,
	} {
		p := suite.Page(t, origin+test.BlankPage)
		p.ExpectOfBrowser("frame-ancestors 'none'")
		p.Do(`
			const frame = document.createElement("iframe");
			await new Promise((resolve) => {
				frame.onload = frame.onerror = resolve;
				frame.src = $1;
				document.body.append(frame);
			});`, service.URL+path+"#assistant/settings")
		require.Positive(t, service.Count(path), name)
		require.Zero(t, service.Count(path+"console.js"), name)
	}
	p := suite.Page(t, service.URL+path)
	p.Until(`document.querySelector("#agent:enabled")`)
	require.Positive(t, service.Count(path+"console.js"), "outside a frame it runs")
}
