package embedded

import "slices"

var speechVerbs = stems("say tell ask mention write talk speak type send answer reply respond state claim")

// topicFrame are the words that may stand before "about" when it is asked what
// was said about something.
var topicFrame = words(`what when where have has had did do does i you me we us anything something everything all know remember recall was is were been
	said the things there can could quote find show list any ever in this chat it that my message messages question questions repeat
	exactly`)

// topic answers "what did I say about the deadline?" and "what do you know about me?".
func (t transcript) topic(ask question) (reply, bool) {
	ts := ask.tokens
	at := slices.IndexFunc(ts, func(t token) bool {
		return t.word == "about" || t.word == "regarding" || t.word == "concerning" || t.stem == stemOf("mention")
	})
	if at < 0 || at+1 >= len(ts) || slices.ContainsFunc(ts[:at], func(t token) bool { return !topicFrame[t.word] && !speechVerbs[t.stem] }) {
		return reply{}, false
	}
	about := ts[at+1:]
	if q, ok := queryOf(about, t.person); ok && len(q.keys) > 0 && q.keys[0].grouped() {
		asked := ask
		asked.tokens = about
		if r, ok := t.recall(asked); ok {
			return r, true
		}
	}
	messages, who := t.said(), "You"
	if spokenBy(ts[:at]) == agentSide && !t.approved {
		messages, who = t.answers(), "I"
	}
	if len(about) == 1 && hasWord(about, "me", "myself", "us") {
		return t.profile(), true
	}
	if found := mentioning(messages, content(about), ask); len(found) > 0 {
		r := reply{looked: true}
		r.quote(who+" said", found...)
		return r, true
	}
	if ask.order && !ask.personal() {
		return reply{}, false
	}
	return reply{text: who + " have said nothing about " + swapped(ask.words(about)) + " in this chat.", looked: true}, true
}

// kept answers "what did I ask you to remember?".
func (t transcript) kept(ask question) (reply, bool) {
	ts := ask.tokens
	remember := stemOf("remember")
	if len(ts) == 0 || !asking[ts[0].word] || !hasWord(ts, "you") || !slices.ContainsFunc(ts, func(t token) bool { return t.stem == remember }) {
		return reply{}, false
	}
	if !hasWord(ts, "i", "should") {
		return t.quoteSome(reference{kind: aStatement}), true
	}
	wanted := slices.DeleteFunc(content(ts), func(stem string) bool { return stem == remember || speechVerbs[stem] || stem == "want" })
	all := t.reminders(nil)
	if named := t.reminders(wanted); len(named) > 0 {
		all = named
	}
	if len(all) == 0 {
		return reply{text: "You have not asked me to remember anything in this chat.", looked: true}, true
	}
	r := reply{looked: true}
	r.quote("You said", all...)
	return r, true
}

// reminders are what the user asked to be remembered that has all the words.
func (t transcript) reminders(wanted []string) []line {
	var all []line
	for _, f := range t.facts {
		if f.key.has(keyRemember) && sharedWords(f.line.tokens, wanted) == len(newKey(wanted...)) {
			all = append(all, f.line)
		}
	}
	return all
}

// profile lists what the user told about themselves.
func (t transcript) profile() reply {
	var own []line
	for _, l := range t.statements() {
		if slices.ContainsFunc(l.tokens, func(t token) bool { return (selfPronouns[t.word] || ourOwn[t.word] || t.word == "me") && !t.quoted }) {
			own = append(own, l)
		}
	}
	if len(own) == 0 {
		return reply{text: "You have told me nothing about yourself in this chat.", looked: true}
	}
	r := reply{looked: true}
	r.list("You said", own)
	return r
}
