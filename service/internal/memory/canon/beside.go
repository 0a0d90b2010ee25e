package canon

import (
	"slices"
	"strings"
)

// frames are the words that only show the relation: those of its patterns, and those
// that reading it drops.
var frames = readFrames()

func readFrames() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	of := func(relation string) map[string]bool {
		if all[relation] == nil {
			all[relation] = map[string]bool{}
		}
		return all[relation]
	}
	for _, list := range patterns {
		for _, p := range list {
			for _, w := range slices.Concat(p.before, p.after) {
				of(p.relation)[w] = !is("being", w) && !is("saying", w)
			}
		}
	}
	for _, l := range read("frames") {
		for _, w := range bases(l.list) {
			of(l.name)[w] = true
		}
	}
	return all
}

// beside returns the tokens that the fields of the form do not hold.
func (f Form) beside(tokens []token, framing []bool, limits []string) []string {
	held := f.held()
	left := slices.DeleteFunc(slices.Clone(limits), func(l string) bool { return is("stale", l) && slices.Contains(narrow, f.Relation) })
	said := false // a word outside the frame came before
	for i, t := range tokens {
		if is("turning", t.word) && said && len(tokens) > i+1 {
			left = append(left, "not:"+next(tokens[i+1:]))
			continue
		}
		if framing[i] {
			continue
		}
		said = true
		if !held[t.base] && !held[t.word] {
			left = append(left, t.base)
		}
	}
	return sorted(slices.Concat(left, f.uncounted(tokens), f.routes(tokens)))
}

// held returns the words that the form holds.
func (f Form) held() map[string]bool {
	held := map[string]bool{}
	for _, v := range slices.Concat(f.Values, f.Over, f.aside, strings.Fields(f.Slot), strings.Fields(f.Person)) {
		held[v] = true
		if object := usual[v]; object != "" {
			held[object], held[base(object)] = true, true
		}
	}
	held["boy"], held["girl"] = held["son"], held["daughter"]
	held["child"] = held["child"] || held["son"] || held["daughter"]
	return held
}

// bare are the words that add nothing in any relation.
var bare = readBare()

func readBare() map[string]bool {
	all := map[string]bool{possessive: true}
	for _, class := range []string{"article", "stop", "modal", "pronoun", "strength"} {
		for w := range classes[class] {
			all[w] = !is("kept", w)
		}
	}
	return all
}

// framing reports, for each word, whether it adds nothing in this relation.
func (f Form) framing(tokens []token) []bool {
	own, answering := frames[f.Relation], strings.HasPrefix(f.Relation, "answer")
	framing := make([]bool, len(tokens))
	for i, t := range tokens {
		framing[i] = bare[t.word] || !is("kept", t.word) && (frames[""][t.base] || own[t.base]) ||
			slices.Contains(selves, t.base) || answering && (t.word == "without" || is("wishframe", t.base)) || digits(t) != ""
	}
	return framing
}

// next returns the content word that follows a turning word or a number.
func next(tokens []token) string {
	for _, t := range tokens[:min(len(tokens), 3)] {
		if !is("stop", t.word) && !is("article", t.word) && digits(t) == "" {
			return t.base
		}
	}
	return ""
}

// uncounted returns the numbers that the form lacks, and if there are several, what each
// of them counts: two cats and three dogs are not three cats and two dogs.
func (f Form) uncounted(tokens []token) []string {
	var left []string
	all := numbers(tokens)
	for _, n := range all {
		if _, found := slices.BinarySearch(f.Numbers, n); !found {
			left = append(left, n)
		}
	}
	if len(all) < 2 {
		return left
	}
	for i, t := range tokens {
		if n := digits(t); n != "" && i+1 < len(tokens) {
			left = append(left, n+":"+next(tokens[i+1:]))
		}
	}
	return left
}

// routes keep the order of "from Utrecht to Amsterdam" and "before".
func (f Form) routes(tokens []token) []string {
	var left []string
	if f.Relation == "answer.language" { // the form holds it, and the unwanted one separately
		return nil
	}
	from := ""
	for i, t := range tokens {
		if i+1 == len(tokens) {
			break
		}
		switch t.word {
		case "from":
			from = next(tokens[i+1:])
		case "to":
			if from != "" && i > 1 {
				left = append(left, from+">"+next(tokens[i+1:]))
				from = ""
			}
		case "before", "after", "until", "than":
			left = append(left, t.word+":"+next(tokens[i+1:]))
		}
	}
	return left
}

// telling are the words that distinguish statements.
func (f Form) telling() []string {
	var words []string
	for _, w := range slices.Concat(f.Values, f.Over, f.Beside, strings.Fields(f.Slot)) {
		if !is("light", w) && !strings.ContainsAny(w, ":>") {
			words = append(words, w)
		}
	}
	return sorted(words)
}
