package main_test

import (
	"bytes"
	"compress/flate"
	"fmt"
	"hash/adler32"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// asProject acts as the project's administrator.
func asProject(contentType string) http.Header {
	return http.Header{"X-User-Id": nil, "Content-Type": {contentType}}
}

// upload uploads a file for the project.
func (p *process) upload(name string, content []byte) reply {
	p.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	require.NoError(p.t, err)
	_, _ = part.Write(content) // to a buffer
	_ = w.WriteField("project_id", "demo")
	_ = w.Close()
	return p.do(http.MethodPost, "/v3/project/knowledge/add/file", asProject(w.FormDataContentType()), form.String())
}

// documents returns the project's documents by name, when all of them are read.
func (p *process) documents() map[string]wire.ListedDocument {
	p.t.Helper()
	for {
		list := decode[wire.ListDocumentsResponse](p.t, p.do(http.MethodPost, "/v3/project/demo/knowledgebase", asProject("application/json"), `{"items_per_page":100}`), http.StatusOK)
		all, queued := map[string]wire.ListedDocument{}, false
		for _, d := range list.Docs {
			all[d.Name] = d
			queued = queued || d.Status == wire.DocumentQueued
		}
		if !queued {
			return all
		}
	}
}

// askDocuments asks a question of all documents.
func (p *process) askDocuments(question string) wire.Message {
	p.t.Helper()
	return p.ask(question, wire.FieldUseKnowledgebase, "true").Message
}

// A bad file gets an error that names the fault, and the service continues.
func TestHostileDocuments(t *testing.T) {
	t.Parallel()
	p := start(t, nil)
	for name, test := range map[string]struct {
		file   []byte
		reason string // of the failure; empty: it is read
	}{
		"loop.pdf":      {pdf("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 9 /Kids [2 0 R] >>"), "broken"},
		"truncated.pdf": {textPDF("Text.", 1)[:200], "broken"},
		"encrypted.pdf": {pdf("/Encrypt << /Filter /Standard /V 5 /R 6 >> /ID [<00> <00>]", "<< /Pages 2 0 R >>", "<< /Kids [] >>"), "password"},
		"bomb.pdf":      {textPDF("letters ", 40_000_000), "parts"},
		"deep.html":     {[]byte(strings.Repeat("<div>", 100_000) + "Deep."), "broken"},
		"script.html":   {[]byte("<script>alert(1)</script><p onclick='x()'>Seen.</p>"), ""},
		"good.pdf":      {textPDF("The parrot is green.", 1), ""},
		"..%2F..%2Fetc": {[]byte("A name is data."), ""},
	} {
		sent := p.upload(name, test.file)
		if sent.status == http.StatusBadRequest {
			require.NotEmpty(t, test.reason, name)
			require.Contains(t, string(sent.body), test.reason)
			continue
		}
		require.Equal(t, http.StatusOK, sent.status, "%s: %s", name, sent.body)
		d := p.documents()[name]
		if test.reason == "" {
			require.Equal(t, wire.DocumentSynced, d.Status, "%s: %s", name, d.Error)
			continue
		}
		require.Equal(t, wire.DocumentFailed, d.Status, name)
		require.Contains(t, d.Error, test.reason, name)
	}
	require.Equal(t, http.StatusOK, p.do(http.MethodGet, "/readyz", nil, "").status)
	seen := decode[wire.Document](t, p.do(http.MethodGet, "/v3/project/demo/knowledgebase/"+p.documents()["script.html"].ContentKey, nil, ""), http.StatusOK)
	require.Equal(t, "Seen.", seen.Text)
	requireError(t, p.upload("big.txt", bytes.Repeat([]byte("a"), 25<<20+1)), http.StatusRequestEntityTooLarge, wire.CodePayloadTooLarge)
	p.stop()
}

// Files that were accepted are read even after a kill.
func TestDocumentsOutliveAKill(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := startIn(t, folder, nil)
	for i := range 20 {
		require.Equal(t, http.StatusOK, p.upload(fmt.Sprintf("%d.md", i), fmt.Appendf(nil, "# Parrot %d\n\nThe parrot %d is green.", i, i)).status)
	}
	p.kill()
	p = startIn(t, folder, nil)
	documents := p.documents()
	require.Len(t, documents, 20)
	for name, d := range documents {
		require.Equal(t, wire.DocumentSynced, d.Status, name)
	}
	require.NotEmpty(t, p.askDocuments("Which parrot 7 is green?").Sources)
	p.stop()
}

// A folder is imported both while the service runs and while it doesn't. Unchanged
// files are not imported again.
func TestImport(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(folder, "in", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	run := func(want int) (stdout, stderr string) {
		code, stdout, stderr := output(t, folder, keyed(), "import", "in")
		require.Equal(t, want, code, stdout+stderr)
		return stdout, stderr
	}
	write("a.md", "# Parrots\n\nThe parrot is green.")
	write("b/a.md", "# Herons\n\nThe heron is grey.")
	write(".hidden", "no")
	stdout, _ := run(0)
	require.Equal(t, "added      a.md\nadded      b/a.md\n\n2 added, 0 replaced, 0 unchanged, 0 refused, 0 failed\n", stdout)

	p := startIn(t, folder, env{"UPLOADS_PER_MINUTE": "1", "DOCUMENTS_PER_USER": "1"}) // limits of users only
	before := p.documents()
	stdout, _ = run(0)
	require.Equal(t, "unchanged  a.md\nunchanged  b/a.md\n\n0 added, 0 replaced, 2 unchanged, 0 refused, 0 failed\n", stdout)
	require.Equal(t, before, p.documents())
	require.Contains(t, p.askDocuments("Which parrot is green?").Content, "The parrot is green.")

	write("a.md", "# Parrots\n\nThe parrot is blue.")
	write("c.pdf", "%PDF-1.7\nno")
	write("d.png", "\x89PNG\x00")
	stdout, stderr := run(1)
	require.Contains(t, stdout, "replaced   a.md\n")
	require.Contains(t, stdout, "unchanged  b/a.md\n")
	require.Regexp(t, `(?m)^refused    d\.png: the file is of a kind`, stdout)
	require.Regexp(t, `(?m)^failed     c\.pdf: the file is broken`, stdout)
	require.Contains(t, stdout, "\n1 added, 1 replaced, 1 unchanged, 1 refused, 1 failed\n")
	require.Contains(t, stderr, "2 files were not imported")
	require.Contains(t, p.askDocuments("Which parrot is blue?").Content, "The parrot is blue.")
	require.NotContains(t, p.askDocuments("Which parrot is green?").Content, "green.")

	p.stop()
	_, err := os.Stat(filepath.Join(folder, "data", "address"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A file that failed does not count as imported: it is uploaded again, and
// reported again if it fails again.
func TestImportRetriesFailedFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "in"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "in", "bad.pdf"), []byte("%PDF-1.7\nno"), 0o600))
	code, stdout, _ := output(t, folder, keyed(), "import", "in")
	require.Equal(t, 1, code)
	require.Regexp(t, `\Aadded      bad\.pdf\nfailed     bad\.pdf: the file is broken.*\n\n1 added, 0 replaced, 0 unchanged, 0 refused, 1 failed\n\z`, stdout)
	code, stdout, _ = output(t, folder, keyed(), "import", "in")
	require.Equal(t, 1, code)
	require.Regexp(t, `\Afailed     bad\.pdf: the file is broken.*\n\n0 added, 0 replaced, 0 unchanged, 0 refused, 1 failed\n\z`, stdout)
	p := startIn(t, folder, nil)
	require.Len(t, p.documents(), 1)
	list := decode[wire.ListDocumentsResponse](t, p.do(http.MethodPost, "/v3/project/demo/knowledgebase", asProject("application/json"), `{}`), http.StatusOK)
	require.Equal(t, 1, list.Total, "the one that failed before is gone")
	p.stop()
}

func TestImportUsage(t *testing.T) {
	t.Parallel()
	require.Contains(t, fails(t, t.TempDir(), keyed(), "import"), "want one FOLDER")
	require.Contains(t, fails(t, t.TempDir(), keyed(), "import", "a", "b"), "want one FOLDER")
	require.Contains(t, fails(t, t.TempDir(), keyed(), "import", "missing"), "missing")
	require.Contains(t, fails(t, t.TempDir(), keyed(), "import", "-port", "1", "a"), "-port")
	code, stdout, _ := output(t, t.TempDir(), nil, "import", "-h")
	require.Zero(t, code)
	require.Contains(t, stdout, "FOLDER")
}

// startDemo starts the demo, and waits until it has imported all of its documents.
func startDemo(t *testing.T) *process {
	t.Helper()
	folder := demoFolder(t, "")
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	all := append(pages, "../README.md", "../service/internal/knowledge/testdata/documents/packet-switching.md")
	for _, name := range all {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		path := filepath.Join(folder, strings.TrimPrefix(name, "../"))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
	p := startIn(t, folder, nil, "-demo")
	for len(p.documents()) < len(all) {
		// Until the demo has imported them all.
	}
	return p
}

// Each suggestion of the chat page gets the right answer, and a question's answer names its source.
func TestTheSuggestionsOfTheDemo(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../examples/01-script-tag/index.html")
	require.NoError(t, err)
	var asked []string
	for _, match := range regexp.MustCompile(`data-action="suggest">([^<]+)<`).FindAllSubmatch(page, -1) {
		asked = append(asked, string(match[1]))
	}
	require.Len(t, asked, 3)
	require.Equal(t, "How does ChatSDK resume a stream?", asked[0])
	p := startDemo(t)
	s := p.stream(asked[0], wire.FieldUseKnowledgebase, "true")
	message := s.complete().Message
	require.Contains(t, message.Content, "with the id of the last event that it has seen")
	require.NotEmpty(t, message.Sources)
	source := message.Sources[0]
	require.Equal(t, "Architecture", source.Title)
	d := decode[wire.Document](t, p.do(http.MethodGet, "/v3/project/demo/knowledgebase/"+source.DocumentKey, nil, ""), http.StatusOK)
	require.Equal(t, source.Snippet, utf16Slice(d.Text, source.Start, source.End), "the source opens at what is quoted")

	stated := p.stream(asked[1], wire.FieldUseKnowledgebase, "true").complete().Message
	require.Contains(t, stated.Content, "Noted: “My name is Ada, and I live in Lyon.”")
	require.Empty(t, stated.Sources)
	require.Equal(t, "Tell me a long story.", asked[2])
	killed := p.stream("What happens when the service is killed while it writes an answer?", wire.FieldUseKnowledgebase, "true").complete().Message
	require.Contains(t, killed.Content, "what a reader saw is kept, and the answer is marked as interrupted")
	require.True(t, slices.ContainsFunc(killed.Sources, func(s wire.Source) bool { return s.Title == "Streams, and what is promised" }))

	article := p.documents()["packet-switching.md"]
	d = decode[wire.Document](t, p.do(http.MethodGet, "/v3/project/demo/knowledgebase/"+article.ContentKey, nil, ""), http.StatusOK)
	require.Contains(t, d.Text, "CC BY-SA 4.0", "its credit is shown")
	p.stop()
	require.Empty(t, p.stderr.String(), "people watch the demo")
}

// pdf makes a PDF of objects, which are numbered from 1.
func pdf(extra string, objects ...string) []byte {
	var file bytes.Buffer
	file.WriteString("%PDF-1.7\n")
	var offsets []int
	for i, object := range objects {
		offsets = append(offsets, file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	xref := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&file, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&file, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, extra, xref)
	return file.Bytes()
}

// textPDF is a page with a repeated text, compressed. Deflate blocks that end
// with a flush can be repeated as they are, which costs nothing.
func textPDF(text string, times int) []byte {
	const most = 1 << 16
	var packed bytes.Buffer
	sum := adler32.New()
	write := func(text string, times int) {
		var block bytes.Buffer
		w, _ := flate.NewWriter(&block, flate.BestCompression) // a known level
		_, _ = io.WriteString(w, text)                         // to a buffer
		_ = w.Flush()
		for range times {
			_, _ = io.WriteString(sum, text)
			_, _ = packed.Write(block.Bytes())
		}
	}
	packed.WriteString("\x78\xda")
	write("BT /F 10 Tf 1 0 0 1 50 700 Tm (", 1)
	write(strings.Repeat(text, min(times, most)), times/most)
	write(strings.Repeat(text, times%most), 1)
	write(") Tj ET", 1)
	packed.WriteString("\x03\x00") // an empty last block
	packed.Write(sum.Sum(nil))
	return pdf("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] /Resources << /Font << /F 5 0 R >> >> >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>",
		fmt.Sprintf("<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", packed.Len(), packed.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
}

func utf16Slice(text string, start, end int) string {
	return string(utf16.Decode(utf16.Encode([]rune(text))[start:end]))
}

// A question that is asked again in a chat, of another document, is answered from that one.
func TestAQuestionIsAskedAgainOfAnotherDocument(t *testing.T) {
	t.Parallel()
	p := start(t, nil)
	for name, text := range map[string]string{"heat.md": "The temperature of the zorbex is 41 degrees.", "force.md": "The pressure of the zorbex is 7 bar."} {
		require.Equal(t, http.StatusOK, p.upload(name, []byte(text)).status)
	}
	documents := p.documents()
	chatID := p.ask("Hi").ChatID
	for name, want := range map[string]string{"heat.md": "41 degrees", "force.md": "7 bar"} {
		keys := `["` + documents[name].ContentKey + `"]`
		answer := p.ask("What about the zorbex?", wire.FieldDocumentKeys, keys, wire.FieldChatID, chatID)
		require.Contains(t, answer.Message.Content, want, name)
	}
}
