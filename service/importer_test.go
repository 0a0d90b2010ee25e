package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// scripted is a service whose pages a test writes: each call of pages is one
// look at the list.
type scripted struct {
	t       *testing.T
	uploads []wire.ListedDocument
	pages   func(look int, uploads []wire.ListedDocument) []wire.ListedDocument
	exists  func(key string) bool
	looks   int
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(body any) { _ = json.NewEncoder(w).Encode(body) } // to a test
	switch key := filepath.Base(r.URL.Path); {
	case r.URL.Path == "/v3/project/knowledge/add/file":
		d := wire.ListedDocument{
			ContentKey: fmt.Sprint("doc", len(s.uploads)), Status: wire.DocumentQueued, Metadata: wire.JSON(r.FormValue("metadata")),
		}
		s.uploads = append(s.uploads, d)
		answer(wire.UploadDocumentResponse{DocumentKey: d.ContentKey})
	case r.Method == http.MethodPost:
		s.looks++
		docs := s.pages(s.looks, s.uploads)
		answer(wire.ListDocumentsResponse{Docs: docs, Total: len(docs)})
	case s.exists(key):
		answer(wire.Document{DocumentKey: key})
	default:
		w.WriteHeader(http.StatusNotFound)
		answer(wire.ErrorBody{StatusCode: http.StatusNotFound, Error: wire.ErrorInfo{Message: "Document not found"}})
	}
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

// A document that stands on no page may have moved to one that was read already,
// and is waited for. One that is gone was not imported.
func TestImportDoesNotTakeAMissingDocumentForDone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "in"), 0o700))
	for _, name := range []string{"a.md", "b.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "in", name), []byte("Text of "+name), 0o600))
	}
	s := &scripted{t: t, exists: func(key string) bool { return key == "doc0" }}
	s.pages = func(look int, uploads []wire.ListedDocument) (page []wire.ListedDocument) {
		if look == 4 { // a.md comes back, and has failed; b.md never does
			page = append(page, uploads[0])
			page[0].Status, page[0].Error = wire.DocumentFailed, "it is broken"
		}
		return page
	}
	code, stdout := s.importFrom(folder)
	require.Equal(t, 1, code)
	require.Equal(t, "added      a.md\nadded      b.md\n"+
		"failed     b.md: somebody deleted it before it was read\nfailed     a.md: it is broken\n\n"+
		"2 added, 0 replaced, 0 unchanged, 0 refused, 2 failed\n", stdout)
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
	s := &scripted{t: t, pages: func(look int, _ []wire.ListedDocument) []wire.ListedDocument {
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
