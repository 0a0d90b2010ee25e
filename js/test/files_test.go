package test_test

import (
	"io"
	"mime/multipart"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// part is a part of a form as it arrives.
type part struct{ field, name, mediaType, content string }

// formService answers with a text and returns the parts of each form.
func formService(t *testing.T) (*test.Fake, <-chan []part) {
	forms := make(chan []part, 10)
	return suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		form, err := r.MultipartReader()
		if err == nil {
			forms <- parts(form)
		}
		test.Reply(w, 200, "application/json", `{"message":"seen","chat_id":"c1","message_id":"m1"}`)
	}), forms
}

func parts(form *multipart.Reader) []part {
	var all []part
	for {
		p, err := form.NextRawPart()
		if err != nil {
			return all
		}
		content, _ := io.ReadAll(p) // a missing part makes the test fail
		all = append(all, part{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(content)})
	}
}

func TestFilesAreSentUnchanged(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service, forms := formService(t)
		p := suite.SDKPage(t, service.Origin, path, service.Config())
		for _, method := range []string{"sendMessage", "sendMessageStream"} {
			p.Do(`await sdk.` + method + `("look", {images: [
				new File(["\x89PNG\r\n", new Uint8Array([0, 1, 254, 255])], "Bild ü \"1\".png", {type: "image/png"}),
				new Blob(["abc"], {type: "image/webp"}),
				new File([], "empty"),
			]})`)
			form := <-forms
			files := form[len(form)-3:]
			require.Equal(t, []part{
				{"images", "Bild ü %221%22.png", "image/png", "\u0089PNG\r\n\x00\x01\xfe\xff"},
				{"images", "blob", "image/webp", "abc"},
				{"images", "empty", "application/octet-stream", ""},
			}, files)
			require.Contains(t, form, part{"message", "", "", "look"})
		}
	})
}

// Each option has its field, and an option that is not set has none.
func TestTheFormOfAMessage(t *testing.T) {
	t.Parallel()
	service, forms := formService(t)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	tests := []struct {
		name, call string
		want       []part
	}{
		{"nothing set", `sdk.sendMessage("hi")`, []part{
			{field: "message", content: "hi"}, {field: "project_id", content: "demo"}, {field: "tool_calls", content: "true"}, {field: "skip_stream", content: "true"},
		}},
		{"nothing set, streamed", `sdk.sendMessageStream("hi")`, []part{
			{field: "message", content: "hi"}, {field: "project_id", content: "demo"}, {field: "tool_calls", content: "true"},
		}},
		{"everything set", `sdk.sendMessageStream("hi", {
			chatId: "c1", agentType: "document_agent", agentId: "a1", documentKeys: ["d1", "d\"2"], metadata: {a: [1, {b: null}]},
			modelName: "gpt-4o", useKnowledgebase: true, isTest: true, googleSearch: true, formatInstructions: "short",
			ignoreChatHistory: true, exampleJson: "{}", skipStream: true,
		})`, []part{
			{field: "message", content: "hi"}, {field: "project_id", content: "demo"}, {field: "tool_calls", content: "true"}, {field: "chat_id", content: "c1"},
			{field: "agent_type", content: "document_agent"}, {field: "agent_id", content: "a1"},
			{field: "document_keys", content: `["d1","d\"2"]`}, {field: "request_metadata", content: `{"a":[1,{"b":null}]}`},
			{field: "model_name", content: "gpt-4o"}, {field: "use_knowledgebase", content: "true"}, {field: "is_test", content: "true"},
			{field: "google_search", content: "true"}, {field: "format_instructions", content: "short"},
			{field: "ignore_chat_history", content: "true"}, {field: "example_json", content: "{}"}, {field: "skip_stream", content: "true"},
		}},
		{"empty is a value", `sdk.sendMessage("hi", {documentKeys: [], metadata: {}, useKnowledgebase: false, images: []})`, []part{
			{field: "message", content: "hi"}, {field: "project_id", content: "demo"}, {field: "tool_calls", content: "true"}, {field: "document_keys", content: "[]"},
			{field: "request_metadata", content: "{}"}, {field: "use_knowledgebase", content: "false"}, {field: "skip_stream", content: "true"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.For(t).Do(`await ` + tt.call)
			require.ElementsMatch(t, tt.want, <-forms)
		})
	}
}

// The service accepts what a browser draws. The embedded agent describes it, and the addresses of
// the history show it again.
func TestTheServiceAcceptsImages(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	got := test.Eval[struct {
		Text    string
		Types   []string
		Sizes   []string
		Origins []string
	}](p, `
		const drawn = (canvas) => { canvas.getContext("2d"); return canvas; };
		const blob = (type, i) => drawn(new OffscreenCanvas(64 + i, 48)).convertToBlob({type});
		const images = await Promise.all(["image/png", "image/jpeg", "image/webp"].map(blob));
		const sent = await sdk.sendMessage("What is in there?", {images});
		const [question] = (await sdk.getChatHistory(sent.chat_id)).messages;
		const load = (src) => new Promise((resolve, reject) => {
			const image = new Image();
			image.onload = () => resolve(image.naturalWidth + " × " + image.naturalHeight);
			image.onerror = reject;
			image.src = src;
		});
		return {
			text: sent.message.content, types: images.map(({ type }) => type), sizes: await Promise.all(question.image_urls.map(load)),
			origins: question.image_urls.map((address) => new URL(address).origin),
		};`)
	// WebKitGTK draws no WebP.
	third := map[string]string{"image/webp": "WebP", "image/png": "PNG"}[got.Types[2]]
	require.Contains(t, got.Text, "a PNG image of 64 × 48, a JPEG image of 65 × 48 and a "+third+" image of 66 × 48")
	require.Equal(t, []string{"64 × 48", "65 × 48", "66 × 48"}, got.Sizes)
	require.Equal(t, []string{service.Origin.URL, service.Origin.URL, service.Origin.URL}, got.Origins)
}

func TestTheServiceRefusesFilesThatAreNotImages(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	p.Do(`globalThis.image = new File(["<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"], "a.png", {type: "image/png"})`)
	got := test.Eval[failure](p, `return kit.failure(sdk.sendMessage("look", {images: [image]}))`)
	requireAPIError(t, got, 400, "VALIDATION_ERROR")
	require.Contains(t, got.InvalidFields, "images")
	p.Do(`globalThis.large = new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), new Uint8Array(11_000_000)])`) // begins like a PNG
	streamed := test.Eval[streamed](p, `return kit.stream(sdk, "look", {images: [large]})`)
	requireAPIError(t, streamed.failed(t), 413, "PAYLOAD_TOO_LARGE")
}
