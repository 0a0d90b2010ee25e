package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// What failed is not there, whatever was imported before: it is uploaded again,
// and told again where it fails again.
func TestImportTriesAgainWhatFailed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "in"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "in", "bad.pdf"), []byte("%PDF-1.7\nno"), 0o600))
	code, stdout, _ := output(t, folder, keyed(), "import", "in")
	require.Equal(t, 1, code)
	require.Regexp(t, `\Aadded      bad\.pdf\nfailed     bad\.pdf: the file is broken.*\n\n1 added, 0 replaced, 0 unchanged, 0 refused, 1 failed\n\z`, stdout)
	code, stdout, _ = output(t, folder, keyed(), "import", "in")
	require.Equal(t, 1, code)
	require.Regexp(t, `\Areplaced   bad\.pdf\nfailed     bad\.pdf: the file is broken.*\n\n0 added, 1 replaced, 0 unchanged, 0 refused, 1 failed\n\z`, stdout)
	p := startIn(t, folder, nil)
	require.Len(t, p.documents(), 1)
	list := decode[wire.ListDocumentsResponse](t, p.do(http.MethodPost, "/v3/project/demo/knowledgebase", asProject("application/json"), `{}`), http.StatusOK)
	require.Equal(t, 1, list.Total, "the one that failed before is gone")
	p.stop()
}

// scripted is a service whose list of documents a test writes, anew for each look
// at it. It gives them in pages of one.
type scripted struct {
	t       *testing.T
	uploads []wire.ListedDocument
	list    func(look int, uploads []wire.ListedDocument) []wire.ListedDocument
	looks   int
	docs    []wire.ListedDocument
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(body any) { _ = json.NewEncoder(w).Encode(body) } // to a test
	if r.URL.Path == "/v3/project/knowledge/add/file" {
		d := wire.ListedDocument{
			ContentKey: fmt.Sprint("doc", len(s.uploads)), Status: wire.DocumentQueued, Metadata: wire.JSON(r.FormValue("metadata")),
		}
		s.uploads = append(s.uploads, d)
		answer(wire.UploadDocumentResponse{DocumentKey: d.ContentKey})
		return
	}
	var request wire.ListDocumentsRequest
	_ = json.NewDecoder(r.Body).Decode(&request) // of a test
	if request.Cursor == "" {
		s.looks++
		s.docs = s.list(s.looks, s.uploads)
	}
	at, _ := strconv.Atoi(request.Cursor)
	page := wire.ListDocumentsResponse{Docs: s.docs[at:min(at+1, len(s.docs))], Total: len(s.docs)}
	if at+1 < len(s.docs) {
		page.NextCursor, page.HasMore = strconv.Itoa(at+1), true
	}
	answer(page)
}

// importFrom imports in/ into a service that says what a test scripts.
func (s *scripted) importFrom(folder string) (code int, stdout string) {
	data := filepath.Join(folder, "data")
	require.NoError(s.t, os.MkdirAll(data, 0o700))
	for _, name := range []string{"lock", "address.lock"} {
		lock := flock.New(filepath.Join(data, name))
		locked, err := lock.TryLock()
		require.NoError(s.t, err)
		require.True(s.t, locked)
		defer func() { require.NoError(s.t, lock.Unlock()) }()
	}
	server := httptest.NewServer(s)
	defer server.Close()
	require.NoError(s.t, os.WriteFile(filepath.Join(data, "address"), []byte(server.URL+"\n"), 0o600))
	code, stdout, _ = output(s.t, folder, keyed(), "import", "in")
	return code, stdout
}

// All pages are read. A document that is on none of them was deleted, and so was
// not imported.
func TestImportDoesNotTakeAMissingDocumentForDone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "in"), 0o700))
	for _, name := range []string{"a.md", "b.md", "c.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "in", name), []byte("Text of "+name), 0o600))
	}
	s := &scripted{t: t, list: func(look int, uploads []wire.ListedDocument) []wire.ListedDocument {
		list := slices.Clone(uploads)
		if look == 3 {
			list = slices.Delete(list, 1, 2) // b.md
		}
		if look == 4 {
			list[0].Status = wire.DocumentSynced
			list[2].Status, list[2].Error = wire.DocumentFailed, "it is broken"
		}
		return list
	}}
	code, stdout := s.importFrom(folder)
	require.Equal(t, 1, code)
	require.Equal(t, "added      a.md\nadded      b.md\nadded      c.md\n"+
		"failed     b.md: somebody deleted it before it was read\nfailed     c.md: it is broken\n\n"+
		"3 added, 0 replaced, 0 unchanged, 0 refused, 2 failed\n", stdout)
}

// What an import that was broken off uploaded is waited for by the next one.
func TestImportWaitsForWhatIsQueued(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "in"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "in", "a.md"), []byte("Text."), 0o600))
	queued := wire.ListedDocument{
		ContentKey: "doc", Status: wire.DocumentQueued,
		Metadata: wire.JSON(`{"path":"a.md","sha256":"f06dce27b84e18ccb3c7e94a0679c279cd42027da23bcf1e1ca1f94e365ea420"}`),
	}
	s := &scripted{t: t, list: func(look int, _ []wire.ListedDocument) []wire.ListedDocument {
		d := queued
		if look == 3 {
			d.Status, d.Error = wire.DocumentFailed, "it is broken"
		}
		return []wire.ListedDocument{d}
	}}
	code, stdout := s.importFrom(folder)
	require.Equal(t, 1, code)
	require.Equal(t, "unchanged  a.md\nfailed     a.md: it is broken\n\n0 added, 0 replaced, 1 unchanged, 0 refused, 1 failed\n", stdout)
}
