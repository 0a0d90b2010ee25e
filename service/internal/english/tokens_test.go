package english_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, want string }{
		{"contractions are two", "I'm sure you’re right, and she doesn't", "i am sure you are right , and she does not"},
		{"without their apostrophe too", "im vegan, dont ask; lets go, gonna sleep", "i am vegan , do not ask , let us go , going to sleep"},
		{"irregular ones", "can't won't cannot ain't shan't", "can not will not can not am not shall not"},
		{"'d and 's stay", "I'd say Zoë's", "i 'd say zoë 's"},
		{"hyphens and signs join words", "my mother-in-law's $5, 24/7, C++ and C#, 20%", "my mother-in-law 's $5 , 24/7 , c++ and c# , 20%"},
		{"an address is one", "ana@example.com, node.js", "ana@example.com , node.js"},
		{"a sentence begins", "Tea. i like it! Yes\nno", "| tea | i like it | yes | no"},
		{"no sentence begins after an abbreviation", "I met Dr. Lee, e.g. at 5 p.m. today or on No. 5", "i met dr lee , e.g at 5 p.m today or on no 5"},
		{"a sentence begins after what is not an abbreviation there", "No. I live in the U.S. It is nice", "| no | i live in the u s | it is nice"},
		{"a sentence begins after a list number", "1. I sing", "| 1 | i sing"},
		{"a question mark is noted", "why? because", "| why ? | because"},
		{"a dash pauses", "tea - no (never)", "tea , no , never"},
		{"the country is not a pronoun", "the US, us", "the usa , us"},
		{"marks are no tokens", "?! …", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			for i, token := range english.Tokens(row.text) {
				if token.First && (i > 0 || strings.HasPrefix(row.want, "|")) {
					got.WriteString("| ")
				}
				if token.Pause() {
					got.WriteString(", ")
				}
				got.WriteString(token.Word + " ")
				if token.Asked {
					got.WriteString("? ")
				}
			}
			require.Equal(t, row.want, strings.TrimSpace(got.String()))
		})
	}
}

func FuzzTokensAreInTheText(f *testing.F) {
	f.Add("I'm İ'll gonna “don’t” \xff 5p.m. $a's")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, token := range english.Tokens(text) {
			require.GreaterOrEqual(t, token.Start, end)
			require.GreaterOrEqual(t, token.End, token.Start)
			require.Equal(t, text[end:token.Start], token.Gap)
			end = token.End
		}
	})
}
