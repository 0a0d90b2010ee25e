package rules

import "slices"

// presumedRole judges "as a beginner" in a question or a request.
func presumedRole(text string, sentence []token, i int, p phrase) candidate {
	asksOfUser := slices.ContainsFunc(sentence[:i], func(t token) bool { return t.word == "i" && !t.quoted })
	if i > 0 && asksOfUser && !asRole[sentence[i-1].word] {
		if found, _, ok := openingRole(text, sentence[i:]); ok {
			found[0].confidence = 0.72
			return found[0]
		}
	}
	w := writer{text: text}
	w.rest(sentence[i+1 : i+1+p.end])
	return candidate{no, "User is " + tidy(w.b.String()), sentence[i].start, sentence[i+p.end].end}
}

// asRole are the words before an "as a" that doesn't say what the user is:
// "a job as a nurse".
var asRole = map[string]bool{"job": true, "jobs": true, "work": true, "working": true, "worked": true, "career": true, "position": true, "role": true, "become": true, "start": true,
	"act": true, "serve": true, "known": true, "hired": true, "it": true, "this": true, "that": true, "them": true, "him": true, "her": true, "such": true, "used": true,
	"use": true, "seen": true, "same": true, "money": true, "living": true, "well": true, "you": true, "one": true, "life": true, "myself": true, "respond": true, "answer": true, "talk": true, "speak": true, "write": true, "internship": true, "license": true}

// presumedOwned judges "my 5 year old son" and "my Samsung Galaxy": a relative with an age, or a
// product by its name. For other things it only says that the user has them.
func presumedOwned(text string, ts []token, p phrase) candidate {
	w := writer{text: text}
	w.opening(ts[1:p.end])
	words := tidy(w.b.String())
	article := "a "
	if words != "" && among(words[:1], "a", "e", "i", "o", "u", "A", "E", "I", "O", "U", "8") {
		article = "an "
	}
	if plural(p.last()) {
		article = ""
	}
	found := candidate{no, "User has " + article + words, ts[0].start, ts[p.end-1].end}
	if p.aged() || p.device() {
		found.verdict = verdict{fact, 0.74}
	}
	return found
}

// aged recognises a relative or a pet with an age.
func (p phrase) aged() bool {
	if !p.is("kin", "pet") || len(p.words) < 2 {
		return false
	}
	for i, w := range p.words {
		if i > 0 && small.has("age-unit", w) && number(p.words[i-1]) || endsIn(w, "-year-old", "-month-old", "yo") && w[0] >= '0' && w[0] <= '9' {
			return true
		}
	}
	return false
}

// device recognises a product by its name.
func (p phrase) device() bool {
	return products[p.head] || len(p.words) > 1 && p.is("thing") && (p.proper || p.tool()) && !p.is("stop")
}

// products are product names that need no more words.
var products = map[string]bool{"iphone": true, "macbook": true, "ipad": true, "xbox": true, "playstation": true, "ps4": true, "ps5": true, "kindle": true, "chromebook": true,
	"android": true, "mac": true, "imac": true, "thinkpad": true, "raspberry": true, "tesla": true, "airfryer": true}
