package answering

import "github.com/chatsdk/chatsdk/service/internal/knowledge/search"

// Unmarked returns what marks lets through of each piece of a text and of its end, and the
// numbers of the passages that the text cites.
func Unmarked(passages int, pieces ...string) (out []string, cited []int) {
	m := newMarks(passages)
	for _, piece := range pieces {
		out = append(out, m.next(piece))
	}
	out = append(out, m.rest())
	for i, is := range m.cited {
		if is {
			cited = append(cited, i+1)
		}
	}
	return out, cited
}

// FollowUp reports whether a message is a follow-up.
func FollowUp(message string) bool {
	is, _ := followUp(message)
	return is
}

// Match returns the passages that the sentences of an answer match.
func Match(question, answer string, hits []search.Hit) []bool {
	return match(question, sentences(answer), evidenceOf(Prompt{Passages: hits}))
}
