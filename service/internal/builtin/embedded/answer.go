package embedded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/english"
)

// answer decides what to say to the last message of a chat.
func (t transcript) answer() reply {
	r, first := t.respond(), len(t.by(wire.RoleAssistant)) == 0
	switch {
	case r.greets && first:
		r.text = "Hello! " + intro
	case r.greets:
		r.text = "Hello again! " + invitation
	}
	r.showImages(t.last.Images)
	r.showResults(t.Results)
	if first && !r.greets {
		r.text = intro + "\n\n" + r.text
	}
	if n := len(t.Messages); r.looked && n > 1 {
		r.lookup = fmt.Sprintf("Looking through the %d messages of this chat", n)
	} else if r.looked {
		r.lookup = "Looking through the one message of this chat"
	}
	return r
}

func (t transcript) respond() (r reply) {
	if len(t.words) == 0 {
		return reply{text: noWords}
	}
	if r, ok := t.courtesy(); ok {
		return r
	}
	said := slices.ContainsFunc(t.by(wire.RoleAssistant), func(m answering.PromptMessage) bool { return strings.Contains(m.Text, notEnglish) })
	switch strange := !english.Is(t.last.Text); {
	case strange && !said:
		return reply{text: notEnglish, unknown: true}
	case strange || len(t.asked) == 0:
		return t.acknowledge()
	}
	for _, q := range t.asked {
		r.join(t.answerTo(q))
	}
	return r
}

// answerTo answers one question or request.
func (t transcript) answerTo(q question) reply {
	for _, try := range []func(question) (reply, bool){t.counted, tells, aboutAgent, t.known, t.recalled, t.said} {
		if r, ok := try(q); ok {
			return r
		}
	}
	switch {
	case q.order && !(q.own && q.recalls()):
		return reply{text: noModel, unknown: true}
	case q.own && !q.advice():
		return reply{text: untold, looked: true}
	case q.talk && q.has("you your yours yourself"):
		return reply{text: identity}
	}
	return reply{text: notSaid, looked: true, unknown: true}
}

// acknowledge answers a message that asks nothing.
func (t transcript) acknowledge() reply {
	text := shortened(strings.TrimSpace(t.last.Text), notedRunes)
	return reply{text: "Noted: " + closedQuote(text), quotes: []quote{{t.last.ID, text}}}
}
