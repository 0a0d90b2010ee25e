package eval

import (
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

// Case is a text of a set that is compared exactly.
type Case struct {
	Name string
	Text string
	// Want is the expected result, and Got the actual one, of the same type.
	Want, Got any
}

// Right reports whether Got equals Want.
func (c Case) Right() bool { return reflect.DeepEqual(c.Want, c.Got) }

// Statement is a finding as the sets write it.
type Statement struct {
	Type    string `json:"type"`
	Content string `json:"content"`
	// Words are the words of the message that it comes from.
	Words string `json:"words"`
}

// Statements returns the findings of the embedded detector in a text, never nil.
func Statements(text string) []Statement {
	found := []Statement{}
	units := utf16.Encode([]rune(text))
	for _, f := range rules.Detect(text) {
		found = append(found, Statement{f.Type, f.Content, string(utf16.Decode(units[f.Start:f.End]))})
	}
	return found
}

// OwnMessages compares statement, type and words of every finding.
func OwnMessages(folder string) ([]Case, error) {
	type message struct {
		Text     string
		Findings []Statement
	}
	return cases(folder, "../builtin/memory/rules/testdata/messages.jsonl", func(m message) Case {
		return Case{m.Text, m.Text, m.Findings, Statements(m.Text)}
	})
}

// Secrets compares texts after their secrets are hidden. Texts named "not: …" hold no
// secret.
func Secrets(folder string) ([]Case, error) {
	type secret struct{ Name, Text, Redacted string }
	return cases(folder, "../builtin/memory/rules/testdata/secrets.jsonl", func(s secret) Case {
		return Case{s.Name, s.Text, s.Redacted, rules.Redact(s.Text)}
	})
}

// Pasted are pasted, quoted, role-play and hypothetical texts, in which nothing may be
// found.
func Pasted(folder string) ([]Case, error) {
	type pasted struct{ Kind, Text string }
	return cases(folder, "../builtin/memory/rules/testdata/pasted.jsonl", func(p pasted) Case {
		return Case{p.Kind + " " + p.Text, p.Text, []Statement{}, Statements(p.Text)}
	})
}

func cases[T any](folder, name string, judge func(T) Case) ([]Case, error) {
	lines, err := read[T](folder, name)
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, line := range lines {
		all = append(all, judge(line))
	}
	return all, nil
}

// printExact writes how many cases of each set are right.
func printExact(to io.Writer, folder string) error {
	if _, err := fmt.Fprintf(to, "\n%-36s %6s %6s %6s\n", "our own texts, compared exactly", "texts", "right", "share"); err != nil {
		return err
	}
	for _, set := range []struct {
		name  string
		cases func(folder string) ([]Case, error)
	}{{"messages", OwnMessages}, {"secrets", Secrets}, {"secrets in seven languages", Phrases}, {"secrets, German and French", Spoken},
		{"pasted, role play", Pasted}} {
		all, err := set.cases(folder)
		if err != nil {
			return err
		}
		right := 0
		for _, c := range all {
			if c.Right() {
				right++
			}
		}
		if _, err := fmt.Fprintf(to, "%-36s %6d %6d %6.3f\n", set.name, len(all), right, share(right, len(all))); err != nil {
			return err
		}
	}
	return nil
}

// marks are around a secret in a phrase.
var marks = regexp.MustCompile(`\[\[(.*?)\]\]`)

// Phrases compares sentences in seven languages after their secrets are hidden. The secret
// is between double brackets; some sentences only mention secrets.
func Phrases(folder string) ([]Case, error) {
	return phrases(folder, "../builtin/memory/rules/testdata/phrases.jsonl")
}

// Spoken are more such sentences, in German and French.
func Spoken(folder string) ([]Case, error) {
	return phrases(folder, "../builtin/memory/rules/testdata/spoken.jsonl")
}

func phrases(folder, name string) ([]Case, error) {
	type phrase struct{ Language, Text string }
	return cases(folder, name, func(p phrase) Case {
		text := marks.ReplaceAllString(p.Text, "$1")
		blotted := marks.ReplaceAllStringFunc(p.Text, func(secret string) string {
			return strings.Repeat("•", len(utf16.Encode([]rune(secret)))-len("[[]]"))
		})
		return Case{p.Language + " " + p.Text, text, blotted, rules.Redact(text)}
	})
}
