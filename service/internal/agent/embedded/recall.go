package embedded

import (
	"slices"
	"strings"
)

// recall answers from what was stated.
func (t transcript) recall(ask question) (reply, bool) {
	if ask.order && len(ask.tokens) > 1 && requestVerbs[ask.tokens[0].word] {
		if !quoteCommands[ask.tokens[0].word] || !ourOwn[ask.tokens[1].word] {
			return reply{}, false
		}
		ask.tokens = ask.tokens[1:]
	}
	q, ok := queryOf(ask.tokens, t.person)
	if !ok || len(q.keys) == 0 || len(q.keys[0]) == 0 {
		return reply{}, false
	}
	q.approved = t.approved
	if found, facts := t.look(q); len(facts) > 0 {
		return found.tell(ask, facts), true
	}
	if q.you {
		return reply{text: identity, offer: true}, true
	}
	if r, ok := t.recallWords(ask, q); ok {
		return r, true
	}
	return q.unknown(ask)
}

// look finds the facts that answer a query, with the query as it was
// understood then. What is denied counts only where nothing else was said.
func (t transcript) look(q query) (query, []fact) {
	var denied []fact
	for _, q := range q.guesses(t.person) {
		for _, k := range t.aliases(q.keys) {
			facts := q.answers(t.facts, k)
			if len(facts) > 0 && !(facts[0].negated && singularKey(k)) {
				return q, facts
			}
			if denied == nil {
				denied = facts
			}
		}
	}
	return q, denied
}

// aliases adds the keys in which a name stands for whom it names: after "my
// sister's name is Ana", what Ana does is what the sister does.
func (t transcript) aliases(keys []key) []key {
	all := slices.Clone(keys)
	for _, f := range t.facts {
		if !f.key.has(keyName) || len(f.owners) == 0 || len(f.object) == 0 || f.negated {
			continue
		}
		for _, k := range keys {
			if newKey(f.object...).within(k) && len(k) > len(f.object) {
				rest := slices.DeleteFunc(slices.Clone(k), func(part string) bool { return slices.Contains(f.object, part) })
				all = append(all, rest.with(f.owners...))
			}
		}
	}
	return all
}

// tell says the facts.
func (q query) tell(ask question, facts []fact) reply {
	r := reply{looked: true}
	var all []line
	for _, f := range facts {
		if !slices.ContainsFunc(all, func(l line) bool { return l.message.id == f.line.message.id && l.span == f.line.span }) {
			all = append(all, f.line)
		}
	}
	last := facts[len(facts)-1]
	if len(all) == 1 && !last.negated && !q.near && len(q.kind) == 0 {
		r.text = q.restated(ask, last)
	}
	introduction := "You said"
	if q.near || len(q.noun) == 0 && !singularKey(last.key) && !sayAll(last, q.kind) {
		introduction, r.near = closest, true
	}
	r.quote(introduction, all...)
	return r
}

// longestValue is the longest value that an answer repeats beside the quote.
const longestValue = 80

// restated is "Your name is Anna. ", "" where the quote alone says it better.
func (q query) restated(ask question, f fact) string {
	noun, be := q.asked(ask), f.be
	if noun == "" || q.partOf(f) || f.value == "" || len(f.value) > longestValue || strings.Contains(f.value, "\n") {
		return ""
	}
	switch several := q.several(); {
	case be == "is" && several:
		be = "are"
	case be == "are" && !several:
		return ""
	}
	return sentenceCase(noun) + " " + be + " " + swapped(f.value) + ". "
}

// several tells whether the noun is a plural.
func (q query) several() bool {
	if len(q.noun) == 0 {
		return false
	}
	head := q.noun[len(q.noun)-1]
	if i := slices.IndexFunc(q.noun, func(t token) bool { return prepositions[t.word] }); i > 0 {
		head = q.noun[i-1]
	}
	return severalOf(head)
}

// partOf tells whether a part of the value is asked for, of which it is not
// known where it ends: the surname of a whole name.
func (q query) partOf(f fact) bool {
	surname := q.keys[0].has(keySurname) && !f.key.has(keySurname)
	return surname || hasWord(q.noun, "first") && strings.Contains(f.value, " ")
}

// asked is what is asked for, as the answer names it: "your sister's name".
func (q query) asked(ask question) string {
	if len(q.noun) == 0 {
		if len(q.keys) > 0 && slices.Equal(q.keys[0], newKey(keyName)) {
			return "your name"
		}
		return ""
	}
	if prepositions[q.noun[0].word] || speech(q.noun) || !slices.ContainsFunc(q.noun, func(t token) bool { return ourOwn[t.word] || possessives[t.word] }) {
		return ""
	}
	noun := swapped(ask.words(q.noun))
	if first := q.noun[0]; !determiners[first.word] {
		noun = "the " + noun
	}
	switch {
	case q.called && strings.HasSuffix(noun, "s"):
		noun += "' names"
	case q.called:
		noun += "'s name"
	}
	return noun
}

// unknown says that something was not told.
func (q query) unknown(ask question) (reply, bool) {
	if !ask.personal() || q.advice(ask) || ask.order && len(q.noun) > 0 && articles[q.noun[0].word] {
		return reply{}, false
	}
	if q.asking == "" && len(q.noun) > 0 && !q.closed && !hasWord(q.noun, "my", "our", "mine") {
		return reply{}, false
	}
	what := q.asked(ask)
	about := (q.asking == "when" || q.asking == "where") && !q.keys[0].grouped()
	if q.closed || about || len(q.kind) > 0 || q.quality != "" || what == "" || len(what) > longestValue {
		what = "that"
	}
	return reply{text: "You have not told me " + what + " in this chat.", looked: true}, true
}

// advice tells a question that no statement of the user can answer: how or
// whether to do something.
func (q query) advice(ask question) bool {
	whether := q.asking == "" && modals[ask.tokens[0].word]
	return len(q.noun) == 0 && (whether || q.asking == "why" || q.asking == "how" && q.quality == "")
}
