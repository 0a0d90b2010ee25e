package rules_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/eval"
	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

// seeds returns all texts of the test data.
func seeds(t testing.TB) []string {
	var texts []string
	for _, set := range []func(string) ([]eval.Case, error){eval.OwnMessages, eval.Secrets, eval.Phrases, eval.Spoken, eval.Pasted} {
		for _, c := range cases(t, set) {
			texts = append(texts, c.Text)
		}
	}
	return append(texts, "I", "My", "As a", "I'm", "i'm 😀 vegan", "\"I", "I'd", "call me", "from now on", "```I like tea", "I like \xff\xfe tea",
		"I have a 'cat' and \"dog", "one of my", "I've", "US", "I can", "My wife and I", "İ love tea", "password:")
}

// requireSound checks what must be true of any message.
func requireSound(t *testing.T, text string) {
	redacted := rules.Redact(text)
	require.Equal(t, redacted, rules.Redact(redacted), "redacting again changes nothing")
	units := utf16.Encode([]rune(text))
	require.Len(t, utf16.Encode([]rune(redacted)), len(units))
	at := 0
	for _, f := range rules.Detect(text) {
		require.GreaterOrEqual(t, f.Start, at, "in the order of the message")
		require.Greater(t, f.End, f.Start)
		require.LessOrEqual(t, f.End, len(units))
		at = f.Start
		require.Contains(t, []string{"preference", "fact", "context"}, f.Type)
		require.Greater(t, f.Confidence, 0.0)
		require.LessOrEqual(t, f.Confidence, 1.0)
		require.True(t, utf8.ValidString(f.Content))
		require.LessOrEqual(t, utf8.RuneCountInString(f.Content), 300)
		require.NotContains(t, f.Content, "\n")
		words := string(utf16.Decode(units[f.Start:f.End]))
		require.Equal(t, words, strings.TrimSpace(words))
		require.Equal(t, words, rules.Redact(words), "no secret in a span")
		requireFrom(t, f.Content, words)
	}
}

// requireFrom checks that the span has each word of a statement that grammar did not add:
// names, numbers and all words of four or more letters.
func requireFrom(t *testing.T, content, words string) {
	low := strings.ToLower(words)
	for _, w := range strings.FieldsFunc(strings.ToLower(content), func(r rune) bool { return r < '0' || r > '9' && r < 'a' || r > 'z' && r < 0x80 }) {
		if len(w) < 4 || grammar[w] || strings.Contains(low, w) {
			continue
		}
		stem := strings.TrimSuffix(strings.TrimSuffix(w, "s"), "e")
		require.True(t, strings.Contains(low, stem) || strings.HasSuffix(stem, "i") && strings.Contains(low, stem[:len(stem)-1]+"y"), "%q of %q is not in %q", w, content, words)
	}
}

var grammar = map[string]bool{"user": true, "their": true, "theirs": true, "them": true, "they": true, "themselves": true, "assistant": true, "itself": true, "does": true,
	"would": true, "others": true, "wants": true, "want": true, "called": true, "will": true, "have": true, "cannot": true, "both": true, "were": true, "been": true}

func FuzzDetect(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(requireSound)
}

func TestDetectIsSoundOnTheTestData(t *testing.T) {
	t.Parallel()
	texts := seeds(t)
	for i, s := range texts {
		requireSound(t, s)
		requireSound(t, s+" "+texts[(i*7+3)%len(texts)])
		requireSound(t, strings.ToUpper(s))
		requireSound(t, strings.ReplaceAll(s, " ", "\n"))
	}
}

// A clause with a secret yields nothing, whatever else it says.
func TestSecretsGiveNoMemory(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, eval.Secrets) {
		units := utf16.Encode([]rune(c.Want.(string)))
		for _, f := range rules.Detect(c.Text) {
			require.NotContains(t, string(utf16.Decode(units[f.Start:f.End])), "•", c.Name)
			require.NotContains(t, f.Content, "•", c.Name)
		}
	}
	require.Equal(t, []eval.Statement{{Type: "fact", Content: "User lives in Oslo", Words: "I live in Oslo"}},
		eval.Statements("I live in Oslo and my password is hunter2."))
}
