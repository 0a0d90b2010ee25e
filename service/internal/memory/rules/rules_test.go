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
		"messages": eval.OwnMessages, "secrets": eval.Secrets, "phrases": eval.Phrases, "pasted": eval.Pasted,
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

// What stands before a secret is said without the secret's name.
func TestANameBesideASecret(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]eval.Statement{
		"My name is Ada and my passcode: 9911":               {Type: "fact", Content: "User's name is Ada", Words: "My name is Ada"},
		"My name is Ada and my passcode 991155":              {Type: "fact", Content: "User's name is Ada", Words: "My name is Ada"},
		"I live in Oslo and my PIN: 4921":                    {Type: "fact", Content: "User lives in Oslo", Words: "I live in Oslo"},
		"I live in Oslo, my bank password: tulips":           {Type: "fact", Content: "User lives in Oslo", Words: "I live in Oslo"},
		"I live in Nice and I use the password Xy93! always": {Type: "fact", Content: "User lives in Nice", Words: "I live in Nice"},
	} {
		require.Equal(t, []eval.Statement{want}, eval.Statements(message), message)
	}
}
