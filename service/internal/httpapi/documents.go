package httpapi

import (
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
)

// addDocuments adds the routes for Config.Knowledge.
func (a *api) addDocuments() {
	a.add(http.MethodPost, "/v3/project/knowledge/add/file", a.makes(a.limiters.uploads, a.uploadDocument))
	a.add(http.MethodPost, "/v3/project/{project_id}/knowledgebase", a.withCaller(a.listDocuments))
	a.add(http.MethodGet, "/v3/project/{project_id}/knowledgebase/{document_key}", a.reads(a.getDocument))
	a.add(http.MethodDelete, "/project/knowledge/delete", a.writes(a.deleteDocuments))
}

// uploadDocument serves POST /v3/project/knowledge/add/file.
func (a *api) uploadDocument(c *exchange) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	form, err := c.readUpload()
	if err != nil {
		return err
	}
	if err := a.checkProject(form.texts[wire.FieldProjectID]); err != nil {
		return err
	}
	upload := knowledge.Upload{Name: form.name, File: form.file, Once: c.keyed(key, form.parts)}
	if upload.Metadata, err = form.metadata(); err != nil {
		return err
	}
	if err := a.config.Limits.checkMetadata(upload.Metadata, wire.FieldDocumentMetadata); err != nil {
		return err
	}
	d, replayed, err := a.config.Knowledge.Upload(c.r.Context(), c.caller, upload)
	if err != nil {
		return missing(err, "Document", fieldKey)
	}
	c.replayed(replayed)
	c.writeJSON(http.StatusOK, wire.UploadDocumentResponse{Message: "Document " + d.Status, DocumentKey: d.Key, Status: d.Status, Size: d.Size})
	return nil
}

// listDocuments serves POST /v3/project/{project_id}/knowledgebase.
func (a *api) listDocuments(c *exchange) error {
	var request wire.ListDocumentsRequest
	if err := c.readJSON(&request); err != nil {
		return err
	}
	if err := a.checkProject(c.path["project_id"]); err != nil {
		return err
	}
	of := c.list(listedDocuments, map[string]string{"name_search": request.NameSearch})
	page, err := documentPage(request, of)
	if err != nil {
		return err
	}
	if page.Search != "" {
		if err := c.count(a.limiters.reads); err != nil {
			return err
		}
	}
	found, err := a.config.Knowledge.List(c.r.Context(), c.caller, page)
	if err != nil {
		return err
	}
	response := wire.ListDocumentsResponse{
		Docs: []wire.ListedDocument{}, Total: found.Total, NextCursor: of.cursor(found.Next), HasMore: found.Next > 0,
	}
	for _, d := range found.Documents {
		response.Docs = append(response.Docs, wire.ListedDocument{
			ContentKey: d.Key, Title: d.Title, Name: d.Name, DocType: string(d.Kind), Encoding: d.Encoding, Status: d.Status, Error: d.Error, UserID: d.UserID,
			UploadDate: d.CreatedAt, Size: d.Size, Metadata: d.Metadata,
		})
	}
	c.writeJSON(http.StatusOK, response)
	return nil
}

// getDocument serves GET /v3/project/{project_id}/knowledgebase/{document_key}.
func (a *api) getDocument(c *exchange) error {
	if err := a.checkProject(c.path["project_id"]); err != nil {
		return err
	}
	if !isID(c.path["document_key"]) {
		return fault.ErrNotFound
	}
	span, err := c.span()
	if err != nil {
		return err
	}
	d, err := a.config.Knowledge.Get(c.r.Context(), c.caller, c.path["document_key"], span)
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, d)
	return nil
}

// deleteDocuments serves DELETE /project/knowledge/delete.
func (a *api) deleteDocuments(c *exchange) error {
	var request wire.DeleteDocumentsRequest
	if err := c.readJSON(&request, "project_id", "resources"); err != nil {
		return err
	}
	if err := a.checkProject(request.ProjectID); err != nil {
		return err
	}
	var keys []string
	for _, one := range request.Resources {
		keys = append(keys, one.Key)
	}
	if err := a.config.Knowledge.Delete(c.r.Context(), c.caller, keys); err != nil {
		return missing(err, "Document", "resources")
	}
	a.config.Removals.DocumentsRemoved(c.r.Context())
	c.writeJSON(http.StatusOK, wire.DoneResponse{Message: "Deleted"})
	return nil
}
