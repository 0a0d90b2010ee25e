package embedded

import (
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/english"
)

const (
	// closest comes before what need not be what was asked for.
	closest = "The closest thing I know:"
	// saying are the words that ask for what was said.
	saying = "say said told mention mentioned"
)

// recalled answers from what was stated in the chat, which is newer, then from memories.
func (t transcript) recalled(q question) (reply, bool) {
	if len(q.wanted) == 0 || q.has(saying) || !q.recalls() {
		return reply{}, false
	}
	found := q.best(t.stated())
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

// known tells everything that is known of the user: "What do you know about me?"
func (t transcript) known(q question) (reply, bool) {
	about := q.words[len(q.words)-1].Plain
	if about != "me" && about != "myself" && !(q.has("you") && q.has("remember")) || !q.has("know remember tell said say") || len(q.wanted)+len(q.kind) > 0 {
		return reply{}, false
	}
	said, kept := t.stated(), t.remembered()
	if len(said)+len(kept) == 0 {
		return reply{text: "You have told me nothing about yourself in this chat.", looked: true}, true
	}
	r := reply{looked: true}
	r.listFacts("You told me", said)
	r.listFacts("I remember of you", kept)
	return r, true
}

func (r *reply) listFacts(introduction string, facts []fact) {
	var lines []string
	var quotes []quote
	for _, f := range facts {
		text, sure := secondPerson(f.content)
		if !sure {
			text = "“" + f.content + "”"
		}
		lines, quotes = append(lines, text), append(quotes, f.said...)
	}
	if len(facts) > 0 {
		r.list(introduction, lines, quotes)
	}
}

// said quotes the latest sentence of the user that has all that a question asks for. Who
// asks for a name or a home is answered by facts alone.
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

// fits tells whether a sentence states something that has all that is wanted.
func (q question) fits(sentence string) bool {
	words := english.Of(sentence)
	stems := stemsOf(words)
	own := slices.ContainsFunc(words, func(w english.Word) bool { return owners[w.Plain] || w.Plain == "me" })
	missing := slices.ContainsFunc(q.wanted, func(stem string) bool { return !stems[stem] })
	return !missing && (own || !q.own || q.has(saying)) && q.placedBy(words) && len(questionsIn(sentence)) == 0
}
