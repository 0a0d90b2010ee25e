package rules

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// clauseFeatures names what a clause is made of.
func clauseFeatures(c clause, f frame, framed bool) []string {
	all := wordFeatures(c.tokens)
	if framed {
		all = append(all, frameFeatures(f)...)
	}
	if c.asked {
		all = append(all, "asked")
	}
	if c.only {
		all = append(all, "only")
	}
	if c.lasting {
		all = append(all, "lasting")
	}
	return all
}

const mostWords = 40

// wordFeatures names words, pairs of them and what follows the first person.
func wordFeatures(ts []token) []string {
	var all []string
	if len(ts) > mostWords {
		ts = ts[:mostWords]
	}
	last, laststem := "^", "^"
	for i, t := range ts {
		w := wordOf(t)
		all = append(all, "w="+w, "b="+last+" "+w)
		for _, class := range classesOf(t.word) {
			all = append(all, "c="+class, "cb="+last+" "+class)
		}
		stem := english.Stem(w)
		all = append(all, "st="+stem, "sb="+laststem+" "+stem)
		laststem = stem
		if i > 1 {
			all = append(all, "tri="+wordOf(ts[i-2])+" "+last+" "+w)
		}
		last = w
		if among(t.word, "i", "we", "my", "our", "me") {
			for k := 1; k <= 4 && i+k < len(ts); k++ {
				all = append(all, "n="+t.word+strconv.Itoa(k)+wordOf(ts[i+k]), "near="+t.word+" "+wordOf(ts[i+k]))
				for _, class := range classesOf(ts[i+k].word) {
					all = append(all, "nc="+t.word+" "+class)
				}
			}
			if i+2 < len(ts) {
				all = append(all, "t="+t.word+" "+wordOf(ts[i+1])+" "+wordOf(ts[i+2]))
			}
		}
	}
	return append(all, "len="+bucket(len(ts)))
}

func wordOf(t token) string {
	if t.quoted {
		return "QUOTED"
	}
	if number(t.word) {
		return "NUMBER"
	}
	return t.word
}

// classesOf returns the lists that a word is in.
func classesOf(w string) []string {
	var all []string
	base, one := lemma(w), singular(w)
	for _, section := range []string{"kin", "pet", "circle", "thing", "trade", "health", "trait", "event", "project", "pursuit", "stop", "generic"} {
		if nouns.any(one, section) || nouns.any(w, section) {
			all = append(all, "noun-"+section)
		}
	}
	for _, section := range []string{"like", "habit", "factual", "progress", "life", "event", "ability", "request", "text-task", "task", "answer"} {
		if verbs.any(base, section) {
			all = append(all, "verb-"+section)
		}
	}
	for _, section := range []string{"lasting", "trouble", "passing"} {
		if adjectives.any(w, section) {
			all = append(all, "adj-"+section)
		}
	}
	for _, section := range []string{"language", "tool", "religion", "activity", "time", "attribute", "passion", "aim", "bodypart", "frequency"} {
		if small.any(w, section) || small.any(one, section) {
			all = append(all, "small-"+section)
		}
	}
	if people.has("role", one) {
		all = append(all, "role")
	}
	return all
}

// frameFeatures names subject, verb and object.
func frameFeatures(f frame) []string {
	person := []string{"nobody", "self", "couple", "mine"}[f.person]
	if f.person == self && len(f.subject) > 0 && f.subject[0].word == "we" {
		person = "we"
	}
	form := []string{"simple", "progressive", "perfect", "ongoing"}[f.aspect]
	if f.past {
		form += "-past"
	}
	if f.modal != "" {
		form += "-" + f.modal
	}
	if f.negated {
		form += "-not"
	}
	head := f.object.head
	all := []string{"person=" + person, "form=" + form, "verb=" + f.verb, "pf=" + person + form, "fv=" + form + " " + f.verb,
		"head=" + head, "vh=" + f.verb + " " + head,
		"v1=" + f.verb + " " + f.next(0), "v2=" + f.verb + " " + f.next(0) + " " + f.next(1), "det=" + f.object.det, "vdet=" + f.verb + " " + f.object.det}
	for _, class := range classesOf(head) {
		all = append(all, "oc="+class, "voc="+f.verb+" "+class)
	}
	for _, class := range classesOf(f.verb) {
		all = append(all, "vc="+class, "vcf="+class+" "+form, "vcd="+class+" "+f.object.det)
	}
	if f.object.pointed() {
		all = append(all, "pointed", "pointed "+f.verb)
	}
	if f.object.proper {
		all = append(all, "proper", "proper "+f.verb)
	}
	if f.object.role() {
		all = append(all, "isrole", "isrole "+f.verb)
	}
	if f.object.ill() {
		all = append(all, "ill")
	}
	if f.habitual() {
		all = append(all, "habitual")
	}
	if f.person == mine {
		all = append(all, "mine="+f.owned.head)
		for _, class := range classesOf(f.owned.head) {
			all = append(all, "mc="+class)
		}
	}
	for _, adverb := range slices.Sorted(maps.Keys(f.adverbs)) {
		all = append(all, "adv="+adverb)
	}
	return all
}

// phraseFeatures names a phrase and the words around it.
func phraseFeatures(sentence []token, i int, p phrase) []string {
	all := []string{"p:det=" + sentence[i].word, "p:head=" + p.head, "p:n=" + bucket(len(p.words))}
	for _, w := range p.words {
		all = append(all, "p:w="+w)
	}
	for _, class := range classesOf(p.head) {
		all = append(all, "p:c="+class)
	}
	if p.proper {
		all = append(all, "p:proper")
	}
	if p.role() {
		all = append(all, "p:role")
	}
	if p.tool() {
		all = append(all, "p:tool")
	}
	if p.ill() {
		all = append(all, "p:ill")
	}
	for k := 1; k <= 3 && i-k >= 0; k++ {
		all = append(all, "p:before"+strconv.Itoa(k)+"="+wordOf(sentence[i-k]), "p:near="+wordOf(sentence[i-k]))
		for _, class := range classesOf(sentence[i-k].word) {
			all = append(all, "p:bc="+class)
		}
	}
	for k := 0; k < 2 && i+p.end+k < len(sentence); k++ {
		all = append(all, "p:after="+wordOf(sentence[i+p.end+k]))
	}
	if sentence[len(sentence)-1].asked {
		all = append(all, "p:asked")
	}
	return all
}

// around adds to each part what is around it in its message.
func around(text string, sentences [][]token, parts []part) {
	found := slices.ContainsFunc(parts, part.found)
	words := messageFeatures(text, sentences)
	for i := range parts {
		p := &parts[i]
		p.features = slices.Concat(p.features, words, sentenceFeatures(sentences, p.sentence), []string{"shape=" + string(p.shape)})
		switch {
		case p.found():
			p.features = append(p.features, "rule", "rule="+p.kind, "rule="+strconv.Itoa(int(p.confidence*20)), "shape="+string(p.shape)+" ruled")
		case found:
			p.features = append(p.features, "ruled elsewhere")
		}
	}
}

// messageFeatures names the words of a message, and how long it is.
func messageFeatures(text string, sentences [][]token) []string {
	all := []string{"sentences=" + bucket(len(sentences)), "length=" + bucket(len(text)/20)}
	if strings.Contains(text, "\n") {
		all = append(all, "lines")
	}
	for _, sentence := range sentences {
		for _, t := range sentence[:min(len(sentence), mostWords)] {
			all = append(all, "mw="+english.Stem(wordOf(t)))
		}
	}
	return all
}

// sentenceFeatures names the words of a sentence, its position, and how the others begin.
func sentenceFeatures(sentences [][]token, at int) []string {
	s := sentences[at]
	all := []string{"s:first=" + wordOf(s[0]), "s:len=" + bucket(len(s))}
	for _, t := range s[:min(len(s), mostWords)] {
		all = append(all, "sw="+english.Stem(wordOf(t)))
	}
	if len(s) > 1 {
		all = append(all, "s:two="+wordOf(s[0])+" "+wordOf(s[1]))
	}
	if at == 0 {
		all = append(all, "s:opens")
	}
	if at == len(sentences)-1 {
		all = append(all, "s:closes")
	}
	if s[len(s)-1].asked {
		all = append(all, "s:asked")
	}
	for k, other := range sentences {
		if k < at {
			all = append(all, othersFeatures(other, "before")...)
		}
		if k > at {
			all = append(all, othersFeatures(other, "after")...)
		}
	}
	return all
}

func othersFeatures(other []token, where string) []string {
	all := []string{"o:" + where + "=" + wordOf(other[0])}
	if len(other) > 1 {
		all = append(all, "o:two="+wordOf(other[0])+" "+wordOf(other[1]))
	}
	if other[len(other)-1].asked {
		all = append(all, "o:asked "+where)
	}
	return all
}

// bucket is the size of a number, in powers of two.
func bucket(n int) string {
	size := 0
	for n > 0 {
		n /= 2
		size++
	}
	return strconv.Itoa(size)
}
