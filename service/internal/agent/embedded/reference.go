package embedded

import (
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// reference names messages: "my second question", "the last two things you
// said".
type reference struct {
	side  side
	kind  kind
	at    int  // 1 is the first, -1 the last, 0 none in particular
	count int  // how many from there, 0 for one
	many  bool // all of them
}

type side int

const (
	userSide side = iota
	agentSide
)

type kind int

const (
	noKind kind = iota
	aMessage
	aQuestion
	aStatement
)

var kindNames = map[kind]string{aMessage: "message", aQuestion: "question", aStatement: "statement"}

var speechNouns = func() map[string]kind {
	all := map[string]kind{}
	for k, list := range map[kind]string{
		aMessage:   "message msg prompt input utterance thing comment answer reply response line",
		aQuestion:  "question query",
		aStatement: "statement",
	} {
		for stem := range stems(list) {
			all[stem] = k
		}
	}
	return all
}()

var spokenKinds = map[string]kind{stemOf("ask"): aQuestion, stemOf("tell"): aStatement, stemOf("mention"): aStatement, stemOf("state"): aStatement}

var stemThing = stemOf("thing")

// givenBack are the nouns of what the agent says, where nobody is named.
var givenBack = stems("answer reply response")

// referenceWords are the words that may stand in a reference beside those that
// name speech and place.
var referenceWords = words(`what was were is are did do does have has had been be i you me we us my your our the a an that it this these those to of in at on from so far
	just exactly again back verbatim ever very previously recently originally beginning start chat conversation session dialogue here out please word words for one ones
	which all every everything anything other whole entire full same only with far total now there number many how count long and or by up until quote repeat show list
	read recall give remind echo sentence by order together any some about`)

// readReference reads what of the chat is named; it fails where other words
// stand, since then more is asked for than a message.
func readReference(ts []token) (reference, bool) {
	r := reference{side: spokenBy(ts)}
	named, thing := false, false
	for i, t := range ts {
		k := speechNouns[t.stem]
		switch {
		case k != noKind:
			if named = true; t.stem != stemThing || r.kind == noKind {
				r.kind = k
			}
			thing = thing || t.stem == stemThing
			r.many = r.many || strings.HasSuffix(t.word, "s") || t.word == "replies"
			if givenBack[t.stem] && r.kind != aQuestion && !hasWord(ts[:i], "my", "our") {
				r.side = agentSide
			}
		case speechVerbs[t.stem]:
			if k := spokenKinds[t.stem]; r.kind == noKind || thing && k == aQuestion {
				r.kind = k
			}
			named = true
		case t.word == "everything", t.word == "all", t.word == "anything":
			r.many = true
		case !referenceWords[t.word] && placed[t.word] == 0 && ordinal(t.word) == 0 && !number(t) || t.quoted:
			return r, false
		}
	}
	if r.kind == noKind || r.side == agentSide && r.kind == aStatement {
		r.kind = aMessage
	}
	r.at, r.count = position(ts)
	return r, named
}

// spokenBy tells whose words are meant: of whoever stands before the verb of
// speech, or owns the noun.
func spokenBy(ts []token) side {
	for i, t := range ts {
		if !speechVerbs[t.stem] && speechNouns[t.stem] == noKind {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			switch ts[j].word {
			case "you", "your":
				return agentSide
			case "i", "we", "my", "our":
				return userSide
			}
		}
	}
	if hasWord(ts, "you", "your") && !hasWord(ts, "i", "we") {
		return agentSide
	}
	return userSide
}

// named are the lines of the kind and side, oldest first, without those of the
// last message.
func (t transcript) named(r reference) []line {
	own := t.by(wire.RoleUser)
	if r.side == agentSide {
		own = t.by(wire.RoleAssistant)
	}
	switch r.kind {
	case aQuestion:
		return lines(own, func(s sentence) bool { return s.mood == asks })
	case aStatement:
		return lines(own, func(s sentence) bool { return s.mood == states })
	}
	var all []line
	for _, m := range own {
		all = append(all, line{message: m, span: span{0, len(m.text)}})
	}
	return all
}

// answers are the agent's earlier messages.
func (t transcript) answers() []message { return t.by(wire.RoleAssistant) }
