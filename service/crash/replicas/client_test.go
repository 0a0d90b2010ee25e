//go:build unix

package replicas_test

import (
	"io"
	"mime/multipart"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
)

const (
	// patience is how long a client keeps trying one request. It is longer than an answer waits for
	// the database.
	patience = 75 * time.Second
	// again is the pause before another try.
	again = 100 * time.Millisecond
)

func uploading(userID, name, text string) witness.Request {
	return witness.Form(userID, "/v3/project/knowledge/add/file", func(w *multipart.Writer) {
		_ = w.WriteField(wire.FieldProjectID, "demo")
		part, _ := w.CreateFormFile(wire.FieldFile, name) // writing to a buffer never fails
		_, _ = io.WriteString(part, text)
	})
}
