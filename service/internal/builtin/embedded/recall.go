package embedded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/english"
)

const (
	// closest introduces a fact that may not be what the question asks for.
	closest = "The closest thing I know:"
	// saying are the words that ask what was said.
	saying = "say said told mention mentioned"
)

// recalled answers from statements in the chat, which are newer, and then from memories.
func (t transcript) recalled(q question) (reply, bool) {
	if len(q.wanted) == 0 || q.has(saying) || !q.recalls() {
		return reply{}, false
	}
	var found []fact
	if q.own {
		found = q.best(t.stated())
	}
	if len(found) == 0 {
		found = q.best(t.remembered())
	}
	var r reply
	for _, f := range found {
		if r.text == "" && q.near(f) {
			r.text = closest
		}
		r.join(reply{text: f.told(), quotes: f.said, looked: true})
	}
	return r, len(found) > 0
}

// known says everything that is known about the user: "What do you know about me?"
func (t transcript) known(q question) (reply, bool) {
	about := q.words[len(q.words)-1].Plain
	if about != "me" && about != "myself" && !(q.has("you") && q.has("remember")) || !q.has("know remember tell said say") || len(q.wanted)+len(q.kind) > 0 {
		return reply{}, false
	}
	r := reply{looked: true}
	r.list("You told me", t.stated())
	r.list("I remember about you", t.remembered())
	if r.text == "" {
		r.text = "You have told me nothing about yourself in this chat."
	}
	return r, true
}

// listed is how many facts a list shows. It shows the latest ones.
const listed = 20

// list writes facts, each on a line with its number.
func (r *reply) list(introduction string, facts []fact) {
	shown := newest(facts, listed, func(fact) bool { return true })
	if len(shown) == 0 {
		return
	}
	if len(shown) == listed {
		introduction += fmt.Sprintf(" (the last %d)", listed)
	}
	r.text = strings.TrimSpace(r.text + "\n" + introduction + ":")
	for i, f := range shown {
		r.text += fmt.Sprintf("\n%d. %s", i+1, f.told())
		r.quotes = append(r.quotes, f.said...)
	}
}

// said quotes the user's latest sentence that has everything that a question asks for.
// Questions for a name or a home are answered only from facts.
func (t transcript) said(q question) (reply, bool) {
	if len(q.wanted) == 0 || q.own && q.related() && !q.has(saying) || !q.recalls() {
		return reply{}, false
	}
	for _, m := range slices.Backward(append(t.by(wire.RoleUser), t.last)) {
		for _, sentence := range slices.Backward(sentences(m.Text)) {
			if sentence != q.text && q.fits(sentence) {
				return reply{text: "You said: " + closedQuote(sentence), quotes: []quote{{m.ID, sentence}}, looked: true}, true
			}
		}
	}
	return reply{}, false
}

// fits reports whether a sentence is a statement with all the words that are wanted.
func (q question) fits(sentence string) bool {
	words := english.Of(sentence)
	stems := stemsOf(words)
	own := slices.ContainsFunc(words, func(w english.Word) bool { return owners[w.Plain] || w.Plain == "me" })
	missing := slices.ContainsFunc(q.wanted, func(stem string) bool { return !stems[stem] })
	return !missing && (own || !q.own || q.has(saying)) && q.placedBy(words) && len(questionsIn(sentence)) == 0
}
