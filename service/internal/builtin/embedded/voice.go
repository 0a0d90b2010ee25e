package embedded

import (
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// secondPerson says a statement as the detectors write it, "User works at a hospital", to the
// user: "You work at a hospital". sure is false if the statement
// begins in another way, or if a pronoun may mean somebody else.
func secondPerson(statement string) (text string, sure bool) {
	s := speaker{text: strings.TrimPrefix(statement, "The "), sure: true}
	s.words = english.Of(s.text)
	if len(s.words) == 0 || strings.ToLower(s.words[0].Plain) != "user" {
		return statement, false
	}
	for i := range s.words {
		s.write(i)
	}
	return s.b.String() + s.text[s.at:], s.sure
}

// speaker writes a statement in the second person, word by word.
type speaker struct {
	text  string
	words []english.Word
	b     strings.Builder
	at    int // how many bytes of the text are written
	// self says that the user is the subject, verb that a verb of the user comes next.
	self, verb bool
	// several says that "they" may mean people other than the user.
	several, sure bool
}

var (
	leading  = english.Set("of with for to from by at about and but or so because that when while if where as since though although than")
	joining  = english.Set("and or but")
	relative = english.Set("who which that whose")
	adverbs  = english.Set("not never always often usually also still already sometimes rarely just now only")
	groups   = english.Set("team family company group band couple parents people children")
	others   = english.Set("he she his her him himself herself")
	// verbs are those that may follow an "and": "likes walks and hikes" may mean walks.
	verbs = english.Set(`is was has does goes works lives likes loves hates enjoys prefers wants needs uses plays speaks studies teaches learns reads writes
keeps owns runs eats drinks cooks takes makes sings drives rides builds manages leads knows thinks hopes plans tries wears travels`)
	// you are irregular forms after "you".
	you = map[string]string{
		"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go", "isn't": "aren't", "wasn't": "weren't", "hasn't": "haven't", "doesn't": "don't",
		"they": "you", "their": "your", "them": "you", "themselves": "yourself", "themself": "yourself",
	}
)

func (s *speaker) write(i int) {
	w, next := s.words[i], ""
	if i+1 < len(s.words) {
		next = s.words[i+1].Plain
	}
	switch {
	case s.user(i):
		s.writeUser(w, next)
	case s.verb && (adverbs[w.Plain] || strings.HasSuffix(w.Plain, "ly")):
	case s.verb, s.self && s.further(i, next):
		s.verb = false
		s.put(w, agreeing(w))
	case others[w.Plain], w.Plain == "they" && next == "", you[w.Plain] != "" && strings.HasPrefix(w.Plain, "the") && s.several:
		s.sure = s.sure && others[w.Plain] && !s.self
	case strings.HasPrefix(w.Plain, "the") && you[w.Plain] != "":
		s.put(w, you[w.Plain])
		s.verb = w.Plain == "they"
	default:
		s.meet(w)
	}
}

// put writes a word in place of another, after the text before it.
func (s *speaker) put(w english.Word, word string) {
	if s.begins(w.Start) {
		word = strings.ToUpper(word[:1]) + word[1:]
	}
	s.b.WriteString(s.text[s.at:w.Start] + word)
	s.at = w.End
}

// begins reports whether a sentence begins at a byte.
func (s *speaker) begins(at int) bool {
	text := strings.TrimRight(s.text[:at], " ")
	return text == "" || strings.ContainsAny(text[len(text)-1:], ".!?")
}

// user reports whether a word stands for the user. In "a User Experience designer" it does
// not.
func (s *speaker) user(i int) bool {
	w := s.words[i]
	return w.Plain == "user" && (s.begins(w.Start) || w.Capital() && leading[s.words[i-1].Plain])
}

func (s *speaker) writeUser(w english.Word, next string) {
	if strings.HasSuffix(w.Text, "s") {
		s.put(w, "your")
		return
	}
	s.self, s.verb = true, next != "" && next != "and"
	s.put(w, "you")
}

// agreeing returns the form of a verb that follows "you".
func agreeing(w english.Word) string {
	verb := strings.ReplaceAll(w.Text, "’", "'")
	switch stem := strings.TrimSuffix(verb, "s"); {
	case you[verb] != "":
		return you[verb]
	case len(verb) < 4 || hasSuffix(verb, "ss us"):
		return verb
	case len(verb) > 4 && hasSuffix(verb, "ies"):
		return strings.TrimSuffix(stem, "ie") + "y"
	case len(verb) > 4 && hasSuffix(verb, "xes ches shes sses zzes oes"):
		return strings.TrimSuffix(stem, "e")
	default:
		return stem
	}
}

func hasSuffix(word, endings string) bool {
	return slices.ContainsFunc(strings.Fields(endings), func(end string) bool { return strings.HasSuffix(word, end) })
}

// further recognises another verb of the user, as in "User is a nurse and has two cats".
func (s *speaker) further(i int, next string) bool {
	comma := strings.Contains(s.text[s.words[i-1].End:s.words[i].Start], ",")
	return verbs[s.words[i].Plain] && (comma || joining[s.words[i-1].Plain]) && next != "" && !joining[next]
}

// meet notes whom later pronouns may mean, and where the user stops being the subject.
func (s *speaker) meet(w english.Word) {
	s.self = s.self && !s.begins(w.Start) && !relative[w.Plain]
	many := len(w.Plain) > 3 && hasSuffix(w.Plain, "s") && !hasSuffix(w.Plain, "ss us") && !english.Stop(w.Plain) && !verbs[w.Plain]
	s.several = s.several || many || groups[w.Plain]
}
