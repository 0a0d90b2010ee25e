package httpapi

import (
	_ "embed"
	"errors"
	"net/http"

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
func (a *api) health(c *call) error {
	c.writeJSON(http.StatusOK, status{Status: "ok", Version: a.config.Version})
	return nil
}

// ErrStalled, returned by Config.Ready, says that the database accepts no writes for now. Any other
// error says that the database cannot be used.
var ErrStalled = errors.New("the database accepts no writes for now")

// ready serves GET /readyz, which reports whether requests can be served. Details of a failure go
// only to the log.
func (a *api) ready(c *call) error {
	if a.config.Chat.Closing() {
		return notReady("the service is shutting down", nil)
	}
	switch err := a.config.Ready(c.r.Context()); {
	case errors.Is(err, ErrStalled):
		return notReady("the database accepts no writes, because another write is running; try again in a moment", err)
	case err != nil:
		return notReady("the database cannot be used; the log has the reason under the request id", err)
	}
	c.writeJSON(http.StatusOK, status{Status: "ready"})
	return nil
}

func notReady(why string, cause error) error {
	return &fault.Error{Code: wire.CodeUnavailable, Message: "Not ready: " + why, Cause: cause}
}

// openapi serves GET /openapi.yaml.
func (a *api) openapi(c *call) error {
	c.writeText200("application/yaml", openapi)
	return nil
}

func (c *call) writeText200(mediaType string, text []byte) {
	c.w.Header().Set("Content-Type", mediaType)
	c.w.WriteHeader(http.StatusOK)
	_, _ = c.w.Write(text) // a client that has left needs no answer
}
