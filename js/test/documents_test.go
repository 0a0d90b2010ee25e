package test_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// documents is what a page and Node do with documents; the results are in told and progress.
const documents = `
	const progress = [];
	const file = new File([text], "cats.md", { type: "text/markdown" });
	const uploaded = await sdk.uploadDocument(file, { metadata: { shelf: [1] }, onProgress: (...numbers) => progress.push(numbers) });
	const key = uploaded.document_key;
	let document;
	do {
		const { docs, total } = await sdk.listDocuments({ page: 1, itemsPerPage: 10, nameSearch: "cats" });
		document = { ...docs[0], total };
	} while (document.status === "queued");
	const read = await sdk.getDocument(key);
	const answer = await sdk.sendMessage(question, { documentKeys: [key] });
	const [source] = answer.message.sources;
	await sdk.deleteDocument(key);
	const gone = await sdk.getDocument(key).catch((error) => error.status);
	const told = {
		size: uploaded.size, name: document.name, title: document.title, type: document.doc_type, status: document.status,
		total: document.total, metadata: document.metadata, passages: read.passages.length > 0, quoted: read.text.slice(source.start, source.end),
		source: source.document_key === key, gone,
	};`

// told is what documents reports about catsText.
func told() map[string]any {
	return map[string]any{
		"size": float64(len(catsText)), "name": "cats.md", "title": "Cats 🐈🐈", "type": "markdown", "status": "synced",
		"total": 1.0, "metadata": map[string]any{"shelf": []any{1.0}}, "passages": true, "quoted": catsFact, "source": true, "gone": 404.0,
	}
}

func TestDocumentsFromAPage(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Service(t)
		p := suite.SDKPage(t, service.Origin, path, service.Config(t, "ada"))
		got := test.Eval[struct {
			Told     map[string]any `json:"told"`
			Progress [][2]int       `json:"progress"`
		}](p, `const [text, question] = [$1, $2];`+documents+`return { told, progress };`, catsText, catsAsk)
		require.Equal(t, told(), got.Told)
		requireGrowing(t, got.Progress, len(catsText))
	})
}

// requireGrowing requires that numbers grow to a total, the size of the form, which is a little larger
// than its files.
func requireGrowing(t *testing.T, progress [][2]int, files int) {
	t.Helper()
	require.NotEmpty(t, progress)
	for i, now := range progress {
		require.Equal(t, progress[0][1], now[1], "the total stays")
		if i > 0 {
			require.GreaterOrEqual(t, now[0], progress[i-1][0])
		}
	}
	last := progress[len(progress)-1]
	require.Equal(t, last[1], last[0], "the last is the total")
	require.Greater(t, last[1], files)
	require.Less(t, last[1], files+2000)
}

func TestDocumentsFromNode(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	config, err := json.Marshal(service.Config(t, "ada"))
	require.NoError(t, err)
	output := node(t, fmt.Sprintf(`
		const { File } = await import("node:buffer");
		const sdk = new ChatSDK(%s);
		const [text, question] = [%q, %q];
		%s
		console.log(JSON.stringify({ told, progress }));`, config, catsText, catsAsk, documents))
	var got struct {
		Told     map[string]any `json:"told"`
		Progress [][2]int       `json:"progress"`
	}
	require.NoError(t, json.Unmarshal([]byte(output), &got))
	require.Equal(t, told(), got.Told)
	require.Equal(t, [][2]int{{len(catsText), len(catsText)}}, got.Progress, "once, at the end")
}

func TestDocumentsFromGo(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	client, err := nethttp.NewClient(sdk.Config{
		BaseURL: service.URL, ProjectID: test.Project, APIKey: test.APIKey, APISecret: test.APISecret, UserID: "ada",
	})
	require.NoError(t, err)
	ctx := t.Context()
	uploaded, err := client.UploadDocument(ctx, sdk.File{Name: "cats.md", Content: strings.NewReader(catsText)},
		sdk.UploadDocumentOptions{Metadata: wire.JSON(`{"shelf":[1]}`)})
	require.NoError(t, err)
	require.EqualValues(t, len(catsText), uploaded.Size)
	var document wire.ListedDocument
	for document.Status = uploaded.Status; document.Status == wire.DocumentQueued; {
		list, err := client.ListDocuments(ctx, sdk.ListDocumentsOptions{Page: 1, ItemsPerPage: 10, NameSearch: "cats"})
		require.NoError(t, err)
		require.Equal(t, 1, list.Total)
		document = list.Docs[0]
	}
	require.Equal(t, []string{wire.DocumentSynced, "Cats 🐈🐈", `{"shelf":[1]}`}, []string{document.Status, document.Title, string(document.Metadata)})
	read, err := client.GetDocument(ctx, uploaded.DocumentKey, sdk.GetDocumentOptions{})
	require.NoError(t, err)
	require.Contains(t, read.Text, catsFact)
	require.NotEmpty(t, read.Passages)
	require.NoError(t, client.DeleteDocument(ctx, uploaded.DocumentKey))
	_, err = client.GetDocument(ctx, uploaded.DocumentKey, sdk.GetDocumentOptions{})
	var failure *sdk.APIError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, http.StatusNotFound, failure.Status)
}

// The numbers count the whole form, and errors in the page's callback change nothing.
func TestUploadsReportTheirProgress(t *testing.T) {
	t.Parallel()
	service, _ := formService(t)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	const size = 8 << 20
	got := test.Eval[[][2]int](p, `
		const progress = [];
		const onUploadProgress = (...numbers) => { progress.push(numbers); if (progress.length === 1) throw new Error("mine"); };
		addEventListener("error", (event) => event.preventDefault());
		await sdk.sendMessage("look", { images: [new Blob([new Uint8Array($1)])], onUploadProgress });
		return progress;`, size)
	requireGrowing(t, got, size)
}

// An answer that is streamed with onUploadProgress uses another transport, and reads the same, even if
// its chunks are cut and full of wide characters.
func TestAnAnswerWithProgressIsTheSame(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		stream := test.NewStream(w)
		for range 300 {
			stream.Chunk("lä 🐈").Chunk("\r\n\u2028 \"données\" ")
		}
		stream.Complete()
	})
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	send := `
		const images = [await (await fetch("data:image/png;base64," + $1)).blob()];
		const heard = await kit.stream(sdk, "sing", { images, $2 });
		return heard;`
	plain := test.Eval[streamed](p, strings.Replace(send, "$2", "", 1), onePixel)
	requireCompleted(t, plain)
	told := test.Eval[streamed](p, strings.Replace(send, "$2", "onUploadProgress() {}", 1), onePixel)
	requireCompleted(t, told)
	requireSameText(t, plain.Text, told.Text)
	require.Equal(t, strings.Repeat("lä 🐈\r\n\u2028 \"données\" ", 300), told.Text)
}

// A failed upload is reported like every failed call.
func TestUploadsThatFail(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, http.NotFound)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	if test.Browser() == "firefox" { // Firefox reports a body that fails, in addition to the rejection
		p.Expect("Failed to read data from the ReadableStream")
	}
	upload := `kit.failure(sdk.uploadDocument(new File(["x"], "a.md"), { onProgress() {} }))`
	refuse := func(status int, header, value, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set(header, value)
			test.Reply(w, status, "application/json", body)
		}
	}
	tests := []struct {
		name   string
		script http.HandlerFunc
		want   failure
	}{
		{"refused with a message", refuse(413, "X-A", "b: c", `{"message":"zu groß 🐈","detail":"25 MiB"}`), failure{Status: 413, Message: "zu groß 🐈", Detail: "25 MiB"}},
		{"a redirect", refuse(307, "Location", "/elsewhere", `{}`), failure{Code: "NETWORK"}},
		{"no answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, failure{Code: "NETWORK"}},
		{"half an answer", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			test.Reply(w, 200, "application/json", `{"document_key":`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, failure{Code: "NETWORK"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			service.Play(tt.script)
			got := test.Eval[failure](p.For(t), `return `+upload)
			require.Equal(t, "APIError", got.Name, got.Message)
			require.Equal(t, []any{tt.want.Status, tt.want.Code, tt.want.Detail}, []any{got.Status, got.Code, got.Detail}, got.Message)
			require.Contains(t, got.Message, tt.want.Message)
		})
	}
}

// Fetch accepts answers without a body, and so does the transport that reports progress.
func TestAnUploadThatIsAnsweredWithoutABody(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNoContent, http.StatusResetContent} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(status)
			})
			p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
			upload := func(options string) failure {
				return test.Eval[failure](p, `return kit.failure(sdk.uploadDocument(new File(["x"], "a.md"), `+options+`))`)
			}
			plain := upload("{}")
			require.Equal(t, plain, upload("{ onProgress() {} }"))
		})
	}
}

// Cancelling an upload also ends it at the service.
func TestAnUploadThatIsGivenUp(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan error, 1)
	service := suite.Fake(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadFull(r.Body, make([]byte, 1000))
		close(begun)
		_, _ = io.Copy(io.Discard, r.Body) // the server sees only then that the page has left
		<-r.Context().Done()
		ended <- r.Context().Err()
	})
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	p.Do(`
		globalThis.giveUp = new AbortController();
		globalThis.uploading = kit.failure(sdk.uploadDocument(new Blob([new Uint8Array(20 << 20)]), { signal: giveUp.signal, onProgress() {} }));`)
	<-begun
	require.Equal(t, "AbortError", test.Eval[string](p, `giveUp.abort(); return (await uploading).name`))
	require.Error(t, <-ended)
	require.Len(t, service.Calls(), 1)
}
