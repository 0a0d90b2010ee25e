package sdk

import (
	"context"
	"strconv"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// UploadDocumentOptions are the options of UploadDocument. All are optional.
type UploadDocumentOptions struct {
	// Metadata is a JSON object that is stored with the document. Nil means no metadata.
	Metadata wire.JSON
	// IdempotencyKey: all uploads with the same key within 24 hours create one document; see
	// SendMessageOptions.
	IdempotencyKey string
}

// UploadDocument uploads a file (plain text, Markdown, HTML or PDF) as a source for answers. It
// returns when the file is stored; ListDocuments shows whether the service has read it.
func (c *Client) UploadDocument(ctx context.Context, file File, options UploadDocumentOptions) (*UploadDocumentResponse, error) {
	text, err := c.UploadDocumentJSON(ctx, file, options)
	return decoded(text, err, decodeUpload)
}

// UploadDocumentJSON is UploadDocument without decoding the response.
func (c *Client) UploadDocumentJSON(ctx context.Context, file File, options UploadDocumentOptions) (wire.JSON, error) {
	const operation = "uploadDocument"
	if file.Content == nil {
		return nil, wrong(operation, "file", "has no Content")
	}
	if err := checkMetadata(operation, options.Metadata); err != nil {
		return nil, err
	}
	header, err := keyed(operation, options.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	form := []FormField{{Name: wire.FieldProjectID, Text: c.config.ProjectID}}
	if len(options.Metadata) > 0 {
		form = append(form, FormField{Name: wire.FieldDocumentMetadata, Text: string(options.Metadata)})
	}
	form = append(form, FormField{Name: wire.FieldFile, File: &file})
	a, err := c.call(ctx, operation, &Request{Method: "POST", URL: "/v3/project/knowledge/add/file", Form: form, Header: header})
	if err != nil {
		return nil, err
	}
	return wire.JSON(a.value), a.fits(uploadShape)
}

// MaxDocuments is the largest ListDocumentsOptions.ItemsPerPage.
const MaxDocuments = 100

// ListDocumentsOptions are the options of ListDocuments. All are optional.
type ListDocumentsOptions struct {
	// Page is the number of the page, from 1; 0 means the first.
	Page int
	// ItemsPerPage is how many documents a page has at most, 1 to MaxDocuments; 0 means 30.
	ItemsPerPage int
	// NameSearch selects the documents with this text in their title or file name, ignoring case.
	// Empty means all.
	NameSearch string
	// Cursor is the NextCursor of the previous page. It replaces Page. Empty means that Page counts.
	Cursor string
	// Limit is how many documents a page has at most, 1 to 100. It replaces ItemsPerPage. 0 means that
	// ItemsPerPage counts.
	Limit int
}

// ListDocuments returns a page of the documents that the caller may use, newest first.
func (c *Client) ListDocuments(ctx context.Context, options ListDocumentsOptions) (*ListDocumentsResponse, error) {
	text, err := c.CallJSON(ctx, listDocuments,
		digits(options.Page), digits(options.ItemsPerPage), options.NameSearch, options.Cursor, digits(options.Limit))
	return decoded(text, err, decodeDocuments)
}

// GetDocumentOptions are the options of GetDocument. All are optional.
type GetDocumentOptions struct {
	// Start is where the part of the text begins, in UTF-16 units.
	Start int
	// End is where the part ends, in UTF-16 units; the unit at End is not included. Nil means the end
	// of the text.
	End *int
}

// GetDocument returns the text of a document, or a part of it, and its passages.
func (c *Client) GetDocument(ctx context.Context, documentKey string, options GetDocumentOptions) (*Document, error) {
	text, err := c.CallJSON(ctx, getDocument, documentKey, digits(options.Start), written(options.End, strconv.Itoa))
	return decoded(text, err, decodeDocument)
}

// DeleteDocument deletes a document for good. No later answer uses it.
func (c *Client) DeleteDocument(ctx context.Context, documentKey string) error {
	_, err := c.CallJSON(ctx, deleteDocument, documentKey, documentKey)
	return err
}

func decodeUpload(v jsontext.Value) wire.UploadDocumentResponse {
	return wire.UploadDocumentResponse{
		Message: text(v, "message"), DocumentKey: text(v, "document_key"), Status: text(v, "status"),
		Size: v.Get("size").Int(), Raw: wire.JSON(v),
	}
}

func decodeDocuments(v jsontext.Value) wire.ListDocumentsResponse {
	list := wire.ListDocumentsResponse{
		Total: whole(v, "total"), NextCursor: text(v, "next_cursor"), HasMore: v.Get("has_more").True(), Raw: wire.JSON(v),
	}
	v.Get("docs").Elements(func(item jsontext.Value) {
		list.Docs = append(list.Docs, wire.ListedDocument{
			ContentKey: text(item, "content_key"), Title: text(item, "title"), Name: text(item, "name"),
			DocType: text(item, "doc_type"), Encoding: text(item, "encoding"), Status: text(item, "status"), Error: text(item, "error"), UserID: text(item, "user_id"),
			UploadDate: item.Get("upload_date").Float(), Size: item.Get("size").Int(),
			Metadata: object(item.Get("metadata")), Raw: wire.JSON(item),
		})
	})
	return list
}

func decodeDocument(v jsontext.Value) wire.Document {
	document := wire.Document{
		DocumentKey: text(v, "document_key"), Title: text(v, "title"), Text: text(v, "text"),
		Start: whole(v, "start"), End: whole(v, "end"), Length: whole(v, "length"), Raw: wire.JSON(v),
	}
	v.Get("passages").Elements(func(item jsontext.Value) {
		document.Passages = append(document.Passages, wire.Passage{
			ID: text(item, "id"), HeadingPath: item.Get("heading_path").Texts(),
			Start: whole(item, "start"), End: whole(item, "end"),
		})
	})
	return document
}
