package httpapi

import (
	"crypto/rand"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// demoPage is where / leads.
const demoPage = "/examples/01-script-tag/"

// docsFolder is what make docs builds.
const docsFolder = "dist/docs"

// docsPolicy lets the pages of docsFolder load what the service serves, and no inline script. The colors of code
// are style attributes.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; " +
	"img-src 'self' data:; base-uri 'none'; form-action 'none'; " + framing

var (
	errForeignHost = &fault.Error{
		Code: wire.CodePermissionDenied, Message: "With DEMO the service answers only for localhost, 127.0.0.0/8 and [::1]",
	}
	errForeignOrigin = &fault.Error{
		Code: wire.CodePermissionDenied, Message: "Demo tokens are only for the pages of this service",
	}
)

// HasDocs reports whether files hold the documentation that Demo serves at /docs/.
func HasDocs(files fs.FS) bool {
	_, err := fs.Stat(files, docsFolder+"/index.html")
	return err == nil
}

// Demo returns the service together with the folders examples and dist of files, with the
// documentation at /docs/ if it is built, and with tokens for anybody at POST /demo/token. It is only
// for a loopback address: every request must name this machine as its host, so that no foreign page
// reaches the service through another name. If files comes from the FS method of an os.Root, symbolic
// links can't lead outside of it.
func Demo(config Config, files fs.FS) http.Handler {
	a := newAPI(config)
	a.localOnly = true
	pages := site{files: files, policy: framing, pageCaching: askAgain}
	a.add(http.MethodGet, "/", redirectTo(demoPage))
	a.add(http.MethodGet, "/examples/{path...}", pages.serve("examples"))
	a.add(http.MethodGet, "/dist/{path...}", pages.serve("dist"))
	docs := site{files: files, policy: docsPolicy, pageCaching: askAgain}
	a.add(http.MethodGet, "/docs", redirectTo("/docs/"))
	a.add(http.MethodGet, "/docs/{path...}", docs.serve(docsFolder))
	a.add(http.MethodPost, "/demo/token", a.demoToken)
	return a
}

// isLocal reports whether a Host header names this machine.
func isLocal(host string) bool {
	name := host
	if split, _, err := net.SplitHostPort(host); err == nil {
		name = split
	} else {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.IsLoopback() && !addr.Is4In6()
}

// demoTokenRequest is the body of POST /demo/token.
type demoTokenRequest struct {
	UserID string `json:"user_id"`
	Role   string `json:"role"`
}

// demoTokenResponse is a token and what else a page needs.
type demoTokenResponse struct {
	wire.AccessTokenResponse
	UserID    string `json:"user_id"`
	ProjectID string `json:"project_id"`
}

// demoToken serves POST /demo/token. A form of a foreign page can't send a JSON body,
// and the origin exposes one that a script sends.
func (a *api) demoToken(c *exchange) error {
	if origin, given := c.r.Header["Origin"]; given && !strings.EqualFold(strings.Join(origin, ","), "http://"+c.r.Host) {
		return errForeignOrigin
	}
	var request demoTokenRequest
	if err := c.readJSON(&request); err != nil {
		return err
	}
	if request.UserID == "" {
		request.UserID = "user_" + strings.ToLower(rand.Text())
	}
	token, err := MintToken(a.config, wire.AccessTokenRequest{UserID: request.UserID, Role: request.Role})
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, demoTokenResponse{token, request.UserID, a.config.ProjectID})
	return nil
}
