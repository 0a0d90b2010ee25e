package bundlers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

func TestRolldownNeedsALine(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	e := built(t, s, "19-rolldown")
	s.followBoth(t, e, "/examples/19-rolldown/")

	config := e.read(t, "rolldown.config.js")
	lines := deleteWith(strings.Split(config, "\n"), "resolveNewUrlToAsset")
	e.write(t, "rolldown.config.js", strings.Join(lines, "\n"))
	e.run(t, "rm", "-r", "dist")
	e.run(t, "npm", "run", "build")
	require.Contains(t, refusal(t, s.URL+"/examples/19-rolldown/", "status of 404"), "dist/chatsdk.wasm answered 404")
}

func TestRspackNeedsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	e := built(t, s, "20-rspack")
	s.followBoth(t, e, "/examples/20-rspack/")
}

// Frameworks on Vite need nothing. Each renders its page outside of a browser too, when
// it is built or on its server.
func TestFrameworks(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string][]string{"21-sveltekit": {"--strictPort"}, "23-astro": nil, "24-react-router": {"--strictPort"}} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			e := installWith(t, node24(), name, "")
			for _, script := range []string{"dev", "preview"} {
				if script == "preview" {
					e.run(t, "npm", "run", "build")
				}
				port := freePort(t)
				e.start(t, []string{"SERVICE=" + s.URL}, "npm", append([]string{"run", script, "--", "--port", port}, arguments...)...)
				s.follow(t, "http://localhost:"+port+"/")
				s.followInWorker(t, "http://localhost:"+port+"/")
			}
		})
	}
}

// Nuxt's server mints the token; the answer comes to the browser from another origin.
func TestNuxtNeedsNothing(t *testing.T) {
	t.Parallel()
	ports := map[string]string{"dev": freePort(t), "preview": freePort(t)}
	s := newStage(t, "ALLOWED_ORIGINS=http://localhost:"+ports["dev"]+",http://localhost:"+ports["preview"])
	e := installWith(t, node24(), "22-nuxt", "")
	e.run(t, "npm", "run", "build")
	for script, port := range ports {
		env := []string{"HOST=localhost", "PORT=" + port, "NUXT_PUBLIC_SERVICE=" + s.URL, "API_KEY=" + test.APIKey, "API_SECRET=" + test.APISecret}
		e.start(t, env, "npm", "run", script)
		// What Nuxt builds prefetches the file, even if only a worker needs it.
		p := s.answered(t, "http://localhost:"+port+"/")
		require.Len(t, slices.Compact(modules(t, p)), 1)
		require.Equal(t, inPage, countedIn(p))
		require.Equal(t, inWorker, countedIn(s.answered(t, "http://localhost:"+port+"/#worker")))
	}
}

// The popup is opened as a tab. Its policy allows WebAssembly, and its permission the service.
func TestABrowserExtension(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	e := install(t, "25-extension", "")
	e.write(t, "main.js", strings.Replace(e.read(t, "main.js"), "http://127.0.0.1:8080", s.URL, 1))
	e.run(t, "npm", "run", "build")
	gate := make(chan struct{})
	s.model.On(question, func(a *test.Answer) {
		a.Text("There are ").Wait(gate)
		a.Text("seven.").Finish("stop")
	})
	p := suite.ExtensionPage(t, e.folder, "popup.html", counting)
	p.Click("input")
	p.Type(s.Token(t, "ana") + kb.Enter)
	require.Equal(t, "There are ", test.Eval[string](p, shown, ""), "while the model writes")
	close(gate)
	require.Equal(t, "There are seven.", test.Eval[string](p, shown, "ended"))
	require.Equal(t, inPage, countedIn(p))

	manifest := e.read(t, "manifest.json")
	for _, needed := range []struct{ line, refused, reported string }{
		{` 'wasm-unsafe-eval'`, "WebAssembly cannot run here", ""},
		{`"http://127.0.0.1/*"`, "could not be reached", "blocked by CORS policy"},
	} {
		require.Contains(t, manifest, needed.line)
		e.write(t, "manifest.json", strings.Replace(manifest, needed.line, "", 1))
		p := suite.ExtensionPage(t, e.folder, "popup.html")
		if needed.reported != "" {
			p.Expect(needed.reported)
		}
		p.Click("input")
		p.Type(s.Token(t, "ana") + kb.Enter)
		require.Contains(t, test.Eval[string](p, shown, "ended"), needed.refused)
	}
}
