package embedded

import "slices"

var (
	greetings = phrases(`hi, hello, hey, hi there, hello there, hey there, good morning, good afternoon, good evening, good day, greetings, hello again,
		howdy, yo`)
	thanks     = phrases("thanks, thank you, thx, many thanks, cheers, great thanks, ok thanks, cool thanks, perfect thanks")
	farewells  = phrases("bye, goodbye, good bye, bye bye, see you, good night, farewell, see you later, see you soon, see you tomorrow")
	wellbeing  = phrases("how are you, how is it going, how do you do, how are things, what is up, how have you been")
	ofTheAgent = phrases("are you, who are you, what are you, what is your, your")
	abilities  = phrases(`help, help me, what can you do, what do you do, what can i do, what can i ask, who are you, what are you, are you, who am i talking to,
		who made you, what is this, how do you work, how does this work, what model, which model, what ai, which ai, introduce yourself, your name, what is your`)
)

// courtesy answers a message that is a greeting, thanks or a farewell and
// nothing else.
func courtesy(m message) (reply, bool) {
	words := 0
	for _, s := range m.sentences {
		words += len(s.tokens)
	}
	if words > 5 {
		return reply{}, false
	}
	first := m.sentences[0].tokens
	switch {
	case startsWith(first, thanks) > 0:
		return reply{text: "You're welcome!"}, true
	case startsWith(first, farewells) > 0:
		return reply{text: "Goodbye!"}, true
	case startsWith(first, greetings) > 0 && onlyFillers(m):
		return reply{greets: true}, true
	}
	return reply{}, false
}

func onlyFillers(m message) bool {
	return !slices.ContainsFunc(m.sentences, func(s sentence) bool {
		return len(stripped(s.tokens, fillers)) > 1
	})
}

// small answers what is asked about the agent itself.
func (t transcript) small(ask question) (reply, bool) {
	if r, ok := courtesy(ask.message); ok {
		return r, true
	}
	bare := stripped(ask.whole, fillers)
	for _, ts := range [][]token{bare, ask.tokens} {
		switch {
		case startsWith(ts, wellbeing) > 0 && len(ts) < 7:
			return reply{text: "I am a program without feelings, but I am ready.", offer: true}, true
		case len(ts) > 0 && len(ts) == startsWith(ts, abilities), startsWith(ts, ofTheAgent) > 0 && !speech(ts):
			return reply{text: identity, offer: true}, true
		}
	}
	if len(ask.tokens) == 0 {
		return reply{text: invitation}, true
	}
	return reply{}, false
}

// speech tells whether words speak of what was said.
func speech(ts []token) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return speechVerbs[t.stem] || speechNouns[t.stem] != noKind })
}
