package openai

import (
	"slices"
	"strings"
)

// turns returns the messages as they are sent. Blank ones are left out, except the question. Where roles alternate,
// neighbours of one role are joined, and the first one is the user's: what the assistant said before it is left out. A
// system text that the model's server refuses precedes the first message of the user.
func (c completion) turns() (all []message) {
	isFolded := slices.Contains(c.Refused, system)
	question := c.question()
	for i, m := range c.Messages {
		last := len(all) - 1
		isTooEarly := c.Alternate && m.Role == "assistant" && (last < 0 || all[last].Role == system) && i < question
		if isTooEarly || m.isBlank() && i != question {
			continue
		}
		if m.Role == system && isFolded {
			m.Role = "user"
		}
		if last >= 0 && all[last].isNeighbour(m) && (c.Alternate || isFolded && last == 0) {
			all[last].join(m)
		} else {
			all = append(all, m)
		}
	}
	return all
}

// question returns the index of the last message of the user.
func (c completion) question() (at int) {
	for i, m := range c.Messages {
		if m.Role == "user" {
			at = i
		}
	}
	return at
}

func (m message) isBlank() bool {
	return m.Role != "tool" && len(m.Calls) == 0 && len(m.Images) == 0 && strings.TrimSpace(m.Text) == ""
}

// isNeighbour reports whether another message may be joined to this one.
func (m message) isNeighbour(next message) bool {
	return m.Role == next.Role && (m.Role == "user" || m.Role == "assistant" && len(m.Calls) == 0)
}

// join adds a message of the same role.
func (m *message) join(next message) {
	m.Text = strings.TrimSpace(m.Text + "\n\n" + next.Text)
	m.Images = slices.Concat(m.Images, next.Images)
	m.Calls, m.Returned = next.Calls, next.Returned
}
