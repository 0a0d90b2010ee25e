package sdk

import (
	"context"
	"fmt"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// UploadDocumentOptions are the options of UploadDocument; all may be left out.
type UploadDocumentOptions struct {
	// Metadata is a JSON object that is kept with the document. Nil is unset.
	Metadata wire.JSON
	// IdempotencyKey makes one document of all uploads with it in 24 hours; see
	// SendMessageOptions.
	IdempotencyKey string
}

// UploadDocument uploads a file (plain text, Markdown, HTML or PDF) that answers
// may then draw on. It returns when the file is stored; GetDocument and
// ListDocuments tell when it has been read.
func (c *Client) UploadDocument(ctx context.Context, file File, options UploadDocumentOptions) (*UploadDocumentResponse, error) {
	text, err := c.UploadDocumentJSON(ctx, file, options)
	return decoded(text, err, decodeUpload)
}

// UploadDocumentJSON is UploadDocument without the decoding.
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
	if text(a.value, "document_key") == "" {
		return nil, a.unreadable("it has no document_key")
	}
	return wire.JSON(a.value), nil
}

// MaxDocuments bounds ListDocumentsOptions.ItemsPerPage.
const MaxDocuments = 100

// ListDocumentsOptions narrow ListDocuments; all may be left out.
type ListDocumentsOptions struct {
	// Page counts from 1; 0 is the first.
	Page int
	// ItemsPerPage is 1 to MaxDocuments; 0 is 30.
	ItemsPerPage int
	// NameSearch is a part of the title or the name; empty is every document.
	NameSearch string
}

// ListDocuments gives a page of the documents that the caller may use, newest
// first.
func (c *Client) ListDocuments(ctx context.Context, options ListDocumentsOptions) (*ListDocumentsResponse, error) {
	text, err := c.ListDocumentsJSON(ctx, options)
	return decoded(text, err, decodeDocuments)
}

// ListDocumentsJSON is ListDocuments without the decoding.
func (c *Client) ListDocumentsJSON(ctx context.Context, options ListDocumentsOptions) (wire.JSON, error) {
	const operation = "listDocuments"
	var request wire.ListDocumentsRequest
	switch {
	case options.Page < 0:
		return nil, wrong(operation, "page", fmt.Sprintf("is %d, want 1 or more", options.Page))
	case options.Page > 0:
		request.Page = &options.Page
	}
	switch {
	case options.ItemsPerPage < 0 || options.ItemsPerPage > MaxDocuments:
		return nil, wrong(operation, "itemsPerPage", fmt.Sprintf("is %d, want 1 to %d", options.ItemsPerPage, MaxDocuments))
	case options.ItemsPerPage > 0:
		request.ItemsPerPage = &options.ItemsPerPage
	}
	request.NameSearch = options.NameSearch
	a, err := c.call(ctx, operation, &Request{
		Method: "POST", URL: c.knowledgebase(), reads: true,
		Body: encodeListDocuments(request),
	})
	if err != nil {
		return nil, err
	}
	return wire.JSON(a.value), nil
}

func (c *Client) knowledgebase() string {
	return "/v3/project/" + escape(c.config.ProjectID) + "/knowledgebase"
}

// GetDocument gives the text of a document and its passages.
func (c *Client) GetDocument(ctx context.Context, documentKey string) (*Document, error) {
	text, err := c.GetDocumentJSON(ctx, documentKey)
	return decoded(text, err, decodeDocument)
}

// GetDocumentJSON is GetDocument without the decoding.
func (c *Client) GetDocumentJSON(ctx context.Context, documentKey string) (wire.JSON, error) {
	const operation = "getDocument"
	if err := checkID(operation, "documentKey", documentKey); err != nil {
		return nil, err
	}
	a, err := c.call(ctx, operation, &Request{Method: "GET", URL: c.knowledgebase() + "/" + escape(documentKey)})
	if err != nil {
		return nil, err
	}
	return wire.JSON(a.value), nil
}

// DeleteDocument removes a document for good; no later answer draws on it.
func (c *Client) DeleteDocument(ctx context.Context, documentKey string) error {
	const operation = "deleteDocument"
	if err := checkID(operation, "documentKey", documentKey); err != nil {
		return err
	}
	_, err := c.post(ctx, operation, "DELETE", "/project/knowledge/delete", encodeDeleteDocuments(wire.DeleteDocumentsRequest{
		ProjectID: c.config.ProjectID, Resources: []wire.Resource{{Name: documentKey, Key: documentKey}},
	}))
	return err
}

func decodeUpload(v jsontext.Value) wire.UploadDocumentResponse {
	return wire.UploadDocumentResponse{
		Message: text(v, "message"), DocumentKey: text(v, "document_key"), Status: text(v, "status"),
		Size: v.Get("size").Int(), Raw: wire.JSON(v),
	}
}

func decodeDocuments(v jsontext.Value) wire.ListDocumentsResponse {
	list := wire.ListDocumentsResponse{Total: int(v.Get("total").Int()), Raw: wire.JSON(v)}
	v.Get("docs").Elements(func(item jsontext.Value) {
		list.Docs = append(list.Docs, wire.ListedDocument{
			ContentKey: text(item, "content_key"), Title: text(item, "title"), Name: text(item, "name"),
			DocType: text(item, "doc_type"), Status: text(item, "status"), Error: text(item, "error"), UserID: text(item, "user_id"),
			UploadDate: item.Get("upload_date").Float(), Size: item.Get("size").Int(),
			Metadata: object(item.Get("metadata")), Raw: wire.JSON(item),
		})
	})
	return list
}

func decodeDocument(v jsontext.Value) wire.Document {
	document := wire.Document{
		DocumentKey: text(v, "document_key"), Title: text(v, "title"), Text: text(v, "text"), Raw: wire.JSON(v),
	}
	v.Get("passages").Elements(func(item jsontext.Value) {
		document.Passages = append(document.Passages, wire.Passage{
			ID: text(item, "id"), HeadingPath: item.Get("heading_path").Texts(),
			Start: int(item.Get("start").Int()), End: int(item.Get("end").Int()),
		})
	})
	return document
}
