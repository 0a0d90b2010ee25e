package embedded

import (
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// answer decides what to say to the last message of a chat.
func answer(t transcript) reply {
	r := t.respond()
	if !r.greets {
		r.showImages(t.images)
		r.showResults(t.results)
	}
	first := len(t.by(wire.RoleAssistant)) == 0
	switch {
	case r.greets && first:
		r.text = "Hello! " + t.introduction()
		r.showImages(t.images)
	case r.greets:
		r.text = "Hello again! " + invitation
		r.showImages(t.images)
	case first:
		r.text = t.introduction() + "\n\n" + r.text
	case r.offer:
		r.text += " " + t.offer()
	}
	if n := len(t.earlier) + 1; r.looked && n > 1 {
		r.lookup = fmt.Sprintf("Looking through the %d messages of this chat", n)
	} else if r.looked {
		r.lookup = "Looking through the one message of this chat"
	}
	return r
}

func (t transcript) respond() reply {
	if len(t.last.sentences) == 0 {
		return reply{text: noWords}
	}
	asked := t.questions()
	if len(asked) == 0 {
		return t.acknowledge()
	}
	var r reply
	for _, ask := range asked {
		r.join(t.answerTo(ask))
	}
	return r
}

// join adds the answer to a further question of the same message.
func (r *reply) join(next reply) {
	gap := ""
	switch {
	case r.text == "":
		*r = next
		return
	case strings.Contains(r.text, next.text):
		return
	case strings.Contains(r.text+next.text, "\n"):
		gap = "\n"
	default:
		gap = " "
	}
	r.text += gap + next.text
	r.quotes = append(r.quotes, next.quotes...)
	r.looked, r.offer = r.looked || next.looked, r.offer || next.offer
	r.remembered = r.remembered || next.remembered
	r.greets, r.unknown = false, r.unknown && next.unknown
}

// answerTo answers one question or order.
func (t transcript) answerTo(ask question) reply {
	if ask.foreign() {
		r := t.nearest(ask)
		r.unknown = true
		return r
	}
	if len(t.memories) > 0 && t.wantsAll(ask) {
		return t.known(ask)
	}
	for _, try := range []func(question) (reply, bool){
		t.small, t.echo, t.count, t.kept, t.summary, t.quoteBack, t.stated,
	} {
		if r, ok := try(ask); ok {
			return r
		}
	}
	if ask.order {
		return reply{text: noModel, offer: true, unknown: true}
	}
	if hasWord(ask.whole, "you", "your", "yours", "yourself") {
		return reply{text: identity, offer: true}
	}
	return reply{text: notSaid, looked: true, unknown: true}
}

// stated answers from what was said in the chat, which is newer, then from memories.
func (t transcript) stated(ask question) (reply, bool) {
	said, ok := t.topic(ask)
	if !ok {
		said, ok = t.recall(ask)
	}
	if len(said.quotes) > 0 {
		return said, true
	}
	if r, found := t.remember(ask); found {
		return r, true
	}
	return said, ok
}

// known tells all of the user, what was said in the chat first.
func (t transcript) known(ask question) reply {
	all, ok := t.topic(ask)
	if !ok || len(all.quotes) == 0 {
		return t.rememberAll()
	}
	all.join(t.rememberAll())
	return all
}

// offer says what the agent can do.
func (t transcript) offer() string {
	if len(t.memories) > 0 {
		return offerWithMemories
	}
	return offer
}

// introduction says what the agent can work with.
func (t transcript) introduction() string {
	if len(t.memories) > 0 {
		return introWithMemories
	}
	return intro
}

// acknowledge answers a message that asks nothing.
func (t transcript) acknowledge() reply {
	if r, ok := courtesy(t.last); ok {
		return r
	}
	text := strings.TrimSpace(t.last.text)
	noted := quote{MessageID: t.last.id, Text: text}
	if short := shortened(text, notedRunes); short == text {
		return reply{text: "Noted: " + closedQuote(text), quotes: []quote{noted}}
	}
	begin := shortened(text, begunRunes)
	return reply{text: "Noted, " + plural(countWords(text), "word") + " that begin: “" + begin + "”", quotes: []quote{{t.last.id, begin}}}
}
