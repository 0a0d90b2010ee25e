package rules

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Reasons to doubt that a statement is the user's own statement about themselves.
const (
	// Foreign: the words may be somebody else's.
	Foreign = "foreign"
	// Instruction: it tells the assistant to do more than answer in a certain manner.
	Instruction = "instruction"
	// Address: it holds an address of a page, a person, a phone or an account.
	Address = "address"
)

// Message is a parsed message. Any number of its statements can be weighed. It is safe
// for concurrent use.
type Message struct {
	text      string
	bytes     []int // the byte of each UTF-16 unit, and of the end
	sentences [][]token
	// layout says that the whole message looks pasted, or asks about a text.
	layout bool
	// reported is the byte from which somebody else may speak.
	reported int
	words    mask
}

// Read parses a message, in time proportional to its length. All of a message is foreign
// if it is longer than [Detect] reads.
func Read(text string) *Message {
	text = strings.ToValidUTF8(text, "\ufffd")
	m := &Message{text: text, bytes: unitStarts(text), layout: true}
	if len(text) > longestMessage {
		return m
	}
	plain := make(mask, len(text))
	m.words = ownWords(text)
	tokens := tokenize(text, plain)
	m.sentences = sentencesOf(tokens)
	m.reported = min(leadEnd(text), reportEnd(text, m.sentences))
	m.layout = strange(text) || laidOut(text) || unclosed(text) || m.pasted() || otherTongue(text, tokens) ||
		voices.in(tokens) || len(silenced(tokens)) < len(tokens) || m.asksOfText() || spokenAfter(text, m.sentences) || unexplained(m.sentences) || addressed(text)
	return m
}

// Doubt says why a statement that a detector made from part of a message is
// not plainly the user's own word about themselves: Foreign, Instruction,
// Address, or "" if it is. start and end are UTF-16 offsets, as in [Finding].
// To weigh several statements of one message, use [Read].
func Doubt(message, content string, start, end int) string {
	return Read(message).Doubt(content, start, end)
}

// Doubt weighs one statement; see the function of that name.
func (m *Message) Doubt(content string, start, end int) string {
	if start < 0 || start >= end || end >= len(m.bytes) {
		return Foreign
	}
	from, to := m.bytes[start], m.bytes[end]
	switch {
	case addressed(content), addressed(m.around(from, to)):
		return Address
	case instructs(content), m.words != nil && m.orders(from, to) && !callsUser(content):
		return Instruction
	case m.layout, to > m.reported, !m.ofUser(from, to), !aboutUser(content), m.masked(from, to):
		return Foreign
	}
	return ""
}

// around widens a part of the message to the white space around it: a statement may
// quote only half of an address.
func (m *Message) around(from, to int) string {
	for n := 0; from > 0 && n < longestSecret && !white(m.text[from-1]); n++ {
		from--
	}
	for n := 0; to < len(m.text) && n < longestSecret && !white(m.text[to]); n++ {
		to++
	}
	return m.text[from:to]
}

func white(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// aboutUser reports whether a statement says who it is about.
func aboutUser(content string) bool {
	low := strings.ToLower(content)
	for _, opening := range []string{"user ", "user's ", "user’s ", "the user ", "the user's "} {
		if strings.HasPrefix(low, opening) {
			return true
		}
	}
	// "In winter User skis", as the rules write it.
	return strings.Contains(content, " User ") || strings.Contains(content, " User's ")
}

// ofUser reports whether the sentences of a part of the message are about their writer,
// or ask for a manner of answering.
func (m *Message) ofUser(from, to int) bool {
	at := sort.Search(len(m.sentences), func(i int) bool { s := m.sentences[i]; return s[len(s)-1].end > from })
	for ; at < len(m.sentences) && m.sentences[at][0].start < to; at++ {
		if firstPerson(m.sentences[at]) {
			return true
		}
	}
	return imperative(m.text[from:to])
}

func firstPerson(tokens []token) bool {
	for _, t := range tokens {
		if among(t.word, "i", "my", "mine", "myself", "we", "our", "ours") {
			return true
		}
	}
	return false
}

// masked reports whether a part holds words that the rules don't count as the user's,
// except a name in quotation marks or a word of code.
func (m *Message) masked(from, to int) bool {
	for at := from; at < to; {
		end := m.words.sameUntil(at, to)
		if m.words[at] != own && strings.Count(m.text[at:end], " ") > longestName*2 {
			return true
		}
		at = end
	}
	return false
}

// pasted reports whether the rules count a part of the message as somebody else's, except
// a word of code.
func (m *Message) pasted() bool {
	for at := 0; at < len(m.text); {
		end := m.words.sameUntil(at, len(m.text))
		if part := m.text[at:end]; m.words[at] == foreign && (strings.Count(part, " ") > 1 || !strings.HasPrefix(part, "`")) {
			return true
		}
		at = end
	}
	return false
}

// unitStarts returns the byte at which each UTF-16 unit of a text begins, and the end.
func unitStarts(text string) []int {
	starts := make([]int, 0, len(text)+1)
	for at, r := range text {
		for range unitsOf(r) {
			starts = append(starts, at)
		}
	}
	return append(starts, len(text))
}

// unclosed recognises quotation marks after which the speaker is uncertain: an unpaired
// mark, one of a kind that English does not use, or a quotation that is more than a name.
func unclosed(text string) bool {
	if strings.ContainsAny(text, "「」『』《》〈〉‹›〝〞„‚｢｣＂❝❞") || strings.Contains(text, "``") || strings.Contains(text, "''") {
		return true
	}
	for _, marks := range []string{`""`, "“”", "«»"} {
		open, size := utf8.DecodeRuneInString(marks)
		if oddQuotes(text, string(open), marks[size:]) {
			return true
		}
	}
	return oddSingles(text)
}

func oddQuotes(text, open, shut string) bool {
	for {
		at := strings.Index(text, open)
		if at < 0 {
			return strings.Contains(text, shut)
		}
		if open != shut && strings.Contains(text[:at], shut) {
			return true
		}
		text = text[at+len(open):]
		end := strings.Index(text, shut)
		if end < 0 || speech(text[:end]) {
			return true
		}
		text = text[end+len(shut):]
	}
}

// speech distinguishes a quotation from a name: it is long, has lines, or speaks of its speaker.
func speech(quotation string) bool {
	words := wordsOf(quotation)
	if len(words) > longestName*2 || strings.Contains(quotation, "\n") {
		return true
	}
	for _, w := range words {
		if small.has("self", w) || strings.HasPrefix(w, "i'") {
			return true
		}
	}
	return false
}

// elided are words that begin with an apostrophe.
var elided = setOf("cause til till em bout n tis twas s round")

// oddSingles does the same as oddQuotes for single marks, which are also apostrophes.
func oddSingles(text string) bool {
	text = strings.NewReplacer("‘", "'", "’", "'").Replace(text)
	for before := ' '; ; {
		at := strings.IndexByte(text, '\'')
		if at < 0 {
			return false
		}
		if at > 0 {
			before, _ = utf8.DecodeLastRuneInString(text[:at])
		}
		text = text[at+1:]
		if words := wordsOf(text[:min(len(text), 12)]); wordRune(before) || len(words) > 0 && elided[words[0]] {
			before = '\''
			continue
		}
		end := closing(text, "'")
		if end < 0 || speech(text[:end]) {
			return true
		}
		text, before = text[end+1:], ' '
	}
}
