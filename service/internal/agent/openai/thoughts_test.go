package openai_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
)

var thinking = []struct{ name, text, want, thought string }{
	{"before the answer", "<think>Hm.\nSo.</think>\n\nGood answer", "Good answer", "Hm.\nSo."},
	{"after blanks", "\n <think></think>\nGood answer", "Good answer", ""},
	{"twice", "<think>a</think>\n<think>b</think>\nGood answer", "Good answer", "ab"},
	{"between paragraphs", "Good.\n<think>Hm.</think>\nanswer", "Good.\n\nanswer", "Hm."},
	{"of other servers", "[THINK]Hm.[/THINK]Good answer", "Good answer", "Hm."},
	{"harmony", "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Good answer", "Good answer", "Hm.<|end|><|start|>assistant"},
	{"that does not end", "<think>Hm.", "", "Hm."},
	{"an end alone", "Hm.\n</think>\nGood answer", "Hm.\n\nGood answer", ""},
	{"a word about the tag", "Write <think> there, and `</think>`.", "Write <think> there, and `</think>`.", ""},
	{"in a fence", "So:\n```\n<think>\n</think>\n```\n", "So:\n```\n<think>\n</think>\n```\n", ""},
	{"a tag that does not end in a text", "Remove\n<think>\nfrom it.", "Remove\n<think>\nfrom it.", ""},
	{"a beginning at the end", "Good\n<thi", "Good\n<thi", ""},
	{"other tags", "<thorough>[THING]<b>", "<thorough>[THING]<b>", ""},
	{"many blanks before text", strings.Repeat(" ", 5000) + "Good", strings.Repeat(" ", 1024) + "Good", ""},
	{"blanks alone", " \n", "", ""},
	{"blanks before text", "\n  Good", "\n  Good", ""},
}

func TestReasoningInTheTextIsToldFromIt(t *testing.T) {
	t.Parallel()
	for _, test := range thinking {
		for _, pieces := range [][]string{{test.text}, strings.Split(test.text, "")} {
			said, thought := openai.Thoughts(pieces...)
			require.Equal(t, test.want, said, test.name)
			require.Equal(t, test.thought, thought, test.name)
		}
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
		want, thought := openai.Thoughts(text)
		require.LessOrEqual(t, len(want)+len(thought), len(text))
		same := func(pieces ...string) {
			said, thoughts := openai.Thoughts(pieces...)
			require.Equal(t, want, said)
			require.Equal(t, thought, thoughts)
			require.True(t, utf8.ValidString(thoughts))
		}
		same(strings.Split(text, "")...)
		for at := range text {
			same(text[:at], text[at:])
		}
	})
}
