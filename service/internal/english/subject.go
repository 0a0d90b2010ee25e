package english

import "slices"

var (
	// asking are the words of a question that only ask: "What
	// do we know about …", "Can you give me any information on …".
	asking = Set(`what which how much is are was there do does can could would will please you we i us me the a an our your these those this some
any anything something everything all more to it in i'd we'd like want let let's if hello hi hey so ok okay well now thanks thank and`)
	// asked are such words too; an open question has at least one of them.
	asked = Set(`know known knows tell anything something everything information info facts details have has got say says said written stated recorded
mentioned give show find describe explain summarize summarise summary overview learn hear read docs documents
document documentation files file sources handbook manual guide notes pages articles text texts library material`)
	// links are between them and what the question is about.
	links = Set("about on of regarding concerning")
	// wholes may be before "of": "the sources of the Nile" does not ask for documents.
	wholes = Set("know known summary overview learn hear")
	// direct are words that need no link.
	direct = Set("describe explain summarize summarise")
	// interrogatives begin a question within the question.
	interrogatives = Set("who whom whose when where why how which what if whether")
	// A question with one of speakers before one of speech asks about the
	// chat, not about documents.
	speakers = Set("i you we")
	speech   = Set("say said")
)

// Subject returns what a question is about, without the words before it that only ask:
// "the Ashby" for "What do we know about the Ashby?". Such a question is open, unless it
// asks for one thing, as "Do you know when it was mapped?" does. Other questions are
// returned unchanged.
func Subject(question []Word) (subject []Word, open bool) {
	at, found, spoken := 0, false, false
	for ; at < len(question); at++ {
		word := question[at].Plain
		if !asking[word] && !asked[word] {
			break
		}
		found = found || asked[word]
		spoken = spoken || speech[word] && at > 0 && speakers[question[at-1].Plain]
	}
	if at == 0 || at == len(question) || spoken || !found && !whatAbout(question) {
		return question, false
	}
	rest := question[at:]
	switch word, before := rest[0].Plain, question[at-1].Plain; {
	case word == "of" && !wholes[before]:
		return question, false
	case links[word]:
		rest = rest[1:]
	case !afterDirect(question[:at]) && !interrogatives[word]:
		return question, false
	}
	if !slices.ContainsFunc(rest, func(w Word) bool { return !Stop(w.Plain) }) {
		return question, false // it doesn't say what it is about
	}
	return rest, !interrogatives[rest[0].Plain]
}

// whatAbout recognises "What about the Ashby?".
func whatAbout(question []Word) bool {
	return len(question) > 1 && (question[0].Plain == "what" || question[0].Plain == "how") && question[1].Plain == "about"
}

// afterDirect reports whether the last word needs no link; articles, determiners
// and pronouns don't count.
func afterDirect(before []Word) bool {
	for i := len(before) - 1; i >= 0; i-- {
		switch word := before[i].Plain; word {
		case "the", "a", "an", "our", "your", "these", "those", "this", "me", "us":
		default:
			return direct[word]
		}
	}
	return false
}
