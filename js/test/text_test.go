package test_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// Texts come back as they were sent, through the form, the model, the stream and
// the database.
func TestTextsOfEveryKind(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		// stored is what the service stores, if it differs from the text.
		stored string
	}{
		{name: "emoji", text: "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽"},
		{name: "right to left", text: "שלום עולם مرحبا \u202eabc\u202c"},
		{name: "Chinese, Thai and combining marks", text: "汉字 ไทย e\u0301 Z̸̢a̶l̷g̵o̸"},
		{name: "controls", text: "a\u0001\u0007\u001b[31m\u007f\u0085b"},
		{name: "line and paragraph separators", text: "a\u2028b\u2029c"},
		{name: "a byte order mark", text: "\ufeffa\ufeffb"},
		{name: "JSON and HTML", text: `{"a": "\u0000\\"} <script>alert(1)</script> &amp; </textarea>`},
		{name: "what looks like an event stream", text: "data: {}\n\nevent: end\n\n: comment"},
		{name: "what looks like a form", text: "--boundary\nContent-Disposition: form-data; name=\"project_id\"\n\nx"},
		{name: "percent and plus", text: "100%+ %20 %zz"},
		{name: "line ends", text: "a\r\nb\rc\nd", stored: "a\nb\nc\nd"},
		{name: "blanks at both ends", text: "  a\t\n  "},
		{name: "32,000 characters", text: strings.Repeat("😀ab", 32_000/3) + "cd"},
	}
	service := suite.Service(t, append(test.NewModel(t).Env(), "AGENTS="+agents(t, "agents: [{id: a, name: A, window: 100000}]"), "METADATA_BYTES=0")...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := p.For(t)
			want := tt.stored
			if want == "" {
				want = tt.text
			}
			chatID := test.Eval[string](p, `return (await sdk.createChat($1)).chat_id`, "c")
			got := test.Eval[streamed](p, `return kit.stream(sdk, $1, {chatId: $2, metadata: {text: $1}})`, tt.text, chatID)
			requireCompleted(t, got)
			requireSameText(t, want, got.Text)
			requireSameText(t, want, test.Eval[string](p, `return (await sdk.sendMessage($1, {chatId: $2})).message.content`, tt.text, chatID))
			messages := historyOf(p, chatID).Messages
			require.Len(t, messages, 4)
			for _, m := range messages {
				requireSameText(t, want, m.Content)
			}
			require.Equal(t, map[string]any{"text": tt.text}, messages[0].Metadata, "JSON keeps line ends")
		})
	}
}

// requireSameText shows where two texts first differ, instead of all of both.
func requireSameText(t *testing.T, want, got string) {
	t.Helper()
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	require.True(t, want == got, "of %d and %d bytes the first %d are the same, then comes %.60q, want %.60q", len(want), len(got), i, got[i:], want[i:])
}

// agents writes a file of agents for the setting AGENTS.
func agents(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "agents.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestNamesOfEveryKind(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	for _, name := range []string{"👩‍👩‍👧 \"quoted\" \\ back", "שלום", "a\u2028b", "<b>bold</b>", "line\nend", "\u0001"} {
		got := test.Eval[[]string](p, `
			const { chat_id, name } = await sdk.createChat($1);
			await sdk.updateChatName(chat_id, "between");
			await sdk.updateChatName(chat_id, $1);
			return [name, (await sdk.getChatHistory(chat_id)).name, (await sdk.listChats()).chats[0].name];`, name)
		require.Equal(t, []string{name, name, name}, got)
	}
}

// UTF-8 cannot encode half a surrogate pair: it becomes U+FFFD.
func TestHalfACharacter(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	require.Equal(t, "a\ufffdb", test.Eval[string](p, `return (await sdk.sendMessage("a\ud83db")).message.content`))
	require.Equal(t, "a\ufffdb", test.Eval[string](p, `return (await sdk.createChat("a\ude00b")).name`))
}

// A NUL is refused, since not every store can keep it.
func TestNULIsRefused(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	requireAPIError(t, test.Eval[failure](p, `return kit.failure(sdk.sendMessage("a\u0000b"))`), 400, "VALIDATION_ERROR")
	requireAPIError(t, test.Eval[failure](p, `return kit.failure(sdk.createChat("a\u0000b"))`), 400, "VALIDATION_ERROR")
}
