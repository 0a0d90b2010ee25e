// Package rules finds what a user says about themselves in an English message:
// preferences, facts, and current circumstances. It uses only the text, without a model,
// a clock or state, and is safe for concurrent use. Start with [Detect].
//
// A message goes through four steps, a file or two for each: the parts that are
// not the user's own words are masked (own, payload), role plays and
// hypotheticals are silenced (silence), the rest is cut into clauses (token,
// clause), and each clause is taken apart (frame, noun, verb) and judged by the
// kind of its verb (be, have, act, want, mine, favourite, standing). Each clause
// is a part, whether a rule takes it or not (parts). Weights that were learnt from
// labelled messages say which parts become findings (features, learned). Findings
// are written in the third person (statement). The word lists are in words/.
// Precision comes before recall.
//
// A finding may not be the user's own statement. [Doubt] says why a reviewer has to see
// a statement, including a model's, before it is used (doubt, layout, voices, context,
// manner, address).
package rules

import (
	"sort"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// The types of a memory; see docs/protocol.md, Memory.
const (
	preference = "preference"
	fact       = "fact"
	context    = "context"
)

// Finding is something worth remembering that a user said about themselves.
type Finding struct {
	Type       string  // "preference", "fact" or "context"
	Content    string  // a short statement in the third person: "User prefers bullet points"; at most 300 characters
	Confidence float64 // 0 to 1: an estimate of how often a finding by this rule is right, not a measurement
	Start, End int     // the user's own words in the message, in UTF-16 units
}

// verdict is a rule's judgement of a clause.
type verdict struct {
	kind       string
	confidence float64
}

var no verdict

// candidate is what a rule found, before it is a Finding.
type candidate struct {
	verdict
	content    string
	start, end int // bytes
}

// longestMessage is how many bytes of a message are read. A longer message is pasted
// text.
const longestMessage = 16_000

// Detect finds what the user says about themselves in a message, in the order
// of the message. It takes time proportional to the message's length. It
// finds nothing in a message in another language, or in a clause that holds a secret.
func Detect(message string) []Finding {
	text, parts := read(message)
	return findings(text, chosen(parts))
}

// read returns the parts of a message whose secrets are hidden.
func read(message string) (text string, parts []part) {
	text = Redact(message)
	if len(text) > longestMessage {
		text = text[:runeStart(text, longestMessage)]
	}
	if !utf8.ValidString(text) || !english.Is(text) {
		return text, nil
	}
	words := ownWords(text)
	maskSecrets(text, words)
	return text, partsOf(text, sentencesOf(silenced(tokenize(text, words))))
}

func runeStart(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// alone reports whether a message says one thing and asks nothing.
func alone(tokens []token) bool {
	if len(tokens) > 32 {
		return false
	}
	for _, t := range tokens {
		if t.asked || among(t.word, "you", "your") || t.quoted {
			return false
		}
	}
	return true
}

// interrogative reports whether a clause begins as a question.
func interrogative(ts []token) bool {
	ts = skipFillers(ts)
	return len(ts) > 1 && (small.has("wh", ts[0].word) || small.has("question-aux", ts[0].word) && (ts[0].word != "may" || ts[1].word == "i"))
}

// reaction reports whether a sentence speaks of the last answer: "Those are cool."
func reaction(ts []token) bool {
	ts = skipFillers(ts)
	return len(ts) > 1 && len(ts) < 9 && among(ts[0].word, "those", "these", "that", "it") && (finite[ts[1].word] || among(ts[1].word, "sounds", "sound", "look"))
}

// judge asks the rules about a clause.
func judge(text string, c clause, reacts bool) []candidate {
	for _, rule := range []func(string, clause) []candidate{roleOf, standing, favouriteOf} {
		if all := rule(text, c); len(all) > 0 {
			return all
		}
	}
	f, ok := frameOf(c)
	if !ok || f.unsaid() {
		return nil
	}
	v := f.verdict(reacts)
	if v.confidence < threshold {
		return nil
	}
	return f.found(text, v)
}

// threshold is the lowest confidence of a finding.
const threshold = 0.6

// unsaid reports whether a clause takes back or leaves open what it says.
func (f frame) unsaid() bool {
	switch f.modal {
	case "might", "may", "shall", "must":
		return true
	}
	if f.verb != "be" && f.next(0) == "not" {
		return true // "I don't."
	}
	return f.adverbs["probably"] || f.restHas("pretend")
}

func (f frame) verdict(reacts bool) verdict {
	if f.person == mine {
		return judgeMine(f)
	}
	switch {
	case f.aspect == progressive, f.aspect == ongoing:
		return judgeDoing(f)
	case f.verb == "be":
		return judgeBe(f)
	case f.verb == "have" && f.modal != "can":
		return judgeHave(f)
	case f.aspect == perfect:
		return judgePerfect(f)
	case verbs.has("like", f.verb), f.modal == "would" && f.verb == "rather", f.verb == "rather", f.verb == "stand", f.verb == "bear":
		return judgeLike(f, reacts)
	case f.verb == "want", f.verb == "plan", f.verb == "hope", f.verb == "wish", f.verb == "need", f.verb == "intend", f.verb == "aim", f.verb == "dream", f.verb == "decide":
		return judgeWant(f)
	case f.past:
		return judgePast(f)
	case f.modal == "can", f.modal == "could", f.modal == "will", f.modal == "would", f.modal == "should":
		return judgeAble(f)
	}
	return judgeHabit(f)
}

// findings returns what was found in the form of the API, without repeats.
func findings(text string, all []candidate) []Finding {
	sort.SliceStable(all, func(i, j int) bool { return all[i].start < all[j].start })
	var out []Finding
	units := counter{text: text}
	seen := map[string]bool{}
	for _, f := range all {
		if seen[f.content] || holdsSecret(text[f.start:f.end]+f.content) || utf8.RuneCountInString(f.content) > longestContent {
			continue
		}
		seen[f.content] = true
		start := units.at(f.start)
		out = append(out, Finding{f.kind, f.content, f.confidence, start, start + unitsIn(text[f.start:f.end])})
	}
	return out
}
