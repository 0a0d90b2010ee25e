package embedded

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// target is a text to count in.
type target struct {
	text  string
	label string // how the answer names it
	verb  string // has or have
	shown string // what the answer quotes of it
	reply reply  // with what was quoted and looked up
}

// target finds the text that is meant: a quotation, a message, what was said in
// all, the value of a fact, a word.
func (t transcript) target(ask question, rest []token) (target, bool) {
	if s, ok := firstQuoted(ask.message.page, ask.whole[0].start); ok {
		return plainTarget(ask.message.text[s.start:s.end]), true
	}
	if i := slices.IndexFunc(rest, func(t token) bool { return t.colon }); i >= 0 {
		return plainTarget(strings.TrimSpace(ask.message.text[rest[i].start:])), true
	}
	if kind, ok := thisOne(rest); ok {
		return target{text: ask.message.text, label: "This " + kind, verb: "has"}, true
	}
	spoken := slices.DeleteFunc(slices.Clone(rest), func(t token) bool { return countingWords[t.word] || t.stem == stemOf("use") })
	if r, ok := readReference(spoken); ok || r.kind != noKind && !slices.ContainsFunc(rest, func(t token) bool { return ourOwn[t.word] }) {
		return t.referred(r, !ofSomebody(ask.whole))
	}
	noun := slices.IndexFunc(rest, func(t token) bool { return ourOwn[t.word] })
	if noun >= 0 {
		return t.factTarget(ask, rest[noun:])
	}
	return wordTarget(ask, rest)
}

// thisOne finds the very message that asks, as in "words in this question".
func thisOne(ts []token) (kind string, found bool) {
	for i := range len(ts) - 1 {
		noun := ts[i+1].word
		if ts[i].word == "this" && slices.Contains([]string{"question", "message", "sentence", "text", "line"}, noun) {
			return noun, true
		}
	}
	return "", false
}

func plainTarget(text string) target {
	return target{text: text, label: "“" + shortened(text, begunRunes) + "”", verb: "has"}
}

// referred is a message, or all of them where none in particular is meant.
func (t transcript) referred(r reference, bothSides bool) (target, bool) {
	all := t.named(r)
	if bothSides && r.at == 0 {
		all = append(all, t.named(reference{side: agentSide, kind: r.kind})...)
	}
	if r.at == 0 && !r.many && (r.kind == aQuestion || len(all) == 0) {
		r.at = -1
	}
	if r.at == 0 {
		return together(r, all, bothSides), true
	}
	one := t.quoteOne(r)
	if len(one.quotes) == 0 {
		return target{}, false
	}
	label, _, _ := strings.Cut(one.text, " was: ")
	text := one.quotes[0].Text
	one.text = ""
	return target{text: text, label: label, verb: "has", shown: shortened(text, notedRunes), reply: one}, true
}

// together is all that was said as one text.
func together(r reference, all []line, bothSides bool) target {
	var texts []string
	for _, l := range all {
		texts = append(texts, l.text())
	}
	whose := "Your"
	switch {
	case bothSides:
		whose = "All"
	case r.side == agentSide:
		whose = "My"
	}
	label := fmt.Sprintf("%s %ss before this one together", whose, kindNames[r.kind])
	return target{text: strings.Join(texts, "\n"), label: label, verb: "have", reply: reply{looked: true}}
}

// factTarget is the value of a fact, as in "how many letters does my name have".
func (t transcript) factTarget(ask question, noun []token) (target, bool) {
	end := slices.IndexFunc(noun, func(t token) bool { return verbal(t.word) })
	if end < 0 {
		end = len(noun)
	}
	q := query{asking: "what"}.fromNoun(noun[:end], t.person)
	for _, k := range q.keys {
		if facts := q.answers(t.facts, k); len(facts) > 0 && facts[len(facts)-1].value != "" {
			found := plainTarget(facts[len(facts)-1].value)
			found.reply = reply{looked: true, quotes: []quote{facts[len(facts)-1].line.quote()}}
			return found, true
		}
	}
	return target{}, false
}

// wordTarget is a word that is named without quotation marks: "in banana".
func wordTarget(ask question, rest []token) (target, bool) {
	at := slices.IndexFunc(rest, func(t token) bool { return t.word == "in" || t.word == "of" || t.word == "does" })
	if at < 0 {
		return target{}, false
	}
	ts := stripped(rest[at+1:], givenAs)
	for len(ts) > 0 && (verbal(ts[len(ts)-1].word) || countingWords[ts[len(ts)-1].word]) {
		ts = ts[:len(ts)-1]
	}
	if len(ts) == 0 || determiners[ts[0].word] || len(ts) > 1 && rest[max(0, len(rest)-len(ts)-1)].word == "in" {
		return target{}, false
	}
	return plainTarget(ask.message.text[ts[0].start:ts[len(ts)-1].end]), true
}

// countLetter answers "how many r's are in strawberry?".
func (t transcript) countLetter(ask question, ts []token) (reply, bool) {
	letter, rest := letterOf(ts)
	if letter == "" || len(rest) == 0 {
		return reply{}, false
	}
	target, ok := t.target(ask, rest)
	if !ok {
		return reply{}, false
	}
	r := target.reply
	n := strings.Count(strings.ToLower(target.text), letter)
	r.text = fmt.Sprintf("%s %s the letter “%s” %s.", target.label, target.verb, letter, plural(n, "time"))
	return r, true
}

// letterOf finds the letter of "r's", "rs" and "the letter r", and gives what
// stands after it.
func letterOf(ts []token) (letter string, rest []token) {
	for i, t := range ts[:min(len(ts), 5)] {
		single := utf8.RuneCountInString(t.word) == 1
		named := i > 0 && ts[i-1].stem == stemOf("letter")
		first := i == 0 && (wordAt(ts, 1) == "'s" || !contentless[t.word])
		plural := i == 0 && len(t.word) == 2 && t.word[1] == 's' && !contentless[t.word]
		if single && (named || first) || plural {
			r, _ := utf8.DecodeRuneInString(t.word)
			return string(r), ts[i+1:]
		}
	}
	return "", nil
}

// givenAs may stand before a text that is given without quotation marks.
var givenAs = phrases("the word, the words, the phrase, the name, the sentence, the text, the term, about")

// countTimes answers "how many times did I say hello?".
func (t transcript) countTimes(ask question, ts []token) (reply, bool) {
	if ts[0].word != "times" && ts[0].word != "how" {
		return reply{}, false
	}
	at := slices.IndexFunc(ts, func(t token) bool { return speechVerbs[t.stem] || t.stem == stemOf("use") })
	if at < 0 || at+1 >= len(ts) {
		return reply{}, false
	}
	phrase := stripped(ts[at+1:], givenAs)
	if len(phrase) == 0 {
		return reply{}, false
	}
	r := reference{side: spokenBy(ts[:at+1]), kind: aMessage}
	n := 0
	for _, l := range t.named(r) {
		n += occurrences(tokensOf(l.message), phrase)
	}
	who := "You"
	if r.side == agentSide {
		who = "I"
	}
	said := ask.message.text[phrase[0].start:phrase[len(phrase)-1].end]
	return reply{text: fmt.Sprintf("%s said “%s” %s before this message.", who, said, plural(n, "time")), looked: true}, true
}

func tokensOf(m message) []token {
	var all []token
	for _, s := range m.sentences {
		all = append(all, s.tokens...)
	}
	return all
}

// occurrences is how often a phrase stands in a text, word by word.
func occurrences(ts, phrase []token) int {
	n := 0
	for i := range ts {
		if len(ts)-i >= len(phrase) && slices.EqualFunc(ts[i:i+len(phrase)], phrase, func(a, b token) bool { return a.word == b.word }) {
			n++
		}
	}
	return n
}
