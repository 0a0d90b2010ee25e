//go:build js && wasm

package bridge

import (
	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

func uploadDocument(c *call) (wire.JSON, error) {
	options := sdk.UploadDocumentOptions{Metadata: c.metadata(), IdempotencyKey: c.id("idempotencyKey")}
	if err := c.finish(); err != nil {
		return nil, err
	}
	files, err := c.blobs()
	if err != nil {
		return nil, err
	}
	return c.client.UploadDocumentJSON(c.ctx, files[0], options)
}
