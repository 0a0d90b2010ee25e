package eval

import (
	"fmt"
	"io"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

// Voice is a message with a label: whose words it has.
type Voice struct{ ID, Class, Text string }

// Foreign are messages with somebody else's words, an instruction or an address.
func Foreign(folder string) ([]Voice, error) {
	return read[Voice](folder, "../builtin/memory/rules/testdata/foreign.jsonl")
}

// Later are more such messages, without a class. They were written after the code, to find
// what it did not recognise; after that the code was changed with all of them in view.
func Later(folder string) ([]Voice, error) {
	return read[Voice](folder, "../builtin/memory/rules/testdata/later.jsonl")
}

// Plain are messages in which people speak about themselves in their own words.
func Plain(folder string) ([]Voice, error) {
	return read[Voice](folder, "../builtin/memory/rules/testdata/plain.jsonl")
}

// Public are the messages of public data that hold a memory. Their writers did not think of
// this test.
func Public(folder string) ([]Voice, error) {
	messages, err := Messages(folder)
	var all []Voice
	for _, m := range messages {
		if m.Memorable {
			all = append(all, Voice{ID: m.ID, Text: m.Text})
		}
	}
	return all, err
}

// Approvals count what happens to messages if memories are approved automatically.
type Approvals struct {
	Messages int
	Found    int // those with a finding
	// Approved counts those with a finding that nobody would look at, Whole those
	// with no finding that anybody would look at.
	Approved, Whole int
}

// Add scores the findings of one message.
func (a *Approvals) Add(text string, findings []rules.Finding) {
	a.Messages++
	if len(findings) == 0 {
		return
	}
	a.Found++
	plain := 0
	for m, i := rules.Read(text), 0; i < len(findings); i++ {
		if f := findings[i]; m.Doubt(f.Content, f.Start, f.End) == "" {
			plain++
		}
	}
	if plain > 0 {
		a.Approved++
	}
	if plain == len(findings) {
		a.Whole++
	}
}

// ScoreVoices returns the figures of the half that the code was tuned on, of the
// other, and of all.
func ScoreVoices(all []Voice) (seen, unseen, whole Approvals) {
	for _, v := range all {
		findings := rules.Detect(v.Text)
		whole.Add(v.Text, findings)
		if Seen(v.ID) {
			seen.Add(v.Text, findings)
		} else {
			unseen.Add(v.Text, findings)
		}
	}
	return seen, unseen, whole
}

// printVoices writes how many memories of both sets would be approved without a review.
func printVoices(to io.Writer, folder string) error {
	if _, err := fmt.Fprintf(to, "\n%-36s %8s %8s %18s\n", "whose words", "messages", "found", "auto-approved"); err != nil {
		return err
	}
	for _, set := range []struct {
		name     string
		read     func(folder string) ([]Voice, error)
		approved func(Approvals) int
	}{
		{"somebody else's", Foreign, func(a Approvals) int { return a.Approved }},
		{"somebody else's, tried later", Later, func(a Approvals) int { return a.Approved }},
		{"the user's own", Plain, func(a Approvals) int { return a.Whole }},
		{"public, with a memory", Public, func(a Approvals) int { return a.Whole }},
	} {
		all, err := set.read(folder)
		if err != nil {
			return err
		}
		seen, unseen, whole := ScoreVoices(all)
		for _, half := range []struct {
			name string
			Approvals
		}{{"even half", seen}, {"odd half", unseen}, {"all", whole}} {
			_, err := fmt.Fprintf(to, "%-36s %8d %8d %18d\n", set.name+", "+half.name, half.Messages, half.Found, set.approved(half.Approvals))
			if err != nil {
				return err
			}
		}
	}
	return nil
}
