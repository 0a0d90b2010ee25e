package httpapi

import (
	_ "embed"
	"errors"
	"net/http"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

//go:embed openapi.yaml
var openapi []byte

// status answers /healthz and /readyz.
type status struct {
	Status  string `json:"status"`
	Version string `json:"version,omitempty"`
}

// health serves GET /healthz, which reports that the process is running.
func (a *api) health(c *exchange) error {
	c.writeJSON(http.StatusOK, status{Status: "ok", Version: a.config.Version})
	return nil
}

// ready serves GET /readyz, which reports whether requests can be served. It tells what callers of
// other routes are told too. Other details of a failure go only to the log.
func (a *api) ready(c *exchange) error {
	if a.config.Chat.Closing() {
		return notReady("the service is shutting down", nil)
	}
	err := a.config.Ready(c.r.Context())
	switch known, isKnown := errors.AsType[*fault.Error](err); {
	case isKnown:
		return notReady(known.Message, err)
	case err != nil:
		return notReady("the database cannot be used; the log has the reason under the request id", err)
	}
	c.writeJSON(http.StatusOK, status{Status: "ready"})
	return nil
}

func notReady(why string, cause error) error {
	return &fault.Error{Code: wire.CodeUnavailable, Message: "Not ready: " + why, RetryAfter: readyRetry, Cause: cause}
}

// readyRetry is how long to wait before asking again.
const readyRetry = 2 * time.Second

// openapi serves GET /openapi.yaml.
func (a *api) openapi(c *exchange) error {
	c.writeText200("application/yaml", openapi)
	return nil
}

func (c *exchange) writeText200(mediaType string, text []byte) {
	c.w.Header().Set("Content-Type", mediaType)
	c.w.WriteHeader(http.StatusOK)
	_, _ = c.w.Write(text) // a client that has left needs no answer
}
