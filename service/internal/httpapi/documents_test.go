package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

// inProcess reads files without a child process.
type inProcess struct{}

// Read implements knowledge.Reader.
func (inProcess) Read(_ context.Context, name string, data []byte) (read.Document, error) {
	return read.Bytes(name, data)
}

const rivers = "# Rivers\n\nIntro to rivers.\n\n## Length\n\nThe Ashby is 214 kilometres long 😀. It rises in the Orrin hills.\n"

// document is the part of a form that is uploaded.
func document(name, content string) field { return field{name: "file", file: name, value: content} }

func inDemo() field { return field{name: "project_id", value: project} }

// uploads posts a file with other fields, such as the project.
func (s *service) uploads(h headers, fields ...field) *httptest.ResponseRecorder {
	f := form(s.t, fields...)
	return s.do("POST", "/v3/project/knowledge/add/file", h.with("content-type", f.contentType), f.text)
}

// upload uploads a file that is accepted, and returns its key.
func (s *service) upload(h headers, name, content string) string {
	w := s.uploads(h, document(name, content), inDemo())
	require.Equal(s.t, http.StatusOK, w.Code, w.Body)
	return decode[wire.UploadDocumentResponse](s.t, w).DocumentKey
}

// readDue reads what was uploaded.
func (s *service) readDue() { require.NoError(s.t, s.config.Knowledge.ReadDue(s.t.Context())) }

func (s *service) listed(h headers, body string) wire.ListDocumentsResponse {
	w := s.do("POST", "/v3/project/demo/knowledgebase", h.json(), body)
	require.Equal(s.t, http.StatusOK, w.Code, w.Body)
	return decode[wire.ListDocumentsResponse](s.t, w)
}

func getPath(key string) string { return "/v3/project/demo/knowledgebase/" + key }

func deletion(keys ...string) string {
	request := wire.DeleteDocumentsRequest{ProjectID: project}
	for _, key := range keys {
		request.Resources = append(request.Resources, wire.Resource{Name: "n", Key: key})
	}
	text, _ := json.Marshal(request)
	return string(text)
}

func TestADocumentFromUploadToDeletion(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	w := s.uploads(as("ann"), field{name: "metadata", value: `{"a": 1}`}, document("../../etc/Rivers.md", rivers), inDemo())
	made := decode[wire.UploadDocumentResponse](t, w)
	require.Equal(t, wire.UploadDocumentResponse{Message: "Document queued", DocumentKey: made.DocumentKey, Status: "queued", Size: int64(len(rivers))}, made)
	queued := wire.ListedDocument{
		ContentKey: made.DocumentKey, Title: "Rivers.md", Name: "Rivers.md", DocType: "markdown", Status: "queued", UserID: "ann",
		UploadDate: float64(noon.Unix()), Size: int64(len(rivers)), Metadata: wire.JSON(`{"a":1}`),
	}
	require.Equal(t, wire.ListDocumentsResponse{Docs: []wire.ListedDocument{queued}, Total: 1}, s.listed(as("ann"), "{}"))
	require.Equal(t, wire.Document{DocumentKey: made.DocumentKey, Title: "Rivers.md", Passages: []wire.Passage{}},
		decode[wire.Document](t, s.do("GET", getPath(made.DocumentKey), as("ann"), "")))

	require.Contains(t, s.do("GET", "/metrics", asServer(), "").Body.String(), "chatsdk_document_backlog 1\n")
	s.readDue()
	require.Contains(t, s.do("GET", "/metrics", asServer(), "").Body.String(), "chatsdk_document_backlog 0\n")
	synced := queued
	synced.Title, synced.Encoding, synced.Status = "Rivers", "UTF-8", "synced"
	require.Equal(t, []wire.ListedDocument{synced}, s.listed(as("ann"), "{}").Docs)
	d := decode[wire.Document](t, s.do("GET", getPath(made.DocumentKey), as("ann"), ""))
	require.Equal(t, "Rivers", d.Title)
	last := d.Passages[len(d.Passages)-1]
	require.Equal(t, []string{"Length"}, last.HeadingPath)
	require.True(t, strings.HasPrefix(d.Text[last.Start:], "The Ashby"))
	require.Equal(t, len(d.Text)-2, last.End, "UTF-16 units: an emoji has two, and four bytes")

	require.Equal(t, http.StatusOK, s.do("DELETE", "/project/knowledge/delete", as("ann").json(), deletion(made.DocumentKey)).Code)
	require.Equal(t, wire.ListDocumentsResponse{Docs: []wire.ListedDocument{}}, s.listed(as("ann"), "{}"))
	refusal(t, s.do("GET", getPath(made.DocumentKey), as("ann"), ""), 404, wire.CodeNotFound)
	refusal(t, s.do("DELETE", "/project/knowledge/delete", as("ann").json(), deletion(made.DocumentKey)), 404, wire.CodeNotFound)
}

// A page reads a long document in parts.
func TestADocumentIsReadByRange(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	text := strings.Repeat("Herons 🪶 eat ä salmon.\n\n", 2_000)
	key := s.upload(as("ann"), "a.txt", text)
	s.readDue()
	whole := decode[wire.Document](t, s.do("GET", getPath(key), as("ann"), ""))
	require.Equal(t, []int{0, whole.Length, whole.Length}, []int{whole.Start, whole.End, len(utf16.Encode([]rune(whole.Text)))})

	var joined strings.Builder
	seen := map[string]bool{}
	for start := 0; start < whole.Length; {
		part := decode[wire.Document](t, s.do("GET", fmt.Sprintf("%s?start=%d&end=%d", getPath(key), start, start+3_333), as("ann"), ""))
		require.Equal(t, []int{start, whole.Length}, []int{part.Start, part.Length})
		require.Equal(t, part.End-part.Start, len(utf16.Encode([]rune(part.Text))))
		joined.WriteString(part.Text)
		for _, p := range part.Passages {
			require.True(t, p.Start < part.End && p.End > part.Start)
			seen[p.ID] = true
		}
		start = part.End
	}
	require.True(t, whole.Text == joined.String())
	require.Len(t, seen, len(whole.Passages))

	within := decode[wire.Document](t, s.do("GET", getPath(key)+"?start=8&end=9", as("ann"), ""))
	require.Equal(t, wire.Document{DocumentKey: key, Title: whole.Title, Text: "🪶", Start: 7, End: 9, Length: whole.Length, Passages: within.Passages}, within,
		"an offset in the middle of a character is moved to its beginning")
	behind := decode[wire.Document](t, s.do("GET", getPath(key)+"?start=2000000000", as("ann"), ""))
	require.Equal(t, []any{"", whole.Length, whole.Length}, []any{behind.Text, behind.Start, behind.End})
}

func TestUploadsThatAreWrong(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	one := document("a.md", "text")
	for _, test := range []struct {
		name   string
		fields []field
		status int
		code   string
		wrong  []string
	}{
		{"no file", []field{inDemo()}, 400, wire.CodeValidation, []string{"file"}},
		{"a file sent as text", []field{{name: "file", value: "text"}, inDemo()}, 400, wire.CodeValidation, []string{"file"}},
		{"two files", []field{one, one, inDemo()}, 400, wire.CodeValidation, []string{"file"}},
		{"an empty file", []field{document("a.md", ""), inDemo()}, 400, wire.CodeValidation, []string{"file"}},
		{"an image", []field{document("a.png", "\x89PNG\r\n\x1a\n\x00\x00"), inDemo()}, 400, wire.CodeValidation, []string{"file"}},
		{"an archive that is called text", []field{document("a.txt", "PK\x03\x04\x00\x00\x00"), inDemo()}, 400, wire.CodeValidation, []string{"file"}},
		{"text that is called PDF", []field{document("a.pdf", "text"), inDemo()}, 400, wire.CodeValidation, []string{"file"}},
		{"a name of 256 characters", []field{document(strings.Repeat("a", 256), "text"), inDemo()}, 400, wire.CodeValidation, []string{"file"}},
		{"a file over the limit", []field{document("a.md", strings.Repeat("a", 64<<10+1)), inDemo()}, 413, wire.CodePayloadTooLarge, []string{"file"}},
		{"a file far over the limit", []field{document("a.md", strings.Repeat("a", 1<<20)), inDemo()}, 413, wire.CodePayloadTooLarge, []string{"file"}},
		{"no project", []field{one}, 400, wire.CodeValidation, []string{"project_id"}},
		{"a project twice", []field{one, inDemo(), inDemo()}, 400, wire.CodeValidation, []string{"project_id"}},
		{"a project in a file", []field{one, {name: "project_id", file: "a", value: project}}, 400, wire.CodeValidation, []string{"project_id"}},
		{"another project", []field{one, {name: "project_id", value: "other"}}, 404, wire.CodeNotFound, nil},
		{"metadata as a list", []field{one, inDemo(), {name: "metadata", value: "[]"}}, 400, wire.CodeValidation, []string{"metadata"}},
		{"metadata cut short", []field{one, inDemo(), {name: "metadata", value: `{"a"`}}, 400, wire.CodeValidation, []string{"metadata"}},
		{"metadata that is not UTF-8", []field{one, inDemo(), {name: "metadata", value: "\xff"}}, 400, wire.CodeValidation, []string{"metadata"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := s.uploads(as("ann"), test.fields...)
			refusal(t, w, test.status, test.code, test.wrong...)
			require.NotContains(t, w.Body.String(), "aaaa", "it repeats no text of the document")
		})
	}
	whole := form(t, one, inDemo())
	for cut := range len(whole.text) - len("\r\n") {
		w := s.do("POST", "/v3/project/knowledge/add/file", as("ann").with("content-type", whole.contentType), whole.text[:cut])
		require.Equal(t, 400, w.Code, "cut after %d bytes", cut)
	}
	refusal(t, s.do("POST", "/v3/project/knowledge/add/file", as("ann").json(), "{}"), 415, wire.CodeUnsupportedMedia)
	require.Zero(t, s.listed(asServer(), "{}").Total, "nothing is kept")
	require.Equal(t, 200, s.uploads(as("ann"), document("a.md", strings.Repeat("a", 64<<10)), inDemo(), field{name: "metadata", value: "null"}, field{name: "colour", value: "red"}).Code)
}

func TestDocumentRequestsThatAreWrong(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	key := s.upload(as("ann"), "a.md", "text")
	list, remove := "/v3/project/demo/knowledgebase", "/project/knowledge/delete"
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		code                     string
		wrong                    []string
	}{
		{"page 0", "POST", list, `{"page":0}`, 400, wire.CodeValidation, []string{"page"}},
		{"a page far out", "POST", list, `{"page":9007199254740991}`, 400, wire.CodeValidation, []string{"page"}},
		{"no items", "POST", list, `{"items_per_page":0}`, 400, wire.CodeValidation, []string{"items_per_page"}},
		{"too many items", "POST", list, `{"items_per_page":101}`, 400, wire.CodeValidation, []string{"items_per_page"}},
		{"all of the wrong type", "POST", list, `{"page":"1","items_per_page":1.5,"name_search":[]}`, 400, wire.CodeValidation, []string{"page", "items_per_page", "name_search"}},
		{"a list of another project", "POST", "/v3/project/other/knowledgebase", `{}`, 404, wire.CodeNotFound, nil},
		{"another project's", "GET", "/v3/project/other/knowledgebase/" + key, ``, 404, wire.CodeNotFound, nil},
		{"an end before the start", "GET", list + "/" + key + "?start=2&end=1", ``, 400, wire.CodeValidation, []string{"end"}},
		{"a negative start", "GET", list + "/" + key + "?start=-1", ``, 400, wire.CodeValidation, []string{"start"}},
		{"two ends", "GET", list + "/" + key + "?end=1&end=2", ``, 400, wire.CodeValidation, []string{"end"}},
		{"dots", "GET", list + "/..", ``, 404, wire.CodeNotFound, nil},
		{"nothing to delete", "DELETE", remove, `{"project_id":"demo"}`, 400, wire.CodeValidation, []string{"resources"}},
		{"an empty list to delete", "DELETE", remove, `{"project_id":"demo","resources":[]}`, 400, wire.CodeValidation, []string{"resources"}},
		{"keys without objects", "DELETE", remove, `{"project_id":"demo","resources":["a"]}`, 400, wire.CodeValidation, []string{"resources"}},
		{"no key", "DELETE", remove, `{"project_id":"demo","resources":[{"name":"a"}]}`, 400, wire.CodeValidation, []string{"resources"}},
		{"null", "DELETE", remove, `{"project_id":"demo","resources":[null]}`, 400, wire.CodeValidation, []string{"resources"}},
		{"a key that is a number", "DELETE", remove, `{"project_id":"demo","resources":[{"key":1}]}`, 400, wire.CodeValidation, []string{"resources"}},
		{"too many to delete", "DELETE", remove, deletion(slices.Repeat([]string{key}, 101)...), 400, wire.CodeValidation, []string{"resources"}},
		{"an unknown one among them", "DELETE", remove, deletion(key, "doc_x"), 404, wire.CodeNotFound, nil},
		{"a deletion in another project", "DELETE", remove, `{"project_id":"other","resources":[{"key":"` + key + `"}]}`, 404, wire.CodeNotFound, nil},
		{"a chat with an unknown one", "POST", "/chat/create", `{"project_id":"demo","document_keys":["` + key + `","doc_x"]}`, 404, wire.CodeNotFound, []string{"document_keys"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			refusal(t, s.do(test.method, test.path, as("ann").json(), test.body), test.status, test.code, test.wrong...)
		})
	}
	require.Equal(t, 1, s.listed(as("ann"), "{}").Total)
	require.Zero(t, s.count(t))
}

func TestUploadsCountOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	h := as("ann").with("idempotency-key", "k")
	first := s.uploads(h, document("a.md", "# Title\n\ntext"), inDemo())
	require.Empty(t, first.Header().Get("Idempotent-Replayed"))
	s.readDue()
	again := s.uploads(h, inDemo(), document("a.md", "# Title\n\ntext"))
	require.Equal(t, "true", again.Header().Get("Idempotent-Replayed"))
	was, is := decode[wire.UploadDocumentResponse](t, first), decode[wire.UploadDocumentResponse](t, again)
	require.Equal(t, was.DocumentKey, is.DocumentKey)
	require.Equal(t, "synced", is.Status, "as it is now")
	for name, other := range map[string]field{"bytes": document("a.md", "other"), "name": document("b.md", "# Title\n\ntext")} {
		refusal(t, s.uploads(h, other, inDemo()), 422, wire.CodeKeyReused, "idempotency-key")
		require.Equal(t, 1, s.listed(as("ann"), "{}").Total, name)
	}
	require.Equal(t, 200, s.uploads(as("bob").with("idempotency-key", "k"), document("b.md", "x"), inDemo()).Code, "keys count within a user")
	s.do("DELETE", "/project/knowledge/delete", as("ann").json(), deletion(was.DocumentKey))
	refusal(t, s.uploads(h, document("a.md", "# Title\n\ntext"), inDemo()), 404, wire.CodeNotFound)
}

func TestDocumentsArePaged(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for i := range 32 {
		s.upload(as("ann"), fmt.Sprintf("File %d.md", i), "text")
	}
	first := s.listed(as("ann"), `{"page":null}`)
	require.Len(t, first.Docs, 30)
	require.Equal(t, []any{32, "File 31.md"}, []any{first.Total, first.Docs[0].Title})
	require.Len(t, s.listed(as("ann"), `{"page":2}`).Docs, 2)
	require.Equal(t, wire.ListDocumentsResponse{Docs: []wire.ListedDocument{}, Total: 32}, s.listed(as("ann"), `{"page":3,"items_per_page":100}`))
	found := s.listed(as("ann"), `{"items_per_page":1,"name_search":"FILE 3"}`)
	require.Equal(t, []any{1, 3}, []any{len(found.Docs), found.Total})
}

// Hostile content is stored as text, and returned as JSON that no browser runs.
func TestDocumentsAreNeverHTML(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	key := s.upload(as("ann"), `<script>alert(1)</script>.html`, `<html><body onload="x()"><script>alert(1)</script><p>Safe &lt;b&gt; text.<iframe src="javascript:x()"></iframe></body></html>`)
	s.readDue()
	w := s.do("GET", getPath(key), as("ann").with("accept", "text/html"), "")
	require.Equal(t, []string{"application/json", "nosniff"}, []string{w.Header().Get("Content-Type"), w.Header().Get("X-Content-Type-Options")})
	d := decode[wire.Document](t, w)
	require.Equal(t, "Safe <b> text.", strings.TrimSpace(d.Text))
	require.NotContains(t, d.Text, "alert")
}
