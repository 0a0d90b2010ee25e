package openai_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
)

var thinking = []struct{ name, text, want string }{
	{"before the answer", "<think>Hm.\nSo.</think>\n\nGood answer", "Good answer"},
	{"after blanks", "\n <think></think>\nGood answer", "Good answer"},
	{"twice", "<think>a</think>\n<think>b</think>\nGood answer", "Good answer"},
	{"between paragraphs", "Good.\n<think>Hm.</think>\nanswer", "Good.\n\nanswer"},
	{"of other servers", "[THINK]Hm.[/THINK]Good answer", "Good answer"},
	{"harmony", "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Good answer", "Good answer"},
	{"that does not end", "<think>Hm.", ""},
	{"an end alone", "Hm.\n</think>\nGood answer", "Hm.\n\nGood answer"},
	{"a word about the tag", "Write <think> there, and `</think>`.", "Write <think> there, and `</think>`."},
	{"in a fence", "So:\n```\n<think>\n</think>\n```\n", "So:\n```\n<think>\n</think>\n```\n"},
	{"a tag that does not end in a text", "Remove\n<think>\nfrom it.", "Remove\n<think>\nfrom it."},
	{"a beginning at the end", "Good\n<thi", "Good\n<thi"},
	{"other tags", "<thorough>[THING]<b>", "<thorough>[THING]<b>"},
	{"many blanks before text", strings.Repeat(" ", 5000) + "Good", strings.Repeat(" ", 1024) + "Good"},
	{"blanks alone", " \n", ""},
	{"blanks before text", "\n  Good", "\n  Good"},
}

func TestReasoningInTheTextIsRemoved(t *testing.T) {
	t.Parallel()
	for _, test := range thinking {
		require.Equal(t, test.want, openai.WithoutThoughts(test.text), test.name)
		require.Equal(t, test.want, openai.WithoutThoughts(strings.Split(test.text, "")...), test.name)
	}
}

// Wherever a text is cut, the rest is the same.
func FuzzThoughts(f *testing.F) {
	for _, test := range thinking {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip("a piece is whole code points")
		}
		want := openai.WithoutThoughts(text)
		require.LessOrEqual(t, len(want), len(text))
		require.Equal(t, want, openai.WithoutThoughts(strings.Split(text, "")...))
		for at := range text {
			require.Equal(t, want, openai.WithoutThoughts(text[:at], text[at:]), "cut at %d", at)
		}
	})
}
