package answering

import "strings"

// Mark is a mark that was removed from the text of an answer. Later prompts have it again: a model that does not see
// that it cited stops citing.
type Mark struct {
	// At is how many bytes of the text precede it.
	At   int    `json:"at"`
	Text string `json:"text"`
}

// mostMarks is how many bytes the marks of an answer have that are kept.
const mostMarks = 8 << 10

// Marks are those of the model's text in this round.
func (d *Draft) Marks() (all []Mark) {
	if d.marks == nil {
		return nil
	}
	before, bytes := d.Text.Len()-d.Said.Len(), 0
	for _, mark := range d.marks.taken {
		if bytes += len(mark.Text); bytes > mostMarks || mark.At > d.Said.Len() {
			break
		}
		all = append(all, Mark{before + mark.At, mark.Text})
	}
	return all
}

// marked returns the messages with their marks.
func marked(messages []PromptMessage) (all []PromptMessage) {
	for _, m := range messages {
		var text strings.Builder
		from := 0
		for _, mark := range m.Marks {
			if mark.At < from || mark.At > len(m.Text) {
				break
			}
			text.WriteString(m.Text[from:mark.At] + mark.Text)
			from = mark.At
		}
		m.Text, m.Marks = text.String()+m.Text[from:], nil
		all = append(all, m)
	}
	return all
}

// asksForMarks reports whether the model is asked to cite passages. Only then it sees how it cited before.
func (b Basis) asksForMarks() bool { return b.Library.asksForMarks() && b.Options.ExampleJSON == "" }
