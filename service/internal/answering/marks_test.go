package answering_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// marked are answers to a prompt with five passages.
var marked = []struct {
	name, text, want string // an empty want is the text unchanged
	cited            []int
}{
	{"after a sentence", "It sails at nine. [1] It is red. [3]", "It sails at nine. It is red.", []int{1, 3}},
	{"before the full stop", "It sails at nine [1].", "It sails at nine.", []int{1}},
	{"without a space", "It sails.[2]\nIt is red.[1]\n", "It sails.\nIt is red.\n", []int{1, 2}},
	{"several", "A [1][2], b [3] [4]; c [1, 2; 5]. D [1], [2], and e.", "A, b; c. D, and e.", []int{1, 2, 3, 4, 5}},
	{"in a list and in bold", "- **Red** [1]\n- Blue. [2]\n\n| a | b [3] |", "- **Red**\n- Blue.\n\n| a | b |", []int{1, 2, 3}},
	{"after code", "Use `a[1]` [2].", "Use `a[1]`.", []int{2}},
	{"in a script without spaces", "船九点开[1]。", "船九点开。", []int{1}},
	{"in an item with several lines", "1. One\n\n    More. [1]", "1. One\n\n    More.", []int{1}},
	{"numbers that no passage has", "See. [6] See [12], [0], [1, 6] and [007].", "", nil},
	{"touching a word", "Take a[1], list[2][3] and x_[1].", "", nil},
	{"inline code", "Call `f([1, 2]) + [1]` or ``a ` [1] ``.", "", nil},
	{"a fence", "So:\n\n```js\nreturn [1, 2]\n```\n\n~~~\n``` [1]\n~~~~\n", "", nil},
	{"a fence in a list", "1. ```js\n   return [1]\n   ```\n2. Red. [2]", "1. ```js\n   return [1]\n   ```\n2. Red.", []int{2}},
	{"an indented block", "So:\n\n    return [1]\n\treturn [2]\n", "", nil},
	{"links", "[text](url) and [1](https://a.example/) and ![1](a.png) and [see][1] and [see] [1].", "", nil},
	{"definitions", "Said.\n\n[1]: https://a.example/\n  [2]: https://b.example/\n[^1]: By her.\n- [3] A title", "", nil},
	{"footnotes", "Said.[^1] And[^2], too [^3^].\n\n[^1]: By her.", "Said. And, too.\n\n[^1]: By her.", []int{1, 2, 3}},
	{"lenticular brackets", "It sails【1】 at nine【2†source】. Red【3†L1-L5】【4】.", "It sails at nine. Red.", []int{1, 2, 3, 4}},
	{"full width", "船九点开［1］。", "船九点开。", []int{1}},
	{"with a word", "At nine [source 1]. Red [Source: 2]. A [Doc. 3], b [citation:4] and c [cite: 1, 5].", "At nine. Red. A, b and c.", []int{1, 2, 3, 4, 5}},
	{"with a word in other languages", "Um neun [Quelle 1]. A las nueve [fuente 2]. 九点[来源3]。", "Um neun. A las nueve. 九点。", []int{1, 2, 3}},
	{"with a word in parentheses", "At nine (source 1). Red (Source: [2]). Blue (Sources 3 and 4).", "At nine. Red. Blue.", []int{1, 2, 3, 4}},
	{"ranges", "At nine [1-2]. Red [4–5].", "At nine. Red.", []int{1, 2, 4, 5}},
	{"several in one", "At nine [1, source 2; 3 and 4].", "At nine.", []int{1, 2, 3, 4}},
	{"two brackets, a number sign, and raised", "At nine [[1]]. Red [#2]. Blue<sup>[3]</sup>.", "At nine. Red. Blue.", []int{1, 2, 3}},
	{"what looks like one of these", "Of [2-1], [1-9], [sources], [source 6], (1), (see 1), (source), (source code 1), " +
		"【abc】, 【9】, <sup>2</sup>, m[[1]] and a[^1]+.", "", nil},
	{"these in code", "Use `a[^1]`, `【1】` and `(source 1)`.", "", nil},
	{"these at the beginning of a line", "【1】 Red\n［2］ Blue\n(source 3) Green", "", nil},
	{"these as links", "See [source 1](https://a.example/) and [[1]](https://a.example/).", "", nil},
	{"operators", "x = [1, 2], f([1]), {[1]}, $[1, 2]$, \\[1] and 3 + [1]", "", nil},
	{"a word continues", "The [1]st and [2]b.", "", nil},
	{"no mark at all", "[] [a] [ 1 ] [1 [1, [-1] [1.5] ,[", "", nil},
	{"a beginning at the end", "Red. [1", "", nil},
	{"nothing", "", "", nil},
}

func TestMarksAreRemoved(t *testing.T) {
	t.Parallel()
	for _, test := range marked {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := test.want
			if want == "" {
				want = test.text
			}
			out, cited := answering.Unmarked(5, test.text)
			require.Equal(t, want, strings.Join(out, ""))
			require.Equal(t, test.cited, cited)
		})
	}
}

// Only text that may begin a mark waits for the next piece.
func TestOnlyWhatMayBeAMarkIsHeldBack(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		pieces, want []string
	}{
		{"words", []string{"One two", " three", "."}, []string{"One two", " three", ".", ""}},
		{"a space", []string{"One ", "two"}, []string{"One", " two", ""}},
		{"a mark in pieces", []string{"One", " ", "[", "1", "]", "."}, []string{"One", "", "", "", "", ".", ""}},
		{"a list in pieces", []string{"x = ", "[", "1", "]"}, []string{"x = ", "[", "1", "]", ""}},
		{"a number that no passage has", []string{"One [1", "2", "]"}, []string{"One", " [12", "]", ""}},
		{"code", []string{"`a ", "[", "1", "]`"}, []string{"`a ", "[", "1", "]`", ""}},
		{"a mark with a word in pieces", []string{"One", " (", "sou", "rce 1", ")", "."}, []string{"One", "", "", "", "", ".", ""}},
		{"a word in parentheses", []string{"One", " (", "so", "x", ")"}, []string{"One", "", "", " (sox", ")", ""}},
		{"the end", []string{"One ["}, []string{"One", " ["}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, _ := answering.Unmarked(5, test.pieces...)
			require.Equal(t, test.want, out)
		})
	}
}

// Wherever a text is cut, the output and the citations are the same.
func FuzzMarks(f *testing.F) {
	for _, test := range marked {
		f.Add(test.text, uint8(5), uint64(0x5555_5555_5555_5555))
	}
	f.Fuzz(func(t *testing.T, text string, passages uint8, cuts uint64) {
		if !utf8.ValidString(text) {
			t.Skip("a piece is whole code points")
		}
		n := int(passages)%12 + 1
		want, cited := answering.Unmarked(n, text)
		whole := strings.Join(want, "")
		require.LessOrEqual(t, len(whole), len(text))
		again, _ := answering.Unmarked(n, strings.Split(text, "")...)
		require.Equal(t, whole, strings.Join(again, ""), "cut after each character")
		var pieces []string
		last := 0
		for at := range text {
			if cuts&(1<<(at%64)) != 0 {
				pieces, last = append(pieces, text[last:at]), at
			}
			halves, numbers := answering.Unmarked(n, text[:at], text[at:])
			require.Equal(t, whole, strings.Join(halves, ""), "cut at %d", at)
			require.Equal(t, cited, numbers)
		}
		out, numbers := answering.Unmarked(n, append(pieces, text[last:])...)
		require.Equal(t, whole, strings.Join(out, ""))
		require.Equal(t, cited, numbers)
	})
}
