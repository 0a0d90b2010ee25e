package importer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/importer"
)

// scripted is a service whose documents a test lists; each read of them makes a new list. It
// returns them in pages of one. It is also a RoundTripper without a network, so that
// the clock of synctest advances.
type scripted struct {
	list      func(look int, uploads []wire.ListedDocument) []wire.ListedDocument
	refusals  int // of deletions, for their rate
	deletions []string
	uploads   []wire.ListedDocument
	names     []string
	looks     int
	pages     int
	// room is how many uploads there are before the quota refuses one; each deletion makes room. 0
	// means no quota.
	room int
	docs []wire.ListedDocument
}

func (s *scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	defer func() { _ = r.Body.Close() }()
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, r)
	return answer.Result(), nil
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	answer := func(body any) { _ = json.NewEncoder(w).Encode(body) } // to a test
	switch {
	case r.URL.Path == "/v3/project/knowledge/add/file" && s.room > 0 && len(s.uploads)-len(s.deletions) == s.room:
		w.WriteHeader(http.StatusTooManyRequests)
		answer(wire.ErrorBody{StatusCode: 429, Error: wire.ErrorInfo{Code: wire.CodeQuotaExceeded, Message: "No room"}})
	case r.URL.Path == "/v3/project/knowledge/add/file":
		d := wire.ListedDocument{
			ContentKey: fmt.Sprint("doc", len(s.uploads)), Status: wire.DocumentQueued, Metadata: wire.JSON(r.FormValue("metadata")),
		}
		s.uploads, s.names = append(s.uploads, d), append(s.names, r.MultipartForm.File["file"][0].Filename)
		answer(wire.UploadDocumentResponse{DocumentKey: d.ContentKey})
	case r.Method == http.MethodDelete && s.refusals > 0:
		s.refusals--
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		answer(wire.ErrorBody{StatusCode: 429, Error: wire.ErrorInfo{Code: wire.CodeRateLimited, Message: "Too many"}})
	case r.Method == http.MethodDelete:
		var request wire.DeleteDocumentsRequest
		_ = json.NewDecoder(r.Body).Decode(&request) // of a test
		s.deletions = append(s.deletions, request.Resources[0].Key)
		answer(struct{}{})
	default:
		s.page(r, answer)
	}
}

func (s *scripted) page(r *http.Request, answer func(any)) {
	var request wire.ListDocumentsRequest
	_ = json.NewDecoder(r.Body).Decode(&request) // of a test
	if request.Cursor == "" {
		s.looks++
		s.docs = s.list(s.looks, s.uploads)
	}
	s.pages++
	at, _ := strconv.Atoi(request.Cursor)
	page := wire.ListDocumentsResponse{Docs: append([]wire.ListedDocument{}, s.docs[at:min(at+1, len(s.docs))]...), Total: len(s.docs)}
	if at+1 < len(s.docs) {
		page.NextCursor, page.HasMore = strconv.Itoa(at+1), true
	}
	answer(page)
}

// files are texts to import, by their paths.
func files(paths ...string) (all []importer.File) {
	for _, path := range paths {
		all = append(all, importer.File{Path: path, Read: func() ([]byte, error) { return []byte("Text of " + path), nil }})
	}
	return all
}

// run imports over a transport and returns the output.
func run(ctx context.Context, transport http.RoundTripper, files []importer.File) (said string, missing int, err error) {
	var out strings.Builder
	missing, err = importer.Run(ctx, importer.Config{
		BaseURL: "http://service", ProjectID: "demo", APIKey: "key", APISecret: "secret", Out: &out, Transport: transport,
	}, files)
	return out.String(), missing, err
}

// All pages are read. A document that is on none of them was deleted, and so was
// not imported.
func TestAMissingDocumentIsNotTakenForDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{list: func(look int, uploads []wire.ListedDocument) []wire.ListedDocument {
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
		said, missing, err := run(t.Context(), s, files("in/a.md", "b.md", "c.md"))
		require.NoError(t, err)
		require.Equal(t, 2, missing)
		require.Equal(t, []string{"a.md", "b.md", "c.md"}, s.names)
		require.Equal(t, "added      in/a.md\nadded      b.md\nadded      c.md\n"+
			"failed     b.md: somebody deleted it before it was read\nfailed     c.md: it is broken\n\n"+
			"3 added, 0 replaced, 0 unchanged, 0 refused, 2 failed\n", said)
	})
}

// The next import waits for what an interrupted import uploaded.
func TestQueuedDocumentsAreWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{list: func(look int, _ []wire.ListedDocument) []wire.ListedDocument {
			d := wire.ListedDocument{
				ContentKey: "doc", Status: wire.DocumentQueued,
				Metadata: wire.JSON(`{"path":"a.md","sha256":"fccfecc9f1b7b53074da9b2754a7d7dddf2c9a199a8c195503833dbc4d5ac483"}`),
			}
			if look == 3 {
				d.Status, d.Error = wire.DocumentFailed, "it is broken"
			}
			return []wire.ListedDocument{d}
		}}
		said, missing, err := run(t.Context(), s, files("a.md"))
		require.NoError(t, err)
		require.Equal(t, 1, missing)
		require.Equal(t, "unchanged  a.md\nfailed     a.md: it is broken\n\n0 added, 0 replaced, 1 unchanged, 0 refused, 1 failed\n", said)
	})
}

// The service counts an import's deletions like anybody's.
func TestRunWaitsForItsRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := func() *scripted {
			return &scripted{refusals: 3, list: func(_ int, uploads []wire.ListedDocument) []wire.ListedDocument {
				list := []wire.ListedDocument{{ContentKey: "old", Status: wire.DocumentSynced, Metadata: wire.JSON(`{"path":"a.md","sha256":"1"}`)}}
				for _, d := range uploads {
					d.Status = wire.DocumentSynced
					list = append(list, d)
				}
				return list
			}}
		}
		begun, s := time.Now(), service()
		said, missing, err := run(t.Context(), s, files("a.md"))
		require.NoError(t, err)
		require.Zero(t, missing)
		require.Equal(t, "replaced   a.md\n\n0 added, 1 replaced, 0 unchanged, 0 refused, 0 failed\n", said)
		require.Equal(t, []string{"old"}, s.deletions)
		require.Equal(t, 21*time.Second, time.Since(begun))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _, err = run(ctx, service(), files("a.md"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// cut is a network that loses every connection.
type cut struct{ tries int }

var errCut = errors.New("the cable was pulled")

func (c *cut) RoundTrip(*http.Request) (*http.Response, error) {
	c.tries++
	return nil, errCut
}

// A program that listens at a lost service's address gets no secret.
func TestALostConnectionEndsTheImport(t *testing.T) {
	t.Parallel()
	network := &cut{}
	_, _, err := run(t.Context(), network, files("a.md"))
	require.ErrorIs(t, err, errCut)
	require.ErrorContains(t, err, "http://service could not be reached")
	require.ErrorContains(t, err, "the cable was pulled")
	require.NotContains(t, err.Error(), "secret")
	require.Equal(t, 1, network.tries)
}

// The service also accepts secrets that sdk.New refuses.
func TestEveryCredentialThatTheServiceAcceptsIsSent(t *testing.T) {
	t.Parallel()
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"docs":[]}`)) // to a test
	}))
	defer server.Close()
	var out strings.Builder
	_, err := importer.Run(t.Context(), importer.Config{BaseURL: server.URL, ProjectID: "demo", APIKey: "clé", APISecret: "ключ", Out: &out}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"clé"}, got["X-Api-Key"])
	require.Equal(t, []string{"ключ"}, got["X-Api-Secret"])
}

func TestFolderSkipsHiddenFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"a.md", "in/b.md", ".c.md", ".d/e.md"} {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("Text of "+name), 0o600))
	}
	var seen []string
	list, err := importer.Folder(folder)
	require.NoError(t, err)
	for _, file := range list {
		content, err := file.Read()
		require.NoError(t, err)
		require.Equal(t, "Text of "+file.Path, string(content))
		seen = append(seen, file.Path)
	}
	require.Equal(t, []string{"a.md", "in/b.md"}, seen)
}
