package english_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		want []string // joined with spaces, the text
	}{
		{"three marks", []string{"It works.", "Does it?", "Yes!"}},
		{"titles and initials", []string{"Dr. Smith met J. R. Brown at St. Mary's.", "They talked."}},
		{"decimals and versions", []string{"Version 3.5 costs 1.20 euros.", "It is new."}},
		{"addresses", []string{"See example.com or go.dev for more.", "Then stop."}},
		{"an abbreviation inside", []string{"Fruit, e.g. Apples, and vegetables, i.e. Beans.", "Good."}},
		{"an abbreviation at the end", []string{"He lived in the U.S.", "He liked it."}},
		{"an abbreviation before a name", []string{"The U.S. Navy came at 5 p.m. Eastern time."}},
		{"quotes close the sentence", []string{"He said “Stop.”", "She did not."}},
		{"a quote that goes on", []string{`"Stop!" he cried.`, "They ran."}},
		{"dots that go on", []string{"Well... not quite.", "Fine…", "Next."}},
		{"notes", []string{"It fell.[12]", "It rose.[citation needed] Then it stayed.:2–10", "End."}},
		{"a company", []string{"Apple Inc. Developed it in Cupertino.", "It was called AppleTalk."}},
		{"about a year", []string{"Built c. 1390 by monks.", "Burnt later."}},
		{"other scripts", []string{"今日は晴れ。", "明日は雨！"}},
		{"a lower case word starts no sentence", []string{"The iPhone vs. the rest of them etc. and more."}},
		{"German", []string{"Das ist z.B. Dr. Meier.", "Er kommt."}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Join(row.want, " ")
			require.Equal(t, row.want, cut(text))
		})
	}
}

func TestSentencesEndWithTheirBlock(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Heading", "Text that\ngoes on.", "- one", "- two", "a | b"}, cut("Heading\n\nText that\ngoes on.\n- one\n- two\na | b"))
	require.Empty(t, cut(" \n\t "))
}

func cut(text string) []string {
	var all []string
	for _, span := range english.Sentences(text) {
		all = append(all, text[span.Start:span.End])
	}
	return all
}

func FuzzSentencesLoseNothing(f *testing.F) {
	f.Add("A. b?! “C.” [1] \n\n- d \xff。")
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, strings.Join(strings.Fields(text), ""), strings.Join(strings.Fields(strings.Join(cut(text), "")), ""))
	})
}
