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

// UploadDocumentResponse is the response to uploadDocument.
type UploadDocumentResponse struct {
	Message     string `json:"message"`
	DocumentKey string `json:"document_key"`
	// Status is DocumentQueued, DocumentSynced or DocumentFailed.
	Status string `json:"status"`
	// Size is the size of the file in bytes.
	Size int64 `json:"size"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// ListDocumentsRequest is the body of listDocuments: POST /v3/project/{project_id}/knowledgebase.
type ListDocumentsRequest struct {
	// Page counts from 1, which is the default.
	Page *int `json:"page,omitempty"`
	// ItemsPerPage is 1 to 100; the default is 30.
	ItemsPerPage *int `json:"items_per_page,omitempty"`
	// NameSearch selects the documents with this text in their title or name, ignoring case. Empty
	// means all.
	NameSearch string `json:"name_search,omitempty"`
	// Cursor is the next_cursor of the previous page. It replaces Page.
	Cursor string `json:"cursor,omitempty"`
	// Limit is how many documents a page has at most. It replaces ItemsPerPage.
	Limit *int `json:"limit,omitempty"`
}

// ListDocumentsResponse is one page of documents, newest first.
type ListDocumentsResponse struct {
	Docs []ListedDocument `json:"docs"`
	// Total is how many documents there are on all pages.
	Total int `json:"total"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore reports whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// ListedDocument is a document without its text.
type ListedDocument struct {
	// ContentKey is the key that is called document_key elsewhere.
	ContentKey string `json:"content_key"`
	// Title is the title in the document, or the file's name until the service has read it.
	Title string `json:"title"`
	// Name is the file's name, without folders.
	Name string `json:"name"`
	// DocType is "text", "markdown", "html", "pdf", "docx", "xlsx", "pptx", "odt", "ods", "odp", "rtf", "epub", "csv", "mail",
	// "json" or "code".
	DocType string `json:"doc_type"`
	// Encoding is in which the bytes of a text were read, for example "Shift_JIS". It is empty until the document is synced,
	// and if its kind says how it is read.
	Encoding string `json:"encoding,omitempty"`
	// Status is DocumentQueued, DocumentSynced or DocumentFailed.
	Status string `json:"status"`
	// Error says why reading failed, in a sentence for people.
	Error string `json:"error,omitempty"`
	// UserID is the owner, absent if the document belongs to the whole project.
	UserID string `json:"user_id,omitempty"`
	// UploadDate is in seconds since the Unix epoch.
	UploadDate float64 `json:"upload_date"`
	// Size is the size of the file in bytes.
	Size int64 `json:"size"`
	// Metadata is the JSON object that came with the file.
	Metadata JSON `json:"metadata,omitempty"`

	// Raw is the object as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// Document is the response to getDocument: GET
// /v3/project/{project_id}/knowledgebase/{document_key}. Its text is untrusted: never show it as
// HTML.
type Document struct {
	DocumentKey string `json:"document_key"`
	Title       string `json:"title"`
	// Text is the part of the text that was asked for, as plain text. It is empty until the document
	// is synced.
	Text string `json:"text"`
	// Start and End say where Text is in the whole text, and Length is the length of the whole text,
	// all in UTF-16 units.
	Start  int `json:"start"`
	End    int `json:"end"`
	Length int `json:"length"`
	// Passages are the parts of the document that are searched, in order: those that overlap Text.
	Passages []Passage `json:"passages"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// Passage is a part of a document's text.
type Passage struct {
	// ID is called PassageID in a Source.
	ID string `json:"id"`
	// HeadingPath are the headings above the passage, the outermost first.
	HeadingPath []string `json:"heading_path"`
	// Start and End are UTF-16 offsets in the document's text.
	Start int `json:"start"`
	End   int `json:"end"`
}

// DeleteDocumentsRequest is the body of deleteDocument: DELETE /project/knowledge/delete.
type DeleteDocumentsRequest struct {
	ProjectID string     `json:"project_id"`
	Resources []Resource `json:"resources"`
}

// Resource names a document to delete.
type Resource struct {
	// Name is for people and logs. The service does not use it.
	Name string `json:"name"`
	Key  string `json:"key"`
}
