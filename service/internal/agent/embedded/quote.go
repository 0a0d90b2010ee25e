package embedded

import (
	"fmt"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// listed is how many messages a list shows, the latest.
const listed = 20

var (
	quoteCommands = words("repeat quote show list read recall say echo print give")
	sayAgain      = phrases(`say that, say it, say that again, say it again, come again, pardon, what was that, repeat, repeat that, repeat it, repeat this,
		repeat yourself, again, once more, sorry what, i beg your pardon`)
)

// quoteBack quotes messages by their place: "what did I ask first?", "repeat my
// last message", "what have I asked so far?".
func (t transcript) quoteBack(ask question) (reply, bool) {
	ts := ask.tokens
	if len(ts) == startsWith(ts, sayAgain) && len(ts) > 0 {
		return t.quoteOne(reference{side: agentSide, kind: aMessage, at: -1}), true
	}
	r, ok := readReference(ts)
	if ok && r.kind == aQuestion && slices.ContainsFunc(ts, func(t token) bool { return givenBack[t.stem] }) {
		return t.quoteAnswer(r), true
	}
	if !ok || ts[0].word == "how" || !asking[ts[0].word] && !quoteCommands[ts[0].word] && r.at == 0 && !r.many {
		return reply{}, false
	}
	if r.at != 0 {
		if r.count > 1 {
			return t.quoteSome(r), true
		}
		return t.quoteOne(r), true
	}
	verbAlone := !slices.ContainsFunc(ts, func(t token) bool { return speechNouns[t.stem] != noKind })
	if r.many || verbAlone && r.side == userSide && !quoteCommands[ts[0].word] {
		return t.quoteSome(r), true
	}
	r.at = -1
	return t.quoteOne(r), true
}

// quoteOne quotes the message at a place.
func (t transcript) quoteOne(r reference) reply {
	all := t.named(r)
	i := r.at - 1
	if r.at < 0 {
		i = len(all) + r.at
	}
	whose, name := "Your", kindNames[r.kind]
	if r.side == agentSide {
		whose = "My"
	}
	out := reply{looked: true}
	switch {
	case i >= 0 && i < len(all):
		out.quote(fmt.Sprintf("%s %s %s was", whose, place(r.at), name), all[i])
	case len(all) == 0:
		out.text = none(r)
	case r.side == userSide && i == len(all) && t.isOne(r.kind):
		out.text = fmt.Sprintf("%s %s %s is this one.", whose, place(r.at), name)
	default:
		out.text = fmt.Sprintf("There is no %s %s: %s.", place(r.at), name, howMany(r, len(all)))
	}
	return out
}

// quoteAnswer quotes what the agent answered to a question.
func (t transcript) quoteAnswer(r reference) reply {
	r.side = userSide
	if r.at == 0 {
		r.at = -1
	}
	asked := t.quoteOne(r)
	if len(asked.quotes) == 0 {
		return asked
	}
	at := slices.IndexFunc(t.earlier, func(m message) bool { return m.id == asked.quotes[0].MessageID })
	for _, m := range t.earlier[at+1:] {
		if m.role == wire.RoleAssistant {
			answered := reply{looked: true}
			answered.quote("I answered", line{message: m, span: span{0, len(m.text)}})
			return answered
		}
	}
	return reply{text: "I have not answered that.", looked: true}
}

// isOne tells whether the last message is of a kind.
func (t transcript) isOne(k kind) bool {
	return k == aMessage || k == aQuestion && slices.ContainsFunc(t.last.sentences, func(s sentence) bool { return s.mood == asks })
}

// quoteSome lists messages: some from a place, or all.
func (t transcript) quoteSome(r reference) reply {
	all := t.named(r)
	if len(all) == 0 {
		return reply{text: none(r), looked: true}
	}
	switch {
	case r.at > 0:
		start := min(r.at-1, len(all))
		all = all[start:min(start+r.count, len(all))]
	case r.at < 0:
		all = all[max(0, len(all)-r.count):]
	}
	who, verb := "You", "said"
	if r.side == agentSide {
		who = "I"
	}
	if r.kind == aQuestion {
		verb = "asked"
	}
	out := reply{looked: true}
	if len(all) == 0 {
		out.text = none(r)
		return out
	}
	out.list(who+" "+verb, all)
	return out
}

// list quotes the latest, and says how many there are if these are not all.
func (r *reply) list(introduction string, all []line) {
	if len(all) > listed {
		introduction += fmt.Sprintf(" (the last %d of %d)", listed, len(all))
		all = all[len(all)-listed:]
	}
	r.quote(introduction, all...)
}

// none says that there is nothing of a kind.
func none(r reference) string {
	who, verb := "You", "said"
	if r.side == agentSide {
		who = "I"
	}
	if r.kind == aQuestion {
		verb = "asked"
	}
	return who + " had not " + verb + " anything before this message."
}

// place names a place: "first", "12th", "last", "second to last".
func place(at int) string {
	switch {
	case at == -1:
		return "last"
	case at < 0:
		return place(-at) + " to last"
	case at < len(ordinals):
		return ordinals[at]
	}
	end := "th"
	if ends := []string{"th", "st", "nd", "rd"}; at%10 < len(ends) && at/10%10 != 1 {
		end = ends[at%10]
	}
	return fmt.Sprint(at) + end
}
