package bundlers_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// built installs and builds an example, and serves it where make demo does.
func built(t *testing.T, s stage, name string) example {
	t.Helper()
	e := install(t, name, "")
	e.run(t, "npm", "run", "build")
	s.serve(e, name)
	return e
}

// serve serves an example where make demo does.
func (s stage) serve(e example, name string) {
	s.Handle("/examples/"+name+"/", http.StripPrefix("/examples/"+name, e.files(".")).ServeHTTP)
}

// followBoth follows an example in the page and in a worker, each of which
// fetches the one file of WebAssembly that its bundler wrote into dist.
func (s stage) followBoth(t *testing.T, e example, path string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.folder, "dist/*.wasm"))
	require.NoError(t, err)
	inAssets, err := filepath.Glob(filepath.Join(e.folder, "dist/assets/*.wasm"))
	require.NoError(t, err)
	files = append(files, inAssets...)
	require.Len(t, files, 1)
	module := strings.TrimSuffix(path, "dist/") + strings.TrimPrefix(files[0], e.folder+"/")
	s.follow(t, s.URL+path)
	require.Equal(t, 1, s.Count(module))
	s.followInWorker(t, s.URL+path)
	require.Equal(t, 2, s.Count(module))
}

func TestWebpackNeedsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	e := built(t, s, "08-webpack")
	s.followBoth(t, e, "/examples/08-webpack/")
}

// iife uses esbuild's default format, in which a bundle has no address.
const iife = "esbuild main.js --bundle --outdir=dist"

func TestEsbuildTakesTheModuleAsAnEntry(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	e := built(t, s, "09-esbuild")
	s.followBoth(t, e, "/examples/09-esbuild/")
	s.requireModule(t, e, "/examples/09-esbuild/")
	e.run(t, "npx", strings.Fields(iife)...)
	require.Contains(t, refusal(t, s.URL+"/examples/09-esbuild/"), "import.meta.url")
}

func TestRollupNeedsAPlugin(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	e := built(t, s, "10-rollup")
	s.followBoth(t, e, "/examples/10-rollup/")
	s.requireModule(t, e, "/examples/10-rollup/")
}

// Parcel's default resolver reads main and not exports, so subpaths need a line.
func TestParcelNeedsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	e := built(t, s, "15-parcel")
	s.followBoth(t, e, "/examples/15-parcel/dist/")

	main, manifest := e.read(t, "main.js"), e.read(t, "package.json")
	e.write(t, "main.js", main+`import "chatsdk/react";`)
	require.Contains(t, e.fails(t, "npm", "run", "build"), "Cannot load file './react'")
	const line = `"@parcel/resolver-default": { "packageExports": true },`
	e.write(t, "package.json", strings.Replace(manifest, "{", "{"+line, 1))
	e.write(t, "main.js", main+`import "chatsdk/ai-sdk";`)
	e.run(t, "npm", "run", "build")
	require.Contains(t, e.read(t, "README.md"), strings.TrimSuffix(line, ","))
}

// The line in the error helps if a file is not where the bundle looks for it.
func TestParcelWorksWithTheLineInItsError(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	e := install(t, "15-parcel", "")
	s.serve(e, "15-parcel")
	e.run(t, "npm", "run", "build")
	files, err := filepath.Glob(filepath.Join(e.folder, "dist/*.wasm"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.NoError(t, os.Remove(files[0]))
	line := lineFor(t, "Parcel", refusal(t, s.URL+"/examples/15-parcel/dist/", "status of 404"))
	e.write(t, "main.js", line+"\n"+strings.Replace(e.read(t, "main.js"), "new ChatSDK({", "new ChatSDK({ wasmURL,", 1))
	e.run(t, "npm", "run", "build")
	s.follow(t, s.URL+"/examples/15-parcel/dist/")
	s.followInWorker(t, s.URL+"/examples/15-parcel/dist/")
}

func TestAngularWorksWithTheLineInItsError(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	e := built(t, s, "16-angular")
	s.followBoth(t, e, "/examples/16-angular/dist/")
	s.requireModule(t, e, "/examples/16-angular/dist/")

	config := e.read(t, "angular.json")
	lines := deleteWith(strings.Split(config, "\n"), "chatsdk.wasm")
	e.write(t, "angular.json", strings.Join(lines, "\n"))
	e.run(t, "npm", "run", "build")
	line := lineFor(t, "Angular", refusal(t, s.URL+"/examples/16-angular/dist/", "status of 404"))
	require.Contains(t, config, line)
}

func TestBunWorksWithTheLineInItsError(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	e := built(t, s, "17-bun")
	s.followBoth(t, e, "/examples/17-bun/dist/")

	main := e.read(t, "main.js")
	lines := deleteWith(strings.Split(strings.Replace(main, ", wasmURL }", " }", 1), "\n"), "wasmURL")
	e.write(t, "main.js", strings.Join(lines, "\n"))
	e.run(t, "npm", "run", "build")
	line := lineFor(t, "Bun", refusal(t, s.URL+"/examples/17-bun/dist/", "status of 404"))
	require.Contains(t, main, line+";")
}

// lineFor is what the error of a missing file says for a bundler.
func lineFor(t *testing.T, bundler, message string) string {
	t.Helper()
	_, rest, found := strings.Cut(message, bundler+": ")
	require.True(t, found, message)
	line, _, _ := strings.Cut(rest, "; ")
	return strings.TrimSuffix(line, ")")
}

// The resolver of eslint-plugin-import, too, reads main and not exports.
func TestESLintFindsThePackage(t *testing.T) {
	t.Parallel()
	e := install(t, "07-vite", "eslint")
	e.run(t, "npx", "eslint", "main.js")
	lines := strings.Split(e.read(t, "node_modules/chatsdk/package.json"), "\n")
	e.write(t, "node_modules/chatsdk/package.json", strings.Join(deleteWith(lines, `  "main":`, `  "module":`), "\n"))
	require.Contains(t, e.fails(t, "npx", "eslint", "main.js"), "Unable to resolve path to module 'chatsdk'")
}

// requireModule checks the error of a page whose bundler did not copy chatsdk.wasm.
func (s stage) requireModule(t *testing.T, e example, path string) {
	t.Helper()
	require.NoError(t, os.Remove(filepath.Join(e.folder, "dist/chatsdk.wasm")))
	message := refusal(t, s.URL+path, "status of 404")
	require.Contains(t, message, strings.TrimSuffix(path, "dist/")+"dist/chatsdk.wasm answered 404")
	require.Contains(t, message, "set wasmURL")
}

// viteLine is what Vite 6 and 7 need: their dev servers move the package away
// from its wasm, and serve a page in place of a missing file.
const viteLine = `optimizeDeps: { exclude: ["chatsdk"] },`

// viteWorkerLine is what they need if a page's worker imports the package.
const viteWorkerLine = ` worker: { format: "es" },`

func TestVite(t *testing.T) {
	t.Parallel()
	const html = "/node_modules/.vite/deps/chatsdk.wasm is a web page (HTML); set wasmURL"
	for _, version := range []struct{ name, overlay, withoutLine string }{
		{"6", "vite-6", html},
		{"7", "vite-7", html},
		{"8", "", ""},
	} {
		t.Run(version.name, func(t *testing.T) {
			s := newStage(t)
			e := install(t, "07-vite", version.overlay)
			config := e.read(t, "vite.config.js")
			require.Contains(t, config, viteLine)
			main := e.read(t, "main.js")
			e.write(t, "own.js", `import { ChatSDK } from "chatsdk"; postMessage(ChatSDK.name);`)
			e.write(t, "main.js", main+`new Worker(new URL("./own.js", import.meta.url), { type: "module" });`)
			if version.withoutLine != "" {
				e.write(t, "vite.config.js", strings.ReplaceAll(config, viteLine, viteLine+viteWorkerLine))
			}
			e.run(t, "npm", "run", "build")
			e.write(t, "main.js", main)
			e.write(t, "vite.config.js", config)

			// From here on servers watch their files, which must not change.
			dev := e.vite(t, s, "dev")
			s.follow(t, dev)
			s.followInWorker(t, dev)
			e.run(t, "npm", "run", "build")
			preview := e.vite(t, s, "preview")
			s.follow(t, preview)
			s.followInWorker(t, preview)

			e.write(t, "without.config.js", strings.ReplaceAll(config, viteLine, ""))
			address := e.vite(t, s, "dev", "--config", "without.config.js")
			if version.withoutLine == "" {
				s.follow(t, address)
				s.followInWorker(t, address)
			} else {
				require.Contains(t, refusal(t, address), version.withoutLine)
			}
		})
	}
}

// vite starts one of Vite's servers.
func (e example) vite(t *testing.T, s stage, script string, args ...string) string {
	t.Helper()
	return e.start(t, []string{"SERVICE=" + s.URL}, "npm", append([]string{"run", script, "--", "--port", freePort(t), "--strictPort"}, args...)...)
}

// The page is rendered on the server, where the SDK lists the agents and mints the
// token; the answer comes to the browser from another origin.
func TestNextJS(t *testing.T) {
	t.Parallel()
	ports := map[string]string{"dev": freePort(t), "start": freePort(t)}
	s := newStage(t, "ALLOWED_ORIGINS=http://localhost:"+ports["dev"]+",http://localhost:"+ports["start"])
	e := install(t, "11-nextjs", "")
	e.run(t, "npm", "run", "build")
	env := []string{"SERVICE=" + s.URL, "API_KEY=" + test.APIKey, "API_SECRET=" + test.APISecret}
	for script, port := range ports {
		address := e.start(t, env, "npm", "run", script, "--", "--port", port)
		require.Contains(t, get(t, address), "<h1>Assistant</h1>")
		policy := policyOf(t, address)
		require.Contains(t, policy, "frame-ancestors 'none'")
		require.Contains(t, policy, "script-src 'self' 'nonce-")
		require.NotEqual(t, policy, policyOf(t, address), "each page has its own nonce")
		s.follow(t, address)
		s.followInWorker(t, address)
	}
}

func TestAScriptFromAnotherOrigin(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	e := install(t, "06-cdn", "")
	cdn := newCDN(t, e)
	for name, file := range map[string]string{"index.html": "chatsdk.js", "main.js": "chatsdk.wasm"} {
		text := e.read(t, name)
		require.Contains(t, text, `"http://localhost:8080/dist/`+file+`"`)
		e.write(t, name, strings.ReplaceAll(text, "http://localhost:8080", cdn.URL))
	}
	e.run(t, "npm", "run", "build")
	s.Handle("/examples/06-cdn/", http.StripPrefix("/examples/06-cdn", e.files(".")).ServeHTTP)
	s.follow(t, s.URL+"/examples/06-cdn/dist/")
	t.Run("a worker gets the module that the page has checked", func(t *testing.T) {
		p := s.answered(t, s.URL+"/examples/06-cdn/dist/#worker")
		require.Len(t, modules(t, p), 1)
		require.Equal(t, counted{Streamed: 1, Workers: 1, Warnings: []string{}}, countedIn(p))
	})

	const option = ", wasmModule }"
	built := e.read(t, "dist/main.js")
	require.Contains(t, built, option)
	lines := strings.Split(strings.ReplaceAll(built, option, " }"), "\n")
	lines = deleteWith(lines, "WebAssembly", "chatsdk.wasm")
	e.write(t, "dist/main.js", strings.Join(lines, "\n"))
	t.Run("the wasm is found beside the script", func(t *testing.T) {
		s.follow(t, s.URL+"/examples/06-cdn/dist/")
		before := cdn.modules.Load()
		s.followInWorker(t, s.URL+"/examples/06-cdn/dist/")
		require.Equal(t, before+1, cdn.modules.Load(), "the worker fetches it")
	})
	t.Run("the wasm must allow other origins", func(t *testing.T) {
		cdn.forbid("chatsdk.wasm")
		message := refusal(t, s.URL+"/examples/06-cdn/dist/", "blocked by CORS policy", "chatsdk.wasm")
		require.Contains(t, message, cdn.URL+"/dist/chatsdk.wasm could not be fetched; set wasmURL")
	})
}

func TestAStrictPolicy(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	e := install(t, "06-cdn", "") // for the files of the package
	s.Handle("/dist/", e.files("node_modules/chatsdk").ServeHTTP)
	s.Handle("/examples/12-csp/", http.StripPrefix("/examples/12-csp", http.FileServer(http.Dir(suite.File("examples/12-csp")))).ServeHTTP)
	s.follow(t, s.URL+"/examples/12-csp/")
	require.Equal(t, 1, s.Count("/dist/chatsdk.wasm"), "it came from the package")
	s.followInWorker(t, s.URL+"/examples/12-csp/")
	require.Equal(t, 2, s.Count("/dist/chatsdk.wasm"), "the worker fetches it")
	require.Equal(t, 1, s.Count("/dist/chatsdk.worker.js"), "the policy allows no blob:")
}

func TestReact(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := make(chan struct{})
	s.model.On(question, func(a *test.Answer) {
		a.Text("There are ").Wait(gate)
		a.Text("seven.").Finish("stop")
	})
	built(t, s, "04-react")
	p := suite.Page(t, s.URL+"/examples/04-react/", counting)
	has := func(status, text string) {
		p.Until(`document.querySelector("main")?.dataset.status === $1 && [...document.querySelectorAll("li > p")].at(-1)?.textContent === $2`, status, text)
	}
	p.Until(`document.querySelector("[data-status=ready]")`)
	p.Click("input")
	p.Type(question + kb.Enter)
	has("streaming", "There are ")
	close(gate)
	has("ready", "There are seven.")
	require.Len(t, modules(t, p), 1)
	require.Equal(t, inPage, countedIn(p))
}
