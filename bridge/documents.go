//go:build js && wasm

package bridge

import (
	"strconv"

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

func listDocuments(c *call) (wire.JSON, error) {
	options := sdk.ListDocumentsOptions{
		Page:         int(c.whole("page", "1 or more")),
		ItemsPerPage: int(c.whole("itemsPerPage", "1 to "+strconv.Itoa(sdk.MaxDocuments))),
		NameSearch:   c.text("nameSearch"),
	}
	if err := c.finish(); err != nil {
		return nil, err
	}
	return c.client.ListDocumentsJSON(c.ctx, options)
}

func getDocument(c *call) (wire.JSON, error) {
	key := c.text("documentKey")
	if err := c.finish(); err != nil {
		return nil, err
	}
	return c.client.GetDocumentJSON(c.ctx, key)
}

func deleteDocument(c *call) (wire.JSON, error) {
	key := c.text("documentKey")
	if err := c.finish(); err != nil {
		return nil, err
	}
	return nil, c.client.DeleteDocument(c.ctx, key)
}
