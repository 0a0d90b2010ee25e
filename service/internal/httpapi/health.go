package httpapi

import (
	_ "embed"
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

//go:embed openapi.yaml
var openapi []byte

// status answers /healthz and /readyz.
type status struct {
	Status  string `json:"status"`
	Version string `json:"version,omitempty"`
}

// health serves GET /healthz: the process runs.
func (a *api) health(c *call) error {
	c.writeJSON(http.StatusOK, status{Status: "ok", Version: a.config.Version})
	return nil
}

// ready serves GET /readyz: requests can be served.
func (a *api) ready(c *call) error {
	if err := a.config.Ready(c.r.Context()); err != nil {
		return &chat.Error{Code: wire.CodeUnavailable, Message: "The service cannot serve now", Cause: err}
	}
	c.writeJSON(http.StatusOK, status{Status: "ready"})
	return nil
}

// openapi serves GET /openapi.yaml.
func (a *api) openapi(c *call) error {
	c.writeText200("application/yaml", openapi)
	return nil
}

func (c *call) writeText200(mediaType string, text []byte) {
	c.w.Header().Set("Content-Type", mediaType)
	c.w.WriteHeader(http.StatusOK)
	_, _ = c.w.Write(text) // a client that is gone needs no answer
}
