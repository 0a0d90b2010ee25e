package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// secretTalk are the words around a secret in English, German, French, Spanish,
// Italian, Portuguese and Dutch. One list serves all: they don't clash.
var secretTalk = readLexicon("words/secrets.txt")

// piece is a word between white space.
type piece struct {
	start, end int    // bytes
	word       string // in lower case, without punctuation around it
	ends       bool   // a clause ends with it
}

// telling is a text in which secrets are looked for.
type telling struct {
	text   string
	pieces []piece
	cover  []span
}

type span struct{ start, end int }

// longestRun is the most words of a secret if nothing else ends it.
const longestRun = 8

// redactSpoken hides secrets that a sentence states: "my password is tulip
// garden 7", "I use hunter2 as my password", "mein Passwort lautet …".
func redactSpoken(text string) string {
	t := telling{text: text, pieces: piecesOf(text)}
	at := 0
	for _, m := range named.FindAllStringIndex(text, -1) {
		for at < len(t.pieces) && t.pieces[at].end <= m[0] {
			at++
		}
		t.around(at, m[0], m[1])
	}
	return t.redacted()
}

// piecesOf cuts a text at white space.
func piecesOf(text string) []piece {
	var all []piece
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		if unicode.IsSpace(r) {
			if r == '\n' && len(all) > 0 {
				all[len(all)-1].ends = true
			}
			at += n
			continue
		}
		end := at
		for end < len(text) {
			r, n := utf8.DecodeRuneInString(text[end:])
			if unicode.IsSpace(r) {
				break
			}
			end += n
		}
		all = append(all, pieceOf(text, at, end))
		at = end
	}
	return all
}

func pieceOf(text string, start, end int) piece {
	raw := strings.ToLower(text[start:end])
	word := strings.Trim(raw, `.,;:?!()[]"“”„'‘’`)
	if word == "" {
		word = raw
	}
	return piece{start, end, word, strings.ContainsAny(raw[len(raw)-1:], ".,;?!)") && word != raw}
}

func (t *telling) at(i int) piece {
	if i < 0 || i >= len(t.pieces) {
		return piece{ends: true}
	}
	return t.pieces[i]
}

func (t *telling) is(i int, sections ...string) bool {
	return secretTalk.any(t.at(i).word, sections...)
}

// around looks before and after the name of a secret, which begins in piece
// first.
func (t *telling) around(first, start, end int) {
	last := first
	for t.at(last).end < end {
		last++
	}
	name, tail := t.text[start:end], t.text[end:t.pieces[last].end]
	if strings.EqualFold(name, "pass") { // usually another word
		if (tail == ":" || tail == "" && t.is(last+1, "copula")) && (t.code(last+1) || t.code(last+2)) {
			t.said(last+1, name)
		}
		return
	}
	switch strings.TrimRight(tail, `"'”`) {
	case ":", "=":
		t.said(last+1, name)
		return
	case "'s", "’s":
		if t.code(last + 1) {
			t.value(last+1, name)
		}
		return
	case "":
		t.behind(first, last+1, name)
	default:
		if r, _ := utf8.DecodeRuneInString(tail); r == '=' || r == ':' || r == '-' || r == '_' || r == '/' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return // a longer word, or a form that redactNamed reads
		}
	}
	if tail == "," && t.is(last+1, "which") && t.is(last+2, "copula") {
		t.said(last+3, name)
	}
	if tail != "" || !t.is(last+1, "compound") {
		t.before(first, name)
		t.later(last+1, name)
	}
}

// behind reads "password is X", "password for the wifi is X", "password to X",
// "password from X to Y" and "password X"; next is the piece after the name.
func (t *telling) behind(first, next int, name string) {
	if strings.HasPrefix(t.text[t.at(next).start:t.at(next).end], "(") {
		for i := next; i < next+6; i++ {
			if t.at(i).ends && t.is(i+1, "copula") {
				t.said(i+2, name)
				return
			}
		}
	}
	switch {
	case t.is(next, "copula") && (!t.partOf(first) || t.code(next+1)):
		t.said(next+1, name)
	case t.is(next, "copula"):
	case t.qualified(next) > 0:
		t.said(t.qualified(next)+1, name)
	case t.is(next, "change") && t.is(next+1, "into", "inside") && t.code(next+2):
		t.value(next+2, name)
	case t.is(next, "into") && (t.code(next+1) && passes(name) || t.near(first, "change")):
		t.value(next+1, name)
	case t.is(next, "inside", "from", "into"):
		if t.code(next+1) && passes(name) && (t.near(first, "change") || !t.is(next, "inside")) {
			t.value(next+1, name)
		}
		if t.is(next+2, "into", "inside") && t.code(next+3) {
			t.value(next+3, name)
		}
	case t.is(first-1, "as"), t.is(first-2, "as"):
		t.chosen(next, name)
	case next < len(t.pieces) && passes(name) && !t.is(next, "ordinary") && quotedEnd(t.text[t.at(next).start:]) > 0:
		t.value(next, name)
	case t.code(next), t.used(first) && !t.is(next, "compound"):
		t.value(next, name)
	}
}

// later reads "password that I use is X1" and "password? It's X1", where the secret
// has the form of one.
func (t *telling) later(next int, name string) {
	sentences := 0
	for i := next; i < next+longestRun && i < len(t.pieces) && sentences < 2; i++ {
		alone := t.at(i-1).ends && t.at(i+1).start == 0 || t.is(i-1, "copula", "answer")
		if alone && t.code(i) {
			t.hide(i, i, name)
			return
		}
		if t.at(i).ends {
			sentences++
		}
	}
}

// qualified returns the copula of "password for the wifi at home is", or 0.
func (t *telling) qualified(next int) int {
	if !t.is(next, "preposition") && !strings.HasPrefix(t.at(next).word, "d'") && !strings.HasPrefix(t.at(next).word, "l'") {
		return 0
	}
	for i := next + 1; i < next+7 && !t.at(i-1).ends; i++ {
		if t.is(i, "copula") {
			return i
		}
	}
	return 0
}

// partOf recognises "the field of the password is", which does not say the password, unlike "one of my passwords is".
func (t *telling) partOf(first int) bool {
	for i := first - 1; i >= first-2 && i > 0 && !t.at(i).ends; i-- {
		if t.is(i, "part") {
			return !t.is(i-1, "article")
		}
	}
	return false
}

// said reads what follows "is", beyond words like "now" and an article before digits.
func (t *telling) said(i int, name string) {
	for t.is(i, "still") && !t.at(i).ends {
		i++
	}
	if t.is(i, "owner", "article") && t.code(i+1) && !t.at(i).ends {
		i++
	}
	t.value(i, name)
}

// chosen reads "as my password I use X".
func (t *telling) chosen(next int, name string) {
	use := false
	for i := next; i < next+4; i++ {
		if use && !t.is(i, "ordinary", "use", "still", "owner") {
			t.value(i, name)
			return
		}
		use = use || t.is(i, "use")
	}
}

// used recognises "use the password", "with the password" and "user ana, password".
func (t *telling) used(first int) bool {
	if t.is(first-1, "with") || t.is(first-1, "and") && t.is(first-2, "login") {
		return true
	}
	for i := first - 2; i > first-7 && i >= 0 && !t.at(i).ends; i-- {
		if t.is(i, "login") || t.is(first-1, "owner") && !t.at(first-1).ends && i > first-5 && t.is(i, "use", "with") {
			return true
		}
	}
	return false
}

// near looks for a word in the clause before a name, or right after its value.
func (t *telling) near(first int, section string) bool {
	for i := first - 1; i > first-8 && !t.at(i).ends; i-- {
		if t.is(i, section) {
			return true
		}
	}
	return false
}

// before reads "X is my password", "is X a good password" and "use X as my password".
func (t *telling) before(first int, name string) {
	for i := first - 1; i >= first-3 && i > 0 && !t.at(i).ends; i-- {
		switch {
		case t.is(i, "as") && (t.code(i-1) || t.useOf(i-1)):
			t.hide(i-1, i-1, name)
			return
		case t.is(i, "owner") && t.is(i-1, "copula"):
			t.subject(i-2, name)
			return
		case t.is(i, "article") && t.is(i-2, "copula") && t.code(i-1):
			t.hide(i-1, i-1, name)
			return
		case t.is(i, "and"):
			return
		}
	}
}

// useOf reports whether a verb of use is before a piece.
func (t *telling) useOf(i int) bool {
	before := i - 1
	for t.is(before, "still") {
		before--
	}
	return t.is(before, "use")
}

// redacted returns the text with the noted pieces hidden.
func (t *telling) redacted() string {
	var c cover
	for _, s := range merged(t.cover) {
		c.hide(t.text, s.start, s.end)
	}
	return c.text(t.text)
}
