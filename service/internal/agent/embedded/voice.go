package embedded

import "strings"

// voice has the words by which a statement about "User" speaks of the user.
type voice struct{ subject, owner, object, reflexive, is, was string }

var (
	// ownVoice is the user's: the rules for what was said in a chat read it. It is never shown.
	ownVoice  = voice{"I", "my", "me", "myself", "am", "was"}
	toldVoice = voice{"you", "your", "you", "yourself", "are", "were"}
)

// says puts a statement as the detectors write it, "User works at the harbour", into a voice.
// It is not sure where the statement begins otherwise, or where a pronoun may mean somebody else.
func (v voice) says(statement string) (text string, sure bool) {
	p := newPage(statement)
	s := speaker{voice: v, page: p, tokens: tokenize(p, span{0, len(p.text)}), sure: true}
	if len(s.tokens) == 0 || !s.user(s.start()) {
		return p.text, false
	}
	if v == ownVoice {
		s.bringTogether()
	}
	for i := s.start(); i < len(s.tokens); i++ {
		s.write(i)
	}
	return sentenceCase(s.b.String() + p.text[s.at:]), s.sure
}

// bringTogether brings "User and their wife love sushi" into the order of "my wife and I love sushi".
func (s *speaker) bringTogether() {
	if len(s.tokens) < 4 || s.tokens[0].word != "user" || s.tokens[1].word != "and" || !possessives[s.tokens[2].word] {
		return
	}
	for i := 4; i < len(s.tokens); i++ {
		if verbs[s.tokens[i].stem] || verbal(s.tokens[i].word) {
			last := s.tokens[i-1].end
			s.b.WriteString(s.owner + s.page.text[s.tokens[2].end:last] + " and " + s.subject)
			s.at, s.tokens, s.self = last, s.tokens[i:], true
			return
		}
	}
}

// speaker writes a statement in a voice, word by word.
type speaker struct {
	voice
	page
	tokens []token
	b      strings.Builder
	at     int // what is written of the page, in bytes
	// self tells that the user is the subject, verb that a verb of it is next.
	self, verb bool
	// several and somebody tell whom "they" and "she" may mean besides the user.
	several, somebody bool
	sure              bool
}

// start is the place of the first word: "the" of "The user" is left out.
func (s *speaker) start() int {
	if len(s.tokens) > 1 && s.tokens[0].word == "the" && s.tokens[1].word == "user" {
		s.at = s.tokens[1].start
		return 1
	}
	return 0
}

// user tells whether a word stands for the user. "A User Experience designer" is another.
func (s *speaker) user(i int) bool {
	t := s.tokens[i]
	if t.word != "user" || t.quoted {
		return false
	}
	if i == 0 || i == 1 && s.tokens[0].word == "the" {
		return true
	}
	before := s.tokens[i-1]
	return t.capital && (s.begins(i) || prepositions[before.word] || clauseOpeners[before.word])
}

var clauseOpeners = words("and but or so because that when while if where which what as since though although than")

// begins tells whether a sentence begins with a word.
func (s *speaker) begins(i int) bool {
	return i == 0 || strings.ContainsAny(s.page.text[s.tokens[i-1].end:s.tokens[i].start], ".!?")
}

func (s *speaker) write(i int) {
	t := s.tokens[i]
	switch {
	case t.quoted:
	case s.user(i):
		s.writeUser(i)
	case s.verb && (adverbs[t.word] || negations[t.word]):
	case s.verb:
		s.verb = false
		s.put(t, s.agreeing(t))
	case s.pronoun(i):
	case s.self && s.second(i):
		s.put(t, s.agreeing(t))
	default:
		s.meet(i)
	}
}

// put writes a word in the place of a token, after what stands before it.
func (s *speaker) put(t token, word string) {
	s.b.WriteString(s.page.text[s.at:t.start] + word)
	s.at = t.end
}

func (s *speaker) writeUser(i int) {
	owns := i+1 < len(s.tokens) && s.tokens[i+1].word == "'s" && !shortIs(s.tokens, i+1)
	after := i > s.start() && !s.begins(i) && prepositions[s.tokens[i-1].word]
	word := s.subject
	switch {
	case owns:
		word = s.owner
		s.self, s.verb = s.self && after, false
	case after:
		word = s.object
	default:
		s.self = true
		s.verb = i+1 < len(s.tokens) && s.tokens[i+1].word != "and"
	}
	if s.begins(i) {
		word = sentenceCase(word)
	}
	s.put(s.tokens[i], word)
	if owns {
		s.at = s.tokens[i+1].end
	}
}

// agreeing is a verb as it stands beside the voice's subject.
func (s *speaker) agreeing(t token) string {
	written := s.page.text[t.start:t.end]
	switch t.word {
	case "is", "are", "'s":
		if t.word == "'s" {
			return " " + s.is
		}
		return s.is
	case "was", "were":
		return s.was
	case "has":
		return "have"
	case "does", "goes":
		return strings.TrimSuffix(written, "es")
	}
	if !thirdPerson(t.word) {
		return written
	}
	return withoutEnding(written)
}

// thirdPerson tells the form of "works".
func thirdPerson(word string) bool {
	return len(word) > 3 && strings.HasSuffix(word, "s") && !hasSuffix(word, "ss", "us", "'s")
}

// withoutEnding takes the ending off a verb: works, watches, studies.
func withoutEnding(verb string) string {
	switch n := len(verb); {
	case n > 4 && strings.HasSuffix(verb, "ies"):
		return verb[:n-3] + "y"
	case n > 4 && hasSuffix(verb, "xes", "ches", "shes", "sses", "zzes", "oes"):
		return verb[:n-2]
	default:
		return verb[:n-1]
	}
}

// second tells a further verb of the user, as in "User is a nurse and has two cats".
func (s *speaker) second(i int) bool {
	t := s.tokens[i]
	if i+1 >= len(s.tokens) || s.begins(i) || !t.pause && !conjunctions[s.tokens[i-1].word] && s.tokens[i-1].word != "or" {
		return false
	}
	if next := s.tokens[i+1]; next.pause || next.word == "and" || next.word == "or" {
		return false
	}
	return t.word == "is" || t.word == "was" || t.word == "has" || t.word == "does" || thirdPerson(t.word) && verbs[t.stem]
}

// meet notes whom later pronouns may mean, and where the user is the subject no more.
func (s *speaker) meet(i int) {
	t := s.tokens[i]
	s.self = s.self && !s.begins(i) && t.word != "who" && t.word != "which" && t.word != "whose" && t.word != "that"
	s.several = s.several || severalOf(t) && !verbs[t.stem] && !timeWords[t.stem] || groups[t.word]
	s.somebody = s.somebody || t.capital || people[t.stem]
}

var people = stems(`sister brother mother father son daughter child baby wife husband partner spouse girlfriend boyfriend friend boss manager colleague
	neighbour neighbor aunt uncle cousin nephew niece grandmother grandfather grandma grandpa twin doctor teacher student client dog cat pet horse`)

// groups are nouns that "they" may mean.
var groups = words("team family company group band couple class parents")

// pronoun writes a pronoun that means the user. The detectors write "they" for "I"; a model
// or an administrator may write "he" and "she".
func (s *speaker) pronoun(i int) bool {
	t := s.tokens[i]
	word := s.third(i)
	neutral := strings.HasPrefix(t.word, "the")
	switch {
	case word == "":
		return false
	case neutral && s.several, !neutral && s.self && s.somebody:
		s.sure = false
		return true
	case neutral && s.verbless(i):
		s.sure = false
		return true
	case !neutral && !s.self:
		return true
	}
	if s.begins(i) {
		word = sentenceCase(word)
	}
	s.put(t, word)
	s.verb = t.word == "they" || t.word == "he" || t.word == "she"
	return true
}

// verbless tells a "they" that begins no clause, as in "User goes by they".
func (s *speaker) verbless(i int) bool {
	return s.tokens[i].word == "they" && (i+1 == len(s.tokens) || s.tokens[i+1].pause || s.tokens[i+1].word == "and")
}

// third is what a pronoun of the third person is in the voice, "" for other words.
func (s *speaker) third(i int) string {
	switch s.tokens[i].word {
	case "they", "he", "she":
		return s.subject
	case "their", "his":
		return s.owner
	case "them", "him":
		return s.object
	case "themselves", "themself", "himself", "herself":
		return s.reflexive
	case "her":
		if i+1 < len(s.tokens) && !s.tokens[i+1].pause && !prepositions[s.tokens[i+1].word] && !conjunctions[s.tokens[i+1].word] {
			return s.owner
		}
		return s.object
	}
	return ""
}
