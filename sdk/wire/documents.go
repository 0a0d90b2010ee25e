package wire

// States of a document.
const (
	DocumentQueued = "queued" // it is about to be read
	DocumentSynced = "synced" // it is searched
	DocumentFailed = "failed" // it could not be read
)

// Form fields of an upload: POST /v3/project/knowledge/add/file.
const (
	FieldFile             = "file"
	FieldDocumentMetadata = "metadata" // JSON object text
)

// UploadDocumentResponse answers uploadDocument.
type UploadDocumentResponse struct {
	Message     string `json:"message"`
	DocumentKey string `json:"document_key"`
	// Status is DocumentQueued, DocumentSynced or DocumentFailed.
	Status string `json:"status"`
	// Size is the size of the file in bytes.
	Size int64 `json:"size"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// ListDocumentsRequest is the body of listDocuments: POST
// /v3/project/{project_id}/knowledgebase.
type ListDocumentsRequest struct {
	// Page counts from 1, which is the default.
	Page *int `json:"page,omitempty"`
	// ItemsPerPage is 1 to 100; the default is 30.
	ItemsPerPage *int `json:"items_per_page,omitempty"`
	// NameSearch narrows the list to documents whose title or name has it,
	// whatever the case; empty doesn't.
	NameSearch string `json:"name_search,omitempty"`
	// Cursor is the next_cursor of the page before, instead of Page.
	Cursor string `json:"cursor,omitempty"`
	// Limit is how many documents a page holds, instead of ItemsPerPage.
	Limit *int `json:"limit,omitempty"`
}

// ListDocumentsResponse is one page of documents, newest first.
type ListDocumentsResponse struct {
	Docs []ListedDocument `json:"docs"`
	// Total is how many there are on all pages.
	Total int `json:"total"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore tells whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// ListedDocument is a document without its text.
type ListedDocument struct {
	// ContentKey is what is document_key elsewhere.
	ContentKey string `json:"content_key"`
	// Title is that in the document; until it is read, the file's name.
	Title string `json:"title"`
	// Name is the file's name, without folders.
	Name string `json:"name"`
	// DocType is "text", "markdown", "html" or "pdf".
	DocType string `json:"doc_type"`
	// Status is DocumentQueued, DocumentSynced or DocumentFailed.
	Status string `json:"status"`
	// Error says for people why reading failed.
	Error string `json:"error,omitempty"`
	// UserID is the owner, absent of what is the project's.
	UserID string `json:"user_id,omitempty"`
	// UploadDate is in seconds since the Unix epoch.
	UploadDate float64 `json:"upload_date"`
	// Size is the size of the file in bytes.
	Size int64 `json:"size"`
	// Metadata is the JSON object that came with the file.
	Metadata JSON `json:"metadata,omitempty"`

	// Raw is the object as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// Document answers getDocument: GET
// /v3/project/{project_id}/knowledgebase/{document_key}. Its text is untrusted:
// never to be shown as HTML.
type Document struct {
	DocumentKey string `json:"document_key"`
	Title       string `json:"title"`
	// Text is plain; empty until the document is synced. It is the part that was
	// asked for.
	Text string `json:"text"`
	// Start and End say where Text stands in the whole text, whose length is
	// Length, all in UTF-16 units.
	Start  int `json:"start"`
	End    int `json:"end"`
	Length int `json:"length"`
	// Passages are the parts of the document that are searched, in order: those
	// that overlap Text.
	Passages []Passage `json:"passages"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// Passage is a part of a document's text.
type Passage struct {
	// ID is what is PassageID in a Source.
	ID string `json:"id"`
	// HeadingPath are the headings that it stands under, the outermost first.
	HeadingPath []string `json:"heading_path"`
	// Start and End are UTF-16 offsets in the document's text.
	Start int `json:"start"`
	End   int `json:"end"`
}

// DeleteDocumentsRequest is the body of deleteDocument: DELETE
// /project/knowledge/delete.
type DeleteDocumentsRequest struct {
	ProjectID string     `json:"project_id"`
	Resources []Resource `json:"resources"`
}

// Resource names a document to delete.
type Resource struct {
	// Name is for people and logs; it is not looked at.
	Name string `json:"name"`
	Key  string `json:"key"`
}
