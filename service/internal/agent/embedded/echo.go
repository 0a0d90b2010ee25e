package embedded

import (
	"slices"
	"strings"
)

// echo says back what the user gives for it: "repeat after me: …".
func (t transcript) echo(ask question) (reply, bool) {
	ts := ask.tokens
	if len(ts) < 2 || !echoVerbs[ts[0].word] || !ask.order {
		return reply{}, false
	}
	given, ok := givenText(ask, ts[1:])
	if !ok {
		return reply{}, false
	}
	return reply{text: "You said: " + closedQuote(given), quotes: []quote{{ask.message.id, given}}}, true
}

var echoFrame = phrases(`after me, the following, the word, the words, the phrase, the sentence, this, exactly, only, just, with, me, back, that, the text,
	out loud, out, this text, one word, in one word, the line`)

// givenText is the text that a message gives to be said back: in quotation
// marks, behind a colon, or a few words that are no description of a text.
func givenText(ask question, rest []token) (string, bool) {
	rest = stripped(rest, echoFrame)
	if len(rest) == 0 {
		return "", false
	}
	text := ask.message.text
	if s, ok := firstQuoted(ask.message.page, rest[0].start); ok && rest[0].quoted {
		return text[s.start:s.end], true
	}
	given := strings.TrimSpace(text[rest[0].start:])
	first := rest[0].word
	described := determiners[first] || asking[first] || prepositions[first] || hasWord(rest[:1], "something", "anything", "everything", "more", "it", "me", "you", "hi")
	few := len(rest) <= givenWords && !hasWord(ask.tokens[:1], "write", "answer", "quote")
	return given, rest[0].colon || few && !described
}

// givenWords is how many words without quotation marks are taken for a text.
const givenWords = 12

// firstQuoted is the first quotation at or after a byte.
func firstQuoted(p page, at int) (span, bool) {
	for _, s := range p.quoted {
		if s.start >= at {
			return s, true
		}
	}
	return span{}, false
}

var overviews = phrases(`what were we talking about, what did we talk about, what have we talked about, what were we discussing, what did we discuss,
	what have we discussed, what did we say, what is this chat about, what is this conversation about, what was this chat about, what happened`)

var summaries = phrases(`summarize, summarise, recap, sum, tldr, summary, overview, a summary, the summary, a recap, an overview, a short summary, a brief
	summary`)

// summary lists what was said, where other words for it are asked for.
func (t transcript) summary(ask question) (reply, bool) {
	ts := ask.tokens
	if len(ts) == 0 || len(ts) != startsWith(ts, overviews) && startsWith(ts, summaries) == 0 {
		return reply{}, false
	}
	if slices.ContainsFunc(content(ts), func(stem string) bool { return !summaryWords[stem] }) {
		return reply{}, false
	}
	said := t.named(reference{kind: aMessage})
	if len(said) == 0 {
		return reply{text: nothingYet, looked: true}, true
	}
	r := reply{text: onlyQuoting + " ", looked: true}
	if stated := t.named(reference{kind: aStatement}); len(said) > listed && len(stated) > 0 {
		said = stated // what was asked matters less
	}
	r.list("You said", said)
	return r, true
}

var summaryWords = stems(`happen summarize summarise recap sum tldr summary overview chat conversation discussion everything we say tell talk about far
	message short brief briefly write discuss`)
