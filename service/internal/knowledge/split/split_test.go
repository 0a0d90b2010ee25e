package split_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

func passages(t *testing.T, name, source string) (read.Document, []split.Passage) {
	t.Helper()
	d, err := read.Bytes(name, []byte(source))
	require.NoError(t, err)
	all := split.Passages(d)
	units := utf16.Encode([]rune(d.Text))
	for _, p := range all {
		require.Equal(t, p.Text, string(utf16.Decode(units[p.Start:p.End])))
		require.LessOrEqual(t, len(p.Text), 1600)
		require.Equal(t, strings.Trim(p.Text, " \n"), p.Text)
	}
	return d, all
}

func sentence(n int) string { return fmt.Sprintf("Sentence %d has words, and ends here. ", n) }

func sentencesOf(n int) string {
	var text strings.Builder
	for i := range n {
		text.WriteString(sentence(i))
	}
	return strings.TrimSpace(text.String())
}

func TestPassagesFollowHeadings(t *testing.T) {
	t.Parallel()
	_, all := passages(t, "guide.md", "# Guide\n\nIntro 😀 text.\n\n## Setup\n\nDo this.\n\nThen that.\n\n### Linux\n\nApt.\n\n## Use\n\nRun.\n\n## Empty\n\n## Last\n\nEnd.")
	require.Equal(t, []split.Passage{
		{Text: "Intro 😀 text.", Start: 7, End: 21},
		{Headings: []string{"Setup"}, Text: "Do this.\n\nThen that.", Start: 30, End: 50},
		{Headings: []string{"Setup", "Linux"}, Text: "Apt.", Start: 59, End: 63},
		{Headings: []string{"Use"}, Text: "Run.", Start: 70, End: 74},
		{Text: "Empty", Start: 76, End: 81},
		{Headings: []string{"Last"}, Text: "End.", Start: 89, End: 93},
	}, all)
}

func TestLongParagraphsAreCutBetweenSentences(t *testing.T) {
	t.Parallel()
	d, all := passages(t, "long.txt", sentencesOf(200))
	require.Len(t, all, 5)
	var text []string
	for _, p := range all {
		require.True(t, strings.HasPrefix(p.Text, "Sentence ") && strings.HasSuffix(p.Text, "here."), p.Text)
		require.Greater(t, len(p.Text), 1000, "they are about equally long")
		text = append(text, p.Text)
	}
	require.Equal(t, d.Text, strings.Join(text, " "))
}

func TestShortParagraphsShareAPassageAndLongOnesDoNot(t *testing.T) {
	t.Parallel()
	_, all := passages(t, "a.txt", "One.\n\nTwo.\n\n"+sentencesOf(30)+"\n\n"+sentencesOf(30))
	require.Len(t, all, 2)
	require.True(t, strings.HasPrefix(all[0].Text, "One.\n\nTwo.\n\nSentence 0"))
}

func TestTablesAndCodeAreCutBetweenLines(t *testing.T) {
	t.Parallel()
	table := "| name | value |\n| --- | --- |\n" + strings.Repeat("| a. B | c. D |\n", 300)
	_, all := passages(t, "t.md", table)
	require.Greater(t, len(all), 1)
	for _, p := range all {
		for _, row := range strings.Split(p.Text, "\n") {
			require.Contains(t, []string{"name | value", "a. B | c. D"}, row)
		}
	}
	_, all = passages(t, "c.md", "```\n"+strings.Repeat("\tcall(x). Then(y)\n", 300)+"```\n")
	for _, p := range all {
		for _, line := range strings.Split(p.Text, "\n") {
			require.Equal(t, "call(x). Then(y)", strings.TrimSpace(line))
		}
	}
}

func TestTextWithoutSpacesIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	d, all := passages(t, "x.txt", strings.Repeat("é", 4000))
	require.Greater(t, len(all), 4)
	var text strings.Builder
	for _, p := range all {
		text.WriteString(p.Text)
	}
	require.Equal(t, d.Text, text.String())
}

func TestADocumentWithOnlyAHeadingIsAPassage(t *testing.T) {
	t.Parallel()
	_, all := passages(t, "h.md", "# Only this")
	require.Equal(t, []split.Passage{{Text: "Only this", End: 9}}, all)
}
