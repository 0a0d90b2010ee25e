package canon

import (
	"slices"
	"strings"
)

// Conflict reports whether two statements can't both be true of a person now.
// It is symmetric, never true of duplicates, and careful: a wrong conflict
// would replace a good memory, so uncertain words are not a conflict. The past and plans
// contradict nothing.
func Conflict(a, b string) bool { return Of(a).Contradicts(Of(b)) }

// Contradicts is Conflict for statements that have been read.
func (f Form) Contradicts(other Form) bool {
	a, b := f, other
	if a.Person != b.Person || a.Time != "" || b.Time != "" || a.SameAs(b) {
		return false
	}
	if a.Negative && b.Negative {
		return false
	}
	if a.Negative != b.Negative {
		if b.Negative {
			a, b = b, a
		}
		return denies(a, b) || status(a, b)
	}
	if slices.ContainsFunc(strings.Fields(a.Person), func(p string) bool { return is("several", p) }) {
		return false // two daughters may have two ages
	}
	return measured(a, b) || looks(a, b) || single(a, b) || opposed(a, b) || reversed(a, b) || counted(a, b) || status(a, b)
}

// denies reports whether no takes back what yes says.
func denies(no, yes Form) bool {
	if no.Relation == "diet" {
		return dietDenies(no, yes)
	}
	if len(no.Values) == 0 {
		return no.Relation == yes.Relation && (no.Relation == "allergy" || no.Relation == "drive" || no.Relation == "smoke")
	}
	if no.Relation == "do" && no.Slot == "" && len(no.Values) == 1 && no.Values[0] != "eat" && no.Values[0] != "drink" {
		if yes.Relation == "do" && yes.Slot == no.Values[0] {
			return true
		}
	}
	if no.Relation == "alcohol" {
		return yes.Relation == "alcohol" || drinks(yes)
	}
	if owning(no) && owning(yes) {
		return len(no.Numbers) == 0 && covered(no.Values, yes.Values)
	}
	return compatible(no, yes) && slices.Equal(no.Values, yes.Values) && slices.Equal(no.Over, yes.Over) &&
		(len(no.Numbers) == 0 || slices.Equal(no.Numbers, yes.Numbers))
}

func owning(f Form) bool {
	return f.Relation == "have" || f.Relation == "drive" || f.Relation == "get"
}

// covered reports whether every value has an equal, or a more general one, among others:
// a dog is a pet.
func covered(values, others []string) bool {
	for _, v := range values {
		_, found := slices.BinarySearch(others, v)
		if !found && !(slices.Contains(kinds, v) && anyIs(v, others)) {
			return false
		}
	}
	return true
}

var kinds = []string{"pet", "sibling", "child", "vehicle"}

func drinks(f Form) bool {
	return (f.Relation == "do" || f.Relation == "taste") && f.Slot == "drink" && anyIs("alcohol", f.Values)
}

func anyIs(class string, values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool { return is(class, v) })
}

// dietDenies: somebody who eats no meat neither eats nor loves steak.
func dietDenies(no, yes Form) bool {
	if yes.Relation == "diet" {
		return slices.Equal(no.Values, yes.Values)
	}
	return slices.Contains(no.Values, "meat") && eats(yes, "meat")
}

func eats(f Form, class string) bool {
	if !anyIs(class, f.Values) {
		return false
	}
	switch f.Relation {
	case "do":
		return f.Slot == "eat"
	case "taste":
		return f.Slot == "eat" || f.Slot == "" && len(f.Values) <= 3
	case "favorite":
		return f.Slot == "food" || f.Slot == "meal" || f.Slot == "dish"
	}
	return f.Relation == "diet"
}

// singles are relations with one value at a time.
var singles = []string{
	"name", "age", "marital", "handed", "chronotype", "household", "answer.language", "answer.speed",
	"answer.volume", "answer.accent", "native", "birth", "wake", "sleep", "diet", "attribute",
}

// single reports whether both state the one value of a relation, and the values differ.
func single(a, b Form) bool {
	if a.Relation != b.Relation {
		return false
	}
	switch a.Relation {
	case "home", "origin":
		return otherPlace(a, b)
	case "work":
		return otherWorkplace(a, b)
	case "use":
		return otherTool(a, b)
	case "favorite":
		return a.Slot == b.Slot && a.Slot != "" && disjoint(a.Values, b.Values)
	case "job":
		return otherJob(a, b)
	case "age", "wake", "sleep":
		return !disjoint(a.Values, b.Values) && len(a.Numbers) > 0 && len(b.Numbers) > 0 && !slices.Equal(a.Numbers, b.Numbers)
	case "diet":
		if slices.Contains(a.Values, "pescatarian") && eats(b, "meat") || slices.Contains(b.Values, "pescatarian") && eats(a, "meat") {
			return true
		}
		return slices.Contains(a.Values, "vegan") != slices.Contains(b.Values, "vegan") && (eats(a, "animal") || eats(b, "animal"))
	case "marital":
		return !share([]string{"single"}, a.Values) && !share([]string{"single"}, b.Values) || taken(a) || taken(b)
	case "household":
		return a.Values != nil && b.Values != nil && slices.Contains(a.Values, "alone") != slices.Contains(b.Values, "alone")
	}
	return slices.Contains(singles, a.Relation) && a.Slot == b.Slot && disjoint(a.Values, b.Values)
}

// taken reports whether somebody has a partner. The divorced may say that they are
// single, but these may not.
func taken(f Form) bool { return share([]string{"married", "engaged", "dating"}, f.Values) }

func disjoint(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && overlap(a, b) == 0
}

// otherWorkplace compares like with like: two companies, or two kinds of
// place; "Siemens" may well be "a factory".
func otherWorkplace(a, b Form) bool {
	if !disjoint(a.Values, b.Values) || anyIs("anywork", a.Values) || anyIs("anywork", b.Values) {
		return false
	}
	return anyIs("workplace", a.Values) == anyIs("workplace", b.Values)
}

// otherTool: people have one editor, one system and one browser.
func otherTool(a, b Form) bool {
	if !disjoint(a.Values, b.Values) {
		return false
	}
	for _, class := range []string{"editor", "os", "browser"} {
		if anyIs(class, a.Values) && anyIs(class, b.Values) {
			inside := anyIs("linux", a.Values) && slices.Contains(b.Values, "linux") ||
				anyIs("linux", b.Values) && slices.Contains(a.Values, "linux")
			return !inside
		}
	}
	return false
}

// otherJob: another rank, or another word for the same trade, is not another job.
func otherJob(a, b Form) bool {
	if !disjoint(a.Values, b.Values) || anyIs("title", a.Values) || anyIs("title", b.Values) ||
		anyIs("sideline", a.Values) || anyIs("sideline", b.Values) || idle(a) && idle(b) {
		return false
	}
	for _, trade := range []string{"techjob", "medicaljob", "teachingjob", "legaljob"} {
		if anyIs(trade, a.Values) && anyIs(trade, b.Values) {
			return false
		}
	}
	return !share([]string{"part-time", "self-employed"}, slices.Concat(a.Values, b.Values))
}

// measured finds two heights or weights.
func measured(a, b Form) bool {
	return a.Relation == b.Relation && a.Slot == b.Slot && len(a.Numbers) > 0 && len(b.Numbers) > 0 &&
		!slices.Equal(a.Numbers, b.Numbers) && slices.Equal(a.Values, b.Values) &&
		(anyIs("measure", a.Values) || is("measure", a.Slot)) && a.Relation != "have"
}

// looks finds two colours of hair, or of eyes.
func looks(a, b Form) bool {
	if a.Relation != "have" || b.Relation != "have" {
		return false
	}
	colors := func(f Form) []string {
		return slices.DeleteFunc(slices.Clone(f.Values), func(v string) bool { return !is("color", v) })
	}
	feature := func(f Form) string {
		at := slices.IndexFunc(f.Values, func(v string) bool { return v == "hair" || v == "eye" })
		if at < 0 {
			return ""
		}
		return f.Values[at]
	}
	return feature(a) != "" && feature(a) == feature(b) && disjoint(colors(a), colors(b))
}

// idle recognises people without work, for whatever reason.
func idle(f Form) bool {
	return f.Relation == "job" && share(f.Values, []string{"unemployed", "retired"})
}

// opposed finds values that exclude each other: "short", "long".
func opposed(a, b Form) bool {
	if !compatible(a, b) {
		return false
	}
	for _, v := range a.Values {
		x, known := exclusive[v]
		if !known {
			continue
		}
		for _, w := range b.Values {
			y, found := exclusive[w]
			if found && x.domain == y.domain && x.side != y.side && sameBeside(a.Values, b.Values, v, w) {
				return true
			}
		}
	}
	return false
}

// sameBeside reports whether both are about the same thing, apart from v and w.
func sameBeside(a, b []string, v, w string) bool {
	domain := exclusive[v].domain
	beside := func(values []string) []string {
		return slices.DeleteFunc(slices.Clone(values), func(s string) bool { return exclusive[s].domain == domain })
	}
	x, y := beside(a), beside(b)
	common := overlap(x, y)
	return v != w && (common == len(x) || common == len(y))
}

// reversed finds "tea over coffee" against "coffee over tea".
func reversed(a, b Form) bool {
	return len(a.Over) > 0 && len(b.Over) > 0 && slices.Equal(a.Values, b.Over) && slices.Equal(a.Over, b.Values)
}

// counted finds two children against three.
func counted(a, b Form) bool {
	return owning(a) && owning(b) && len(a.Numbers) == 1 && len(b.Numbers) == 1 &&
		a.Numbers[0] != b.Numbers[0] && len(a.Values) == 1 && slices.Equal(a.Values, b.Values)
}

// status finds a value that excludes a relation.
func status(a, b Form) bool {
	one := func(x, y Form) bool {
		if idle(x) && !x.Negative && y.Relation == "work" && !y.Negative {
			return true
		}
		vegan := !x.Negative && x.Relation == "diet" && slices.Contains(x.Values, "vegan")
		return vegan && !y.Negative && eats(y, "animal")
	}
	return one(a, b) || one(b, a)
}
