package httpapi

import "net/http"

// consolePolicy lets the console load and call what is the service's own, and nothing
// be written into it as a script or a style. It is that of its index.html, but for
// framing, which a page cannot forbid by itself.
const consolePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; " + framing

// addConsole lists the files of the console and its settings. Who opens it signs in with
// a token: nothing here is kept, and every replica serves the same.
func (a *api) addConsole() {
	files := site{files: a.config.Console, policy: consolePolicy, pageCaching: keepNot}.serve(".")
	a.add(http.MethodGet, "/console", redirectTo("console/")) // right below a prefix of a proxy too
	a.add(http.MethodGet, "/console/settings.json", alone(a.consoleSettings))
	a.add(http.MethodGet, "/console/{path...}", alone(files))
}

// alone keeps a page out of the frames and windows of others, and from telling them where it is.
func alone(serve serve) serve {
	return func(c *call) error {
		header := c.w.Header()
		header.Set("Content-Security-Policy", consolePolicy)
		header.Set("X-Frame-Options", "DENY")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		return serve(c)
	}
}

// consoleSettings serves GET /console/settings.json: what the page cannot know. Its
// addresses are relative to the page, since a proxy may have put all below a prefix.
func (a *api) consoleSettings(c *call) error {
	c.writeJSON(http.StatusOK, struct {
		ProjectID string `json:"project_id"`
		Service   string `json:"service"`
	}{a.config.ProjectID, "../"})
	return nil
}
