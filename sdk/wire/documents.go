package wire

// States of a document.
const (
	DocumentQueued = "queued" // it is being read and indexed
	DocumentSynced = "synced" // it can be searched
	DocumentFailed = "failed" // it cannot be read; Error says why
)

// UploadDocumentResponse answers uploadDocument: POST /v3/project/knowledge/add/file.
type UploadDocumentResponse struct {
	Message     string `json:"message"`
	DocumentKey string `json:"document_key"`
	// Status is one of the Document constants.
	Status string `json:"status"`
	// Size is that of the file in bytes.
	Size int64 `json:"size"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// Document is an uploaded document.
type Document struct {
	// ContentKey is what document_keys name.
	ContentKey string `json:"content_key"`
	Title      string `json:"title"`
	// DocType is the kind of the file: "text", "markdown", "html" or "pdf".
	DocType string `json:"doc_type"`
	// Status is one of the Document constants.
	Status string `json:"status"`
	// Error says why it failed.
	Error string `json:"error,omitempty"`
	// UploadDate is in seconds since the Unix epoch.
	UploadDate float64 `json:"upload_date"`
	// Size is that of the file in bytes.
	Size int64 `json:"size"`

	// Raw is the object as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// ListDocumentsRequest is the body of listDocuments: POST
// /v3/project/{project_id}/knowledgebase.
type ListDocumentsRequest struct {
	// Page counts from 1, which is the default.
	Page int `json:"page,omitempty"`
	// ItemsPerPage is 1 to 100, 30 by default.
	ItemsPerPage int `json:"items_per_page,omitempty"`
	// NameSearch is a part of the title.
	NameSearch string `json:"name_search,omitempty"`
}

// ListDocumentsResponse is a page of documents, newest first.
type ListDocumentsResponse struct {
	Docs []Document `json:"docs"`
	// Total is how many there are on all pages.
	Total int `json:"total"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// DocumentText is a document with its text: GET
// /v3/project/{project_id}/knowledgebase/{document_key}.
type DocumentText struct {
	DocumentKey string    `json:"document_key"`
	Title       string    `json:"title"`
	Text        string    `json:"text"`
	Passages    []Passage `json:"passages"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// Passage is a part of a document that answers draw on.
type Passage struct {
	ID string `json:"id"`
	// HeadingPath are the headings it stands under, the outermost first.
	HeadingPath []string `json:"heading_path"`
	// Start and End are UTF-16 offsets in the document's text.
	Start int `json:"start"`
	End   int `json:"end"`
}

// DeleteDocumentsRequest is the body of deleteDocument: DELETE
// /project/knowledge/delete.
type DeleteDocumentsRequest struct {
	ProjectID string             `json:"project_id"`
	Resources []DocumentResource `json:"resources"`
}

// DocumentResource names a document to delete.
type DocumentResource struct {
	Name string `json:"name,omitempty"`
	Key  string `json:"key"`
}
