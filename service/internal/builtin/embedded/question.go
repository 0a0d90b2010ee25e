package embedded

import (
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

var (
	greetings      = english.Set("hi hello hey howdy greetings morning afternoon evening there again yo good")
	fillers        = english.Set("hi hello hey please so ok okay and but well now then sorry actually thanks")
	interrogatives = english.Set("who whom whose what whats which when where wheres why how")
	auxiliaries    = english.Set("do does did is are am was were can could will would should may must have has don't doesn't didn't isn't aren't can't")
	pronouns       = english.Set("i he she it we you they i'm i've")
	owners         = english.Set("i i'm i've i'd i'll my mine myself we our ours")
	talkers        = english.Set("you your yours yourself me us")
	orders         = english.Set(`tell remind show list give repeat quote recall say summarize summarise recap write translate draw explain describe make count
find pretend compute calculate help print read create generate compare define suggest imagine answer ignore forget sing play solve convert search`)
	recalling = english.Set("tell remind show list give repeat quote recall say")
	// frame are the words around what a question asks for: "Can you remind me what I said about …".
	frame = english.Set(`know remember remind tell please say said mention mentioned told asked ask think called list show give recall repeat quote
exactly currently right now about`)
)

// question is a sentence, or a part of one, that asks or orders.
type question struct {
	text  string
	words []english.Word
	// holds has each word once, in lower case.
	holds map[string]bool
	order bool
	// asks is "where", "when" and so on; "" in a yes-or-no question.
	asks string
	// own says that it asks about the user, talk that it asks about the user or the agent.
	own, talk bool
	// wanted are the stems that an answer must have, kind those that it may have: "languag" in
	// "What language do I speak?".
	wanted, kind []string
}

// questionsIn finds what a sentence asks: nothing if it states something, and two questions in "What
// is my name and where do I work?".
func questionsIn(sentence string) (all []question) {
	words := english.Of(sentence)
	for len(words) > 1 && (fillers[words[0].Plain] || greetings[words[0].Plain]) {
		words = words[1:]
	}
	if len(words) == 0 || !asksOrOrders(sentence, words) {
		return nil
	}
	start := 0
	for i := 1; i+2 < len(words); i++ {
		if next := words[i+1].Plain; words[i].Plain == "and" && (interrogatives[next] || auxiliaries[next]) {
			all = append(all, newQuestion(sentence, words[start:i]))
			start = i + 1
		}
	}
	return append(all, newQuestion(sentence, words[start:]))
}

func asksOrOrders(sentence string, words []english.Word) bool {
	first, next := words[0].Plain, ""
	if len(words) > 1 {
		next = words[1].Plain
	}
	_, open := english.Subject(words)
	mark := strings.HasSuffix(strings.TrimRight(sentence, "!. \"”"), "?")
	return mark || open || orders[first] || interrogatives[first] && !pronouns[next] || auxiliaries[first] && next != ""
}

func newQuestion(sentence string, words []english.Word) question {
	q := question{text: sentence, words: words, holds: map[string]bool{}, order: orders[words[0].Plain]}
	subject, _ := english.Subject(words) // "What do we know about the Ashby?" is about nobody
	for _, w := range subject {
		q.own, q.talk = q.own || owners[w.Plain], q.talk || talkers[w.Plain]
	}
	for _, w := range words {
		q.holds[w.Plain] = true
		if q.asks == "" && interrogatives[w.Plain] {
			q.asks = strings.TrimSuffix(w.Plain, "s")
		}
	}
	q.read()
	return q
}

// read finds the words that an answer must have.
func (q *question) read() {
	verb, related := false, false
	var names []string
	for i, w := range q.words {
		verb = verb || auxiliaries[w.Plain] || interrogatives[w.Plain] && strings.HasSuffix(w.Text, "s")
		plain := w.Plain
		if plain == "living" || plain == "do" && i == len(q.words)-1 && i > 0 {
			plain = "job" // "What does she do?", "What do I do for a living?"
		}
		stem := stemOf(plain)
		switch {
		case !liked[stem] && (english.Stop(plain) || frame[plain] || fillers[plain] || owners[plain] || interrogatives[plain]):
		case !verb && (q.asks == "what" || q.asks == "which") && relations[stem] == nil:
			q.kind = append(q.kind, stem)
		case q.asks == "" && w.Capital():
			names = append(names, stem)
		default:
			q.wanted, related = append(q.wanted, stem), related || relations[stem] != nil
		}
	}
	if !related { // otherwise a fact answers "Is my name Bob?"
		q.wanted = append(q.wanted, names...)
	}
	switch {
	case len(q.wanted) > 0 || !q.own:
	case q.asks == "who":
		q.wanted = []string{"name"}
	case q.asks == "where" && q.has("from"):
		q.wanted = []string{"from"}
	}
}

// has reports whether one of the words is in the question.
func (q question) has(list string) bool {
	for word := range strings.FieldsSeq(list) {
		if q.holds[word] {
			return true
		}
	}
	return false
}

// recalls reports whether the chat or the memories can answer it. They can't answer an order to
// write something.
func (q question) recalls() bool { return !q.order || recalling[q.words[0].Plain] }

// advice reports whether no statement of the user can answer it: it asks how, why or whether to do
// something.
func (q question) advice() bool {
	return q.asks == "why" || q.has("should could may must") || q.asks == "how" && q.words[0].Plain == "how" && len(q.words) > 1 &&
		(auxiliaries[q.words[1].Plain] || q.words[1].Plain == "to")
}

// stemOf is the stem of a word, the same for British and American spelling.
func stemOf(plain string) string {
	if plain == "lives" {
		return "live" // package english thinks that it is a noun
	}
	stem := english.Stem(plain)
	if len(stem) > 4 {
		stem = strings.Replace(stem, "our", "or", 1)
	}
	return stem
}
