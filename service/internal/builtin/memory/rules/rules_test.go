package rules_test

import (
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/eval"
	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

// cases reads a set of package eval.
func cases(t testing.TB, read func(folder string) ([]eval.Case, error)) []eval.Case {
	t.Helper()
	all, err := read("../../../memory")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

func TestSets(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(string) ([]eval.Case, error){
		"messages": eval.OwnMessages, "secrets": eval.Secrets, "phrases": eval.Phrases, "spoken": eval.Spoken, "pasted": eval.Pasted,
	} {
		for _, c := range cases(t, set) {
			t.Run(name+"/"+c.Name, func(t *testing.T) { require.Equal(t, c.Want, c.Got) })
		}
	}
}

func TestRedactKeepsPositions(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, eval.Secrets) {
		redacted := rules.Redact(c.Text)
		require.Equal(t, redacted, rules.Redact(redacted), "redacting again changes nothing: %s", c.Name)
		require.Len(t, utf16.Encode([]rune(redacted)), len(utf16.Encode([]rune(c.Text))), c.Name)
	}
}

// People say many things after "password is", and name whose password it is.
func TestSecretsInOtherWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Das Passwort meiner Frau ist Regenwurm":         "Das Passwort meiner Frau ist •••••••••",
		"nom d'utilisateur anna, mot de passe Regenwurm": "nom d'utilisateur anna, mot de passe •••••••••",
		"Meine Pin lautet: 4 9 2 1":                      "Meine Pin lautet: •••••••",
		"mein Passwort ist seit 2019 gleich":             "mein Passwort ist seit 2019 gleich",
		"Mein Passwort ist leider sehr einfach":          "Mein Passwort ist leider sehr einfach",
		"Ich habe 300 Schlüssel in der Werkstatt":        "Ich habe 300 Schlüssel in der Werkstatt",
		"Le jeton coûte 200 euros":                       "Le jeton coûte 200 euros",
	} {
		require.Equal(t, want, rules.Redact(text))
	}
}

// The finding before a secret does not include the secret's name.
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

// A message in another language has no findings, even if some of its words look English.
func TestOtherLanguagesAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Ich bin Anna, ich wohne in Bonn und I like Kaffee nicht", "Mój pies to husky, i love je bardzo, ale nie koty", "Я живу в Москве. I love Rust",
		"Je suis végétarien et my favourite plat est la ratatouille, mais pas le dessert",
	} {
		require.Empty(t, rules.Detect(text), text)
	}
	require.NotEmpty(t, rules.Detect("I live in Bonn. How do I say 'ich bin müde' there?"))
}
