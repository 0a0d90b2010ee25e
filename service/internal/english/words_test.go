package english_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

func TestWordsOfAText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text, want string
	}{
		{"marks are left out", "Who, then, was it?", "who then was it"},
		{"a number keeps its point and loses its thousands separators", "3.5 of 1,300,000.", "3.5 of 1300000"},
		{"an apostrophe joins, and a possessive is dropped", "Newton's law doesn’t hold", "newton law doesn't hold"},
		{"hyphens separate", "high-pressure", "high pressure"},
		{"accents are dropped", "Łazienki café naïve", "łazienki cafe naive"},
		{"other scripts are words", "Привет мир 你好", "привет мир 你好"},
		{"invalid UTF-8 separates words", "a\xffb 0\xfb", "a b 0"},
		{"marks are no words", "?! — … ''", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var plain []string
			for _, w := range english.Of(row.text) {
				plain = append(plain, w.Plain)
				require.Equal(t, w.Text, row.text[w.Start:w.End])
			}
			require.Equal(t, row.want, strings.Join(plain, " "))
		})
	}
}

func TestFormsOfAWordShareAStem(t *testing.T) {
	t.Parallel()
	for _, forms := range []string{
		"patent patents patented", "find found finding", "write wrote written writes", "child children",
		"build built building", "city cities", "win won",
	} {
		all := english.Of(forms)
		for _, w := range all {
			require.Equal(t, all[0].Stem, w.Stem, forms)
		}
	}
	require.Equal(t, strings.Repeat("y", 5000), english.Stem(strings.Repeat("y", 5000)), "no word is that long")
}

func FuzzWordsAreInTheText(f *testing.F) {
	f.Add("a'b 1,2.3 \xff\xcc’s ’")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, w := range english.Of(text) {
			require.GreaterOrEqual(t, w.Start, end)
			require.Greater(t, w.End, w.Start)
			require.Equal(t, text[w.Start:w.End], w.Text)
			end = w.End
		}
	})
}

// Stems returns the same stems as Of, with and without words seen before.
func TestStemsAgreeWithOf(t *testing.T) {
	t.Parallel()
	known := map[string]string{}
	for range 2 {
		for _, text := range []string{"", "Herons eat the heron's 1,000 fish; they ate.", "Über don’t 3.5 über", "went going"} {
			var want []string
			for _, word := range english.Of(text) {
				want = append(want, word.Stem)
			}
			require.Equal(t, want, slices.Collect(english.Stems(text, known)))
		}
	}
}
