package rules

import (
	"strings"
	"unicode/utf8"
)

// longestContent is how long a memory may be, in code points; see docs/protocol.md, Limits.
const longestContent = 300

// longestClause is the most tokens from which a statement is made.
const longestClause = 64

// found notes what a clause says.
func (f frame) found(text string, v verdict) []candidate {
	whole := f.tokens
	if len(whole) > longestClause {
		whole = whole[:longestClause]
	}
	for len(whole) >= len(f.group) && len(whole) > 0 {
		content, end := f.statement(text, whole)
		if utf8.RuneCountInString(content) <= longestContent {
			return []candidate{{v, content, f.start(), end}}
		}
		whole = shorter(whole, len(f.group))
	}
	return nil
}

// shorter drops the words after the last comma, or the last words.
func shorter(ts []token, least int) []token {
	for i := len(ts) - 1; i > least+2; i-- {
		if ts[i].pause() {
			return ts[:i]
		}
	}
	return ts[:max(len(ts)-4, 0)]
}

func (f frame) start() int {
	switch {
	case len(f.front) > 0:
		return f.front[0].start
	case f.clause.subject != nil:
		return f.tokens[0].start
	}
	return f.subject[0].start
}

// statement puts the tokens after the subject into the third person, and returns the
// byte after the last word.
func (f frame) statement(text string, ts []token) (string, int) {
	w := writer{text: text}
	w.subject(f)
	w.verbGroup(f)
	w.listed = f.person == self && f.aspect == simple && f.modal == "" && !f.past && !f.negated && verbs.has("habit", f.verb)
	w.rest(ts[len(f.group):])
	end := ts[len(ts)-1].end
	if mark := balancing(text, f.start(), end); mark != "" {
		w.b.WriteString(mark)
		end += len(mark)
	}
	if len(f.front) > 0 {
		front := writer{text: text}
		front.opening(f.front)
		w.b.WriteString(" " + lowerFirst(strings.TrimSpace(front.b.String())))
	}
	return tidy(w.b.String()), end
}

// balancing returns the mark that closes a quotation or bracket opened in the span.
func balancing(text string, start, end int) string {
	for _, q := range []struct{ open, close string }{{"(", ")"}, {"\"", "\""}, {"“", "”"}, {"[", "]"}} {
		if !strings.HasPrefix(text[end:], q.close) {
			continue
		}
		opened := strings.Count(text[start:end], q.open)
		if q.open == q.close && opened%2 == 1 || q.open != q.close && opened > strings.Count(text[start:end], q.close) {
			return q.close
		}
	}
	return ""
}

func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return strings.ToLower(string(r)) + s[n:]
}

func tidy(s string) string { return strings.Join(strings.Fields(s), " ") }

// writer writes tokens of a message in the third person.
type writer struct {
	text string
	b    strings.Builder
	// agree is the pronoun whose verb comes next: "they", "it" or "".
	agree string
	// written says that the last token was written in another form than in the message.
	written bool
	// listed says that more verbs of the same subject may follow: "I read the
	// news, watch films and …".
	listed bool
	// addressed is the word in place of "you".
	addressed, possessed string
}

func (w *writer) subject(f frame) {
	switch f.person {
	case self:
		w.b.WriteString("User")
		if f.subject[0].word == "we" && f.verb == "be" && f.aspect == simple && collective(f.object) {
			w.b.WriteString(" and others")
		}
	case couple:
		w.b.WriteString("User and their")
		w.rest(f.ownedTokens())
	case mine:
		if f.subject[0].word == "both" {
			w.b.WriteString("Both of ")
		}
		w.b.WriteString("User's")
		w.rest(f.ownedTokens())
	}
}

// ownedTokens are the words after "my" in the subject.
func (f frame) ownedTokens() []token {
	for i, t := range f.subject {
		if among(t.word, "my", "our") {
			end := len(f.subject)
			if f.person == couple && end > 2 && f.subject[end-2].word == "and" {
				end -= 2
			}
			return f.subject[i+1 : end]
		}
	}
	return nil
}

func collective(p phrase) bool {
	switch p.head {
	case "team", "group", "family", "couple", "company", "band", "startup", "household", "class":
		return true
	}
	return plural(p.head) || len(p.words) > 0 && singular(p.words[len(p.words)-1]) != p.words[len(p.words)-1]
}

// verbGroup writes auxiliaries and verb, the first of them in agreement with
// the subject.
func (w *writer) verbGroup(f frame) {
	if n := len(f.subject); n > 1 && len(f.group) > 0 && f.person == mine && f.group[0].pause() {
		w.b.WriteString(",")
	}
	done := f.person != self || f.subject[0].word == "we" && f.verb == "be" && f.aspect == simple && collective(f.object)
	for i, t := range f.group {
		written := w.text[t.start:t.end]
		switch {
		case small.has("dropped", t.word), t.word == "got" && f.verb == "have":
			continue
		case t.word == "not":
			if i > 0 && f.group[i-1].word == "can" {
				w.b.WriteString("not")
			} else {
				w.b.WriteString(" not")
			}
			continue
		case t.word == "'s":
			written, done = "is", true
		case t.word == "'d":
			written, done = "would", true
			if f.modal != "would" {
				written = "had"
			}
		case t.gap == "" && i >= 0 || t.word != strings.ToLower(written):
			written = t.word // a part of a contraction
		}
		if !done && !((adverb(t.word) || among(t.word, "no", "longer")) && i < len(f.group)-1) {
			written, done = thirdPerson(written), true
		}
		w.b.WriteString(" " + written)
	}
	w.written = true // the contraction with the verb is written out
}

// pronouns are the words of the first person in the third.
var pronouns = map[string]string{"i": "they", "me": "them", "my": "their", "mine": "theirs", "myself": "themselves", "we": "they", "us": "them", "our": "their",
	"ours": "theirs", "ourselves": "themselves"}

// rest writes what follows the verb.
func (w *writer) rest(ts []token) {
	for i, t := range ts {
		if w.listed && i > 0 && i+1 < len(ts) && (strings.Contains(t.gap, ",") || among(ts[i-1].word, "and", "or")) && anotherVerb(t, ts[i+1]) {
			w.write(t.gap, thirdPerson(w.text[t.start:t.end]), false)
			continue
		}
		w.token(t)
	}
}

// anotherVerb reports whether a word is a verb that takes the next one along.
func anotherVerb(t, next token) bool {
	return verbs.any(t.word, "habit", "like", "factual") && !t.quoted && next.gap == " " && !among(next.word, "and", "or") && !small.has("adverb", t.word)
}

// opening writes tokens at the beginning, without the text before them.
func (w *writer) opening(ts []token) {
	for i, t := range ts {
		if i == 0 {
			t.gap = ""
		}
		w.token(t)
	}
}

func (w *writer) token(t token) {
	as := w.text[t.start:t.end]
	gap := t.gap
	switch other, ok := pronouns[t.word]; {
	case t.quoted:
		w.agree = ""
	case ok:
		as = other
		if among(t.word, "i", "we") {
			w.agree = "they"
		}
		w.write(gap, as, true)
		return
	case among(t.word, "you", "your", "yourself"):
		as = w.second(t.word)
		w.write(gap, as, true)
		return
	case w.agree != "" && !(adverb(t.word) && t.gap != ""):
		as = agreeing(t.word, as, w.agree)
		w.agree = ""
		w.write(gap, as, true)
		return
	case gap == "" && w.written && w.b.Len() > 0:
		as = t.word
	}
	w.write(gap, as, gap == "" && w.written)
}

func (w *writer) write(gap, as string, rewritten bool) {
	if gap == "" && w.b.Len() > 0 && w.written {
		gap = " "
	}
	if w.b.Len() > 0 && gap == "" && rewritten {
		gap = " "
	}
	w.b.WriteString(gap + as)
	w.written = rewritten
}

// second is the assistant's name in place of "you", "your", "yourself".
func (w *writer) second(word string) string {
	name, possessed := "the assistant", "the assistant's"
	if w.addressed != "" {
		name, possessed = w.addressed, w.possessed
	}
	switch word {
	case "your":
		return possessed
	case "yourself":
		return "itself"
	}
	w.agree = "it"
	return name
}

// agreeing returns the form of a verb after "they" or "it".
func agreeing(word, written, pronoun string) string {
	if word == "'d" {
		return "would"
	}
	if pronoun == "it" {
		if small.has("preposition", word) || small.has("determiner", word) || word != lemma(word) && !finite[word] || word == "to" {
			return written
		}
		return thirdPerson(word)
	}
	switch word {
	case "am", "is":
		return "are"
	case "was":
		return "were"
	}
	if finite[word] {
		return word
	}
	return written
}
