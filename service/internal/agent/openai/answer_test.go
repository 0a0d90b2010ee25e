package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

func TestThePromptArrivesAsOneStreamingRequest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		prompt answering.Prompt
		body   string
	}{
		{
			name: "instructions first, then the messages in their order",
			prompt: answering.Prompt{Model: "test-1", System: "Be <brief>.", Messages: []answering.PromptMessage{
				{ID: "m1", Role: wire.RoleUser, Text: "Hello,\n\"you\" 🙂"},
				{ID: "m2", Role: wire.RoleAssistant, Text: "Hi."},
				{ID: "m3", Role: wire.RoleUser, Text: "Who?"},
			}},
			body: `{"model":"test-1","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"system","content":"Be <brief>."},
				{"role":"user","content":"Hello,\n\"you\" 🙂"},{"role":"assistant","content":"Hi."},{"role":"user","content":"Who?"}]}`,
		},
		{
			name:   "no system message without instructions",
			prompt: question("Who?"),
			body:   `{"model":"test-1","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Who?"}]}`,
		},
		{
			name: "images beside their text",
			prompt: answering.Prompt{Model: "test-1", Messages: []answering.PromptMessage{
				{Role: wire.RoleUser, Text: "This?", Images: []images.Image{{ID: "i1", MediaType: "image/png", Width: 3, Height: 2, Size: 5}}},
				{Role: wire.RoleAssistant, Text: "Yes."},
				{Role: wire.RoleUser, Text: "Those?", Images: []images.Image{{ID: "i2", MediaType: "image/gif", Size: 1}, {ID: "i3", MediaType: "image/webp", Size: 2}}},
			}},
			body: `{"model":"test-1","stream":true,"stream_options":{"include_usage":true},"messages":[
				{"role":"user","content":[{"type":"text","text":"This?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBOR/8="}}]},
				{"role":"assistant","content":"Yes."},
				{"role":"user","content":[{"type":"text","text":"Those?"},{"type":"image_url","image_url":{"url":"data:image/gif;base64,YQ=="}},
					{"type":"image_url","image_url":{"url":"data:image/webp;base64,YmM="}}]}]}`,
		},
		{
			name:   "no model if none is given",
			prompt: answering.Prompt{Messages: []answering.PromptMessage{{Role: wire.RoleUser, Text: "Who?"}}},
			body:   `{"stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Who?"}]}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, says(piece(`"Me."`), ends("stop")))
			test.prompt.Files = imageFiles{"i1": []byte("\x89PNG\xff"), "i2": []byte("a"), "i3": []byte("bc")}
			require.NoError(t, read(t, m.provider(t).Answer(t.Context(), test.prompt)).err)
			require.Len(t, m.asked(), 1)
			call := m.asked()[0]
			require.Equal(t, http.MethodPost, call.method)
			require.Equal(t, "/v1/chat/completions", call.path)
			require.Equal(t, []string{"Bearer sk-test"}, call.header["Authorization"])
			require.Equal(t, []string{"application/json"}, call.header["Content-Type"])
			require.JSONEq(t, test.body, call.body)
		})
	}
}

// imageFiles are files by the ids of their images.
type imageFiles map[string][]byte

func (i imageFiles) WriteImage(_ context.Context, w io.Writer, image images.Image) error {
	content, found := i[image.ID]
	if !found {
		return fault.ErrNotFound
	}
	_, err := w.Write(content)
	return err
}

// zeros are files of any size, written in parts.
type zeros struct{}

func (zeros) WriteImage(_ context.Context, w io.Writer, image images.Image) error {
	part := make([]byte, 256<<10)
	for left := image.Size; left > 0; left -= len(part) {
		if _, err := w.Write(part[:min(left, len(part))]); err != nil {
			return err
		}
	}
	return nil
}

// Ten images of 10 MiB use no memory while they are sent, and none while the model thinks.
func TestImagesAreReadWhileTheyAreSent(t *testing.T) { // not parallel: the allocations of other tests would count
	const size = 10 << 20
	var length int64
	m := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		length, _ = io.Copy(io.Discard, r.Body)
		says(piece(`"Me."`), ends("stop"))(w, r)
	}))
	defer m.Close()
	prompt := question("What is on them?")
	prompt.Files = zeros{}
	for n := range 10 {
		prompt.Messages[0].Images = append(prompt.Messages[0].Images, images.Image{ID: fmt.Sprint(n), MediaType: "image/png", Size: size})
	}
	p, err := openai.New(openai.Config{BaseURL: m.URL})
	require.NoError(t, err)
	defer p.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, read(t, p.Answer(t.Context(), prompt)).err)
	runtime.ReadMemStats(&after)
	require.Greater(t, length, int64(10*size/3*4))
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(size), "all that was allocated on the way")
}

func TestAnImageThatIsGone(t *testing.T) {
	t.Parallel()
	m := newModel(t, says(piece(`"Me."`), ends("stop")))
	prompt := question("What is on it?")
	prompt.Files = imageFiles{}
	prompt.Messages[0].Images = []images.Image{{ID: "gone", MediaType: "image/png", Size: 1 << 20}}
	err := read(t, m.provider(t).Answer(t.Context(), prompt)).err
	require.ErrorIs(t, err, fault.ErrNotFound)
	var told *fault.Error
	require.ErrorAs(t, err, &told)
	require.Equal(t, "An image of the chat cannot be read", told.Message)
}

func TestTheStreamBecomesPieces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		stream string
		pieces []string
		finish string
	}{
		{"text and its end", first() + piece(`"Good "`) + piece(`"day 🙂"`) + ends("stop") + done, []string{"Good ", "day 🙂"}, wire.FinishStop},
		{"the model's limit", piece(`"Once upon"`) + ends("length") + done, []string{"Once upon"}, wire.FinishLength},
		{"text beside the finish reason", choice(`"delta":{"content":"All."},"finish_reason":"stop"`) + done, []string{"All."}, wire.FinishStop},
		{"empty and missing text is skipped", piece(`""`) + piece(`null`) + choice(`"delta":{}`) + piece(`"x"`) + ends("stop"), []string{"x"}, wire.FinishStop},
		{"an empty finish reason counts as none", choice(`"delta":{"content":"a"},"finish_reason":""`) + piece(`"b"`) + ends("stop"), []string{"a", "b"}, wire.FinishStop},
		{"a refusal is text", choice(`"delta":{"refusal":"I can't."}`) + ends("stop") + done, []string{"I can't."}, wire.FinishStop},
		{"reasoning is not text", choice(`"delta":{"reasoning_content":"hm","reasoning":"hm","content":null}`) + piece(`"x"`) + ends("stop"), []string{"x"}, wire.FinishStop},
		{"events without choices are skipped", "data: {\"choices\":[],\"usage\":null}\n\n" + "data: {}\n\n" + "data: null\n\n" + piece(`"x"`) + ends("stop"), []string{"x"}, wire.FinishStop},
		{"other choices are skipped", strings.Replace(piece(`"y"`), `"index":0`, `"index":1`, 1) + piece(`"x"`) + ends("stop"), []string{"x"}, wire.FinishStop},
		{"a null error counts as none", "data: {\"error\":null,\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}]}\n\n" + ends("stop"), []string{"x"}, wire.FinishStop},
		{"lines end with CRLF", strings.ReplaceAll(piece(`"x"`)+ends("stop")+done, "\n", "\r\n"), []string{"x"}, wire.FinishStop},
		{"comments and unknown fields are skipped", ": working\n\nid: 7\nretry: 10\n" + piece(`"x"`) + ":\n\n" + "event: ping\ndata: {}\n\n" + ends("stop"), []string{"x"}, wire.FinishStop},
		{"data of several lines is one event", "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"x\"},\ndata:\"finish_reason\":\"stop\"}]}\n\n", []string{"x"}, wire.FinishStop},
		{"a byte order mark loses nothing", "\ufeff" + piece(`"x"`) + ends("stop"), []string{"x"}, wire.FinishStop},
		{"what follows a finish reason counts, with its own", piece(`"a"`) + ends("stop") + piece(`"b"`) + ends("length"), []string{"a", "b"}, wire.FinishLength},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := newModel(t, streams(test.stream, closed)).ask(t)
			require.NoError(t, got.err)
			require.Equal(t, test.pieces, got.pieces)
			require.Equal(t, test.finish, got.finish)
		})
	}
}

func TestPiecesAreWholeCodePoints(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		literals []string
		pieces   []string
	}{
		{"bytes of an emoji in two events", []string{"\"a\xf0\x9f\"", "\"\x99\x82b\""}, []string{"a", "🙂b"}},
		{"bytes of an emoji in four events", []string{"\"\xf0\"", "\"\x9f\"", "\"\x99\"", "\"\x82\""}, []string{"🙂"}},
		{"halves of an escaped emoji in two events", []string{`"a\ud83d"`, `"\ude42b"`}, []string{"a", "🙂b"}},
		{"halves in capital letters", []string{`"\uD83D"`, `"\uDE42"`}, []string{"🙂"}},
		{"an escaped backslash is not a half", []string{`"\\ud83d"`, `"x"`}, []string{`\ud83d`, "x"}},
		{"a backslash before a half", []string{`"\\\ud83d"`, `"\ude42"`}, []string{`\`, "🙂"}},
		{"a half without its other half is replaced", []string{`"a\ud83d"`, `"b"`}, []string{"a", "\ufffdb"}},
		{"a half at the end is replaced", []string{`"a\ud83d"`}, []string{"a", "\ufffd"}},
		{"what is not UTF-8 is replaced", []string{"\"a\xffb\""}, []string{"a\ufffdb"}},
		{"a byte too few at the end is replaced", []string{"\"a\xc3\""}, []string{"a", "\ufffd"}},
		{"letters of two and three bytes stay", []string{`"ä"`, `"日本"`, `"é\n\t"`}, []string{"ä", "日本", "é\n\t"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var stream strings.Builder
			for _, literal := range test.literals {
				stream.WriteString(piece(literal))
			}
			got := newModel(t, streams(stream.String()+ends("stop"), closed)).ask(t)
			require.NoError(t, got.err)
			require.Equal(t, test.pieces, got.pieces)
			for _, piece := range got.pieces {
				require.True(t, utf8.ValidString(piece))
			}
		})
	}
}

func TestAMegabyteInOneEventArrives(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdef", 1<<16)
	got := newModel(t, says(piece(`"`+text+`"`), ends("stop"))).ask(t)
	require.NoError(t, got.err)
	require.True(t, text == got.text())
}

func TestAnEventOver32MiBFailsAndSaysSo(t *testing.T) {
	t.Parallel()
	got := newModel(t, says(piece(`"`+strings.Repeat("0123456789abcdef", 2<<20+1)+`"`), ends("stop"))).ask(t)
	requireCode(t, wire.CodeProviderFailed, got.err)
	require.ErrorContains(t, got.err, "after 0 events: an event of more than 32 MiB")
}

func TestTheEnvironmentIsIgnored(t *testing.T) {
	m := newModel(t, says(piece(`"x"`), ends("stop")))
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-environment", "OPENAI_ADMIN_KEY": "sk-environment", "OPENAI_BASE_URL": "http://127.0.0.1:9/environment",
		"OPENAI_ORG_ID": "environment", "OPENAI_PROJECT_ID": "environment", "OPENAI_CUSTOM_HEADERS": "X-From: environment",
	} {
		t.Setenv(name, value)
	}
	p := m.provider(t, func(c *openai.Config) { c.APIKey = "" })
	require.NoError(t, read(t, p.Answer(t.Context(), question("Hello?"))).err)
	require.Len(t, m.asked(), 1)
	require.NotContains(t, m.asked()[0].header, "Authorization")
	for name, values := range m.asked()[0].header {
		require.NotContains(t, strings.Join(values, " "), "environment", name)
	}
}

func TestReadingAgainAsksAgain(t *testing.T) {
	t.Parallel()
	m := newModel(t, says(piece(`"one"`), ends("stop")), says(piece(`"two"`), ends("stop")))
	sequence := m.provider(t).Answer(t.Context(), question("Hello?"))
	require.Empty(t, m.asked())
	require.Equal(t, "one", read(t, sequence).text())
	require.Equal(t, "two", read(t, sequence).text())
	require.Len(t, m.asked(), 2)
}

func TestConcurrentAnswersDoNotMix(t *testing.T) {
	t.Parallel()
	p := newModel(t, func(w http.ResponseWriter, r *http.Request) {
		says(piece(`"`+r.Header.Get("Authorization")+`"`), ends("stop"))(w, r)
	}).provider(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 8 {
				text := ""
				for piece, err := range p.Answer(t.Context(), question("Hello?")) {
					text += piece.Text
					if err != nil {
						text += err.Error()
					}
				}
				if text != "Bearer sk-test" {
					t.Errorf("the answer is %q", text)
				}
			}
		})
	}
	group.Wait()
}

func TestHTTP2AnswersAndFailsAlike(t *testing.T) {
	t.Parallel()
	m := newTLSModel(t, says(piece(`"x"`), ends("stop")), streams(first()+piece(`"x"`), dropped))
	p := m.provider(t, func(c *openai.Config) { c.Transport = m.Client().Transport })
	whole := read(t, p.Answer(t.Context(), question("Hello?")))
	require.NoError(t, whole.err)
	require.Equal(t, "x", whole.text())
	broken := read(t, p.Answer(t.Context(), question("Hello?")))
	requireCode(t, wire.CodeProviderFailed, broken.err)
	require.Equal(t, "x", broken.text())
	require.Len(t, m.asked(), 2)
}
