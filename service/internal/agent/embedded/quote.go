package embedded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/english"
)

const speech = "say said ask asked tell told write wrote message messages question questions answer answers"

var (
	ordinals = strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth")
	// around are the words of a question about a message and its place.
	around = english.Set(speech + ` last latest previous repeat quote show again what was is did i you me my your that it the please first second third fourth
fifth sixth seventh eighth ninth tenth`)
)

// position is a place among the messages of the user or the agent: 1 is the first, -1 the last.
type position struct {
	role string
	at   int
}

// placeOf reads "my last message" and "what did you say first?".
func placeOf(q question) (position, bool) {
	p := position{role: wire.RoleUser}
	if q.has("your you") && !q.has("i my") {
		p.role = wire.RoleAssistant
	}
	for _, w := range q.words {
		if i := slices.Index(ordinals, w.Plain); i >= 0 {
			p.at = i + 1
		}
	}
	if q.has("last latest previous") {
		p.at = -1
	}
	return p, p.at != 0 && q.has(speech)
}

// placed quotes a message by its place: "Repeat my last message", "Say that again".
func (t transcript) placed(q question) (reply, bool) {
	p, ok := placeOf(q)
	if q.order && q.has("repeat again") && !q.has("my") {
		p, ok = position{wire.RoleAssistant, -1}, true
	}
	if !ok || slices.ContainsFunc(q.words, func(w english.Word) bool { return !around[w.Plain] }) {
		return reply{}, false
	}
	found, label := t.at(p)
	if found.MessageID == "" {
		return reply{text: label, looked: true}, true
	}
	return reply{text: label + " was: " + closedQuote(found.Text), quotes: []quote{found}, looked: true}, true
}

// at gives the message at a place and its name, or says that there is none.
func (t transcript) at(p position) (found quote, label string) {
	all, whose, place := t.by(p.role), "Your", "last"
	if p.role == wire.RoleAssistant {
		whose = "My"
	}
	i := len(all) - 1
	if p.at > 0 {
		i, place = p.at-1, ordinals[p.at-1]
	}
	if i < 0 || i >= len(all) {
		return quote{}, fmt.Sprintf("There is no %s message before this one.", place)
	}
	return quote{all[i].ID, all[i].Text}, fmt.Sprintf("%s %s message", whose, place)
}
