package httpapi

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
)

const (
	corsExposed = "x-request-id, retry-after, idempotent-replayed, x-has-more"
	corsMethods = "GET, POST, PUT, DELETE"
	corsHeaders = "authorization, content-type, accept, idempotency-key, last-event-id, x-request-id"
	corsMaxAge  = "7200"
)

// allowOrigin lets pages of the listed origins read the answer. It also reports whether the request
// is a preflight of such a page, which it then answers, on any path: otherwise the page could not
// read the error of its request.
func (a *api) allowOrigin(c *exchange) (preflight bool) {
	if len(a.config.Origins) == 0 {
		return false
	}
	header := c.w.Header()
	header.Set("Vary", "Origin")
	origin := c.r.Header.Get("Origin")
	if !a.allows(origin) {
		return false
	}
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", corsExposed)
	if c.r.Method != http.MethodOptions || c.r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Set("Access-Control-Allow-Methods", corsMethods)
	header.Set("Access-Control-Allow-Headers", strings.Join(append([]string{corsHeaders}, a.config.AllowedHeaders...), ", "))
	header.Set("Access-Control-Max-Age", corsMaxAge)
	return true
}

// portOf returns the port of an origin as a browser writes it: without the default port.
var portOf = regexp.MustCompile(`^(:[1-9][0-9]{0,4})?$`)

// allows reports whether the origin is listed, or matches a listed origin that ends with `:*`.
func (a *api) allows(origin string) bool {
	return slices.ContainsFunc(a.config.Origins, func(listed string) bool {
		host, anyPort := strings.CutSuffix(listed, ":*")
		if !anyPort {
			return origin == listed
		}
		port, isHosts := strings.CutPrefix(origin, host)
		return isHosts && portOf.MatchString(port)
	})
}
