package rules

// presumed judges what a question or a request takes for granted: "my 5 year
// old son", "my Samsung Galaxy", "as a beginner".
func presumed(text string, sentence []token) []candidate {
	asksOfUser := false
	for i, t := range sentence {
		if t.quoted {
			continue
		}
		asksOfUser = asksOfUser || t.word == "i"
		if t.word == "my" && i+1 < len(sentence) {
			if f, ok := presumedOwned(text, sentence[i:]); ok {
				return []candidate{f}
			}
		}
		if t.word == "as" && i > 0 && asksOfUser && !asRole[sentence[i-1].word] {
			if f, _, ok := openingRole(text, sentence[i:]); ok {
				f[0].confidence = 0.72
				return f
			}
		}
	}
	return nil
}

// asRole are the words before an "as a" that doesn't say what the user is:
// "a job as a nurse".
var asRole = map[string]bool{"job": true, "jobs": true, "work": true, "working": true, "worked": true, "career": true, "position": true, "role": true, "become": true, "start": true,
	"act": true, "serve": true, "known": true, "hired": true, "it": true, "this": true, "that": true, "them": true, "him": true, "her": true, "such": true, "used": true,
	"use": true, "seen": true, "same": true, "money": true, "living": true, "well": true, "you": true, "one": true, "life": true, "myself": true, "respond": true, "answer": true, "talk": true, "speak": true, "write": true, "internship": true, "license": true}

// presumedOwned takes a relative with an age, or a product by its name.
func presumedOwned(text string, ts []token) (candidate, bool) {
	p := phraseAt(ts)
	if p.head == "" || p.quoted || p.end < 2 || len(p.words) < 2 && !products[p.head] {
		return candidate{}, false
	}
	aged := false
	for i, w := range p.words {
		aged = aged || i > 0 && small.has("age-unit", w) && number(p.words[i-1]) || endsIn(w, "-year-old", "-month-old", "yo") && w[0] >= '0' && w[0] <= '9'
	}
	device := products[p.head] || p.is("thing") && (p.proper || p.tool()) && !p.is("stop")
	if !(p.is("kin", "pet") && aged) && !device {
		return candidate{}, false
	}
	w := writer{text: text}
	w.opening(ts[1:p.end])
	words := w.b.String()
	article := "a "
	if endsIn(words[:1], "a", "e", "i", "o", "u", "A", "E", "I", "O", "U", "8") {
		article = "an "
	}
	if plural(p.last()) {
		article = ""
	}
	return candidate{verdict{fact, 0.74}, "User has " + article + tidy(words), ts[0].start, ts[p.end-1].end}, true
}

// products are names of things that say enough without more words.
var products = map[string]bool{"iphone": true, "macbook": true, "ipad": true, "xbox": true, "playstation": true, "ps4": true, "ps5": true, "kindle": true, "chromebook": true,
	"android": true, "mac": true, "imac": true, "thinkpad": true, "raspberry": true, "tesla": true, "airfryer": true}
