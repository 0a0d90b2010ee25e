package httpapi

import "net/http"

// consolePolicy lets the console load and call only this service, and forbids inline scripts and
// styles. It is the policy of the console's index.html plus frame-ancestors, which a page cannot
// set itself.
const consolePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; " + framing

// addConsole adds the console's files and settings. Users sign in with a token. The service keeps
// no state for the console, so every replica can serve it.
func (a *api) addConsole() {
	files := site{files: a.config.Console, policy: consolePolicy, pageCaching: keepNot}.serve(".")
	a.add(http.MethodGet, "/console", redirectTo("console/")) // relative, so it works below a proxy's prefix too
	a.add(http.MethodGet, "/console/settings.json", alone(a.consoleSettings))
	a.add(http.MethodGet, "/console/{path...}", alone(files))
}

// alone keeps other sites from showing the page in a frame and from holding on to its window, and
// sends them no referrer.
func alone(serve serve) serve {
	return func(c *exchange) error {
		header := c.w.Header()
		header.Set("Content-Security-Policy", consolePolicy)
		header.Set("X-Frame-Options", "DENY")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		return serve(c)
	}
}

// consoleSettings serves GET /console/settings.json: what the page cannot know by itself. The
// addresses are relative to the page, since a proxy may serve everything below a prefix.
func (a *api) consoleSettings(c *exchange) error {
	c.writeJSON(http.StatusOK, struct {
		ProjectID string `json:"project_id"`
		Service   string `json:"service"`
	}{a.config.ProjectID, "../"})
	return nil
}
