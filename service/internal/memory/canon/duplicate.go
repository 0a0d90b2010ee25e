package canon

import (
	"slices"
	"strings"
)

// Duplicate tells whether two statements would be stored as the same memory,
// in other words. It is symmetric, and true of a statement and itself.
// Strength ("like", "love") does not matter; value, polarity, number, person
// and time do.
func Duplicate(a, b string) bool { return Of(a).SameAs(Of(b)) }

// SameAs is Duplicate for statements that have been read.
func (f Form) SameAs(other Form) bool {
	a, b := f, other
	if a.equal(b) {
		return true
	}
	if a.Negative && a.Relation != b.Relation && (a.Relation == "do" || b.Relation == "do") {
		return false // who drinks no coffee may like it
	}
	return a.Person == b.Person && a.Negative == b.Negative && a.Time == b.Time &&
		sameNumbers(a, b) && sameOver(a, b) && compatible(a, b) && similar(a, b)
}

// sameNumbers lets "one cat" be "a cat".
func sameNumbers(a, b Form) bool {
	if slices.Equal(a.Numbers, b.Numbers) {
		return true
	}
	one := func(x, y Form) bool {
		return x.Relation == "have" && y.Relation == "have" && slices.Equal(x.Numbers, []string{"1"}) && len(y.Numbers) == 0
	}
	return one(a, b) || one(b, a)
}

func sameOver(a, b Form) bool {
	return slices.Equal(a.Over, b.Over) || len(a.Over) == 0 || len(b.Over) == 0
}

// alike are relations that may hold the same memory.
var alike = [][]string{
	{"taste", "favorite", "do"},
	{"taste", "answer"},
	{"job", "be"}, {"job", "do"}, {"name", "be"}, {"have", "be"}, {"have", "drive"}, {"have", "get"}, {"have", "use"},
	{"origin", "birth"}, {"origin", "upbringing"}, {"learn", "study"}, {"study", "do"}, {"use", "do"}, {"diet", "do"},
}

func compatible(a, b Form) bool {
	if a.Relation == b.Relation {
		return slots(a, b)
	}
	for _, group := range alike {
		if slices.Contains(group, a.Relation) && slices.Contains(group, b.Relation) {
			return slots(a, b)
		}
	}
	return false
}

// slots compares activities ("play", or any light verb, is in "like chess")
// and what a favourite is a favourite of.
func slots(a, b Form) bool {
	if a.Relation == "favorite" && b.Relation == "favorite" {
		return a.Slot == b.Slot || share(strings.Fields(a.Slot), strings.Fields(b.Slot)) || a.Slot == "" || b.Slot == ""
	}
	if a.Relation == "favorite" || b.Relation == "favorite" {
		return !a.Negative
	}
	if a.Slot == b.Slot {
		return true
	}
	bare := func(x, y Form) bool { return x.Slot == "" && is("light", y.Slot) }
	return bare(a, b) || bare(b, a)
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(v string) bool { return slices.Contains(b, v) })
}

// exact are relations in which any other word is another value.
var exact = []string{"name", "answer.language", "answer.speed", "answer.volume", "answer.accent", "home", "birth", "origin", "age"}

// similar compares the values: equal, or nearly so where a statement is long.
func similar(a, b Form) bool {
	a.Values, b.Values = beside(a, b), beside(b, a)
	if slices.Equal(a.Values, b.Values) {
		return len(a.Values) > 0 || a.Relation == b.Relation
	}
	if a.joined == b.joined || onlySpaced(a, b) {
		return true
	}
	if slices.Contains(exact, a.Relation) || slices.Contains(exact, b.Relation) {
		return false
	}
	common := overlap(a.Values, b.Values)
	extra := len(a.Values) + len(b.Values) - 2*common
	inside := common == len(a.Values) || common == len(b.Values)
	if a.Relation == "job" && b.Relation == "job" && inside && common > 0 {
		return a.head == b.head
	}
	return common >= 2 && extra == 1 || common >= 3 && inside && extra <= 2 || common >= 4 && extra <= 2
}

// beside gives the values without what a favourite's slot says: the colour
// blue is blue to whose favourite colour it is.
func beside(f, other Form) []string {
	slot := strings.Fields(other.Slot)
	if other.Relation != "favorite" || f.Relation == "favorite" || len(f.Values) < 2 {
		return f.Values
	}
	return slices.DeleteFunc(slices.Clone(f.Values), func(v string) bool { return slices.Contains(slot, v) })
}

// onlySpaced finds "body builder" in "bodybuilder".
func onlySpaced(a, b Form) bool {
	rest := func(x, y Form) string {
		var left []string
		for _, v := range x.Values {
			if _, both := slices.BinarySearch(y.Values, v); !both {
				left = append(left, v)
			}
		}
		return strings.Join(left, "")
	}
	left := rest(a, b)
	return left != "" && left == rest(b, a)
}

// overlap counts what two sorted lists share.
func overlap(a, b []string) int {
	n := 0
	for _, v := range a {
		if _, found := slices.BinarySearch(b, v); found {
			n++
		}
	}
	return n
}
