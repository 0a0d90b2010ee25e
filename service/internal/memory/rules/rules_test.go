package rules_test

import (
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/memory/eval"
	"github.com/chatsdk/chatsdk/service/internal/memory/rules"
)

// cases reads a set of package eval.
func cases(t testing.TB, read func(folder string) ([]eval.Case, error)) []eval.Case {
	t.Helper()
	all, err := read("..")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

func TestSets(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(string) ([]eval.Case, error){
		"messages": eval.OwnMessages, "secrets": eval.Secrets, "pasted": eval.Pasted,
	} {
		for _, c := range cases(t, set) {
			t.Run(name+"/"+c.Name, func(t *testing.T) { require.Equal(t, c.Want, c.Got) })
		}
	}
}

func TestRedactKeepsPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, eval.Secrets) {
		redacted := rules.Redact(c.Text)
		require.Equal(t, redacted, rules.Redact(redacted), "redacting again changes nothing: %s", c.Name)
		require.Len(t, utf16.Encode([]rune(redacted)), len(utf16.Encode([]rune(c.Text))), c.Name)
	}
}
