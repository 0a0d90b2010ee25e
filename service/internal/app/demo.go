package app

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"net/http"

	"github.com/chatsdk/chatsdk/service/internal/config"
	"github.com/chatsdk/chatsdk/service/internal/demo"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// importDemo uploads the demo's documents to the service that listens at base. Replicas import
// one after the other, so that the second one finds what the first one has stored.
func importDemo(ctx context.Context, s *config.Settings, data *data, files fs.FS, base string, log *slog.Logger) {
	documents, err := demo.Documents(files)
	if err == nil {
		err = data.alone(ctx, "the documents of the demo", func(ctx context.Context) error {
			_, err := Import(ctx, s, base, documents, io.Discard)
			return err
		})
	}
	if err != nil && ctx.Err() == nil {
		log.Warn("some documents of the demo could not be imported", "error", err)
	}
}

// newHandler serves the API, and the pages of the demo if it is on.
func newHandler(demo fs.FS, config httpapi.Config) http.Handler {
	if demo == nil {
		return httpapi.New(config)
	}
	return httpapi.Demo(config, demo)
}
