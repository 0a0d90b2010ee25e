package httpapi

import (
	"net/http"
	"slices"
)

const (
	corsExposed = "x-request-id, retry-after, idempotent-replayed"
	corsMethods = "GET, POST, PUT, DELETE"
	corsHeaders = "authorization, content-type, accept, idempotency-key, last-event-id, x-request-id"
	corsMaxAge  = "7200"
)

// allowOrigin lets the pages of the listed origins read the answer, and tells
// whether the request was such a page's preflight, which is then answered. A
// preflight is answered on any path, so that the page can read the error that
// its request gets.
func (a *api) allowOrigin(c *call) (preflight bool) {
	if len(a.config.Origins) == 0 {
		return false
	}
	header := c.w.Header()
	header.Set("Vary", "Origin")
	origin := c.r.Header.Get("Origin")
	if !slices.Contains(a.config.Origins, origin) {
		return false
	}
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", corsExposed)
	if c.r.Method != http.MethodOptions || c.r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Set("Access-Control-Allow-Methods", corsMethods)
	header.Set("Access-Control-Allow-Headers", corsHeaders)
	header.Set("Access-Control-Max-Age", corsMaxAge)
	return true
}
