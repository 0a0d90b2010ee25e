package canon

import (
	"slices"
	"strings"
)

// Duplicate reports whether two statements would be stored as the same memory,
// in other words. It is symmetric, and true of a statement and itself.
// Strength ("like", "love") does not matter; value, polarity, number, person
// and time do. It is careful, because a duplicate is dropped: if only one of
// them has a word that does more than frame it, they are not duplicates. CloseTo finds
// such pairs.
func Duplicate(a, b string) bool { return Of(a).SameAs(Of(b)) }

// SameAs is Duplicate for statements that have been read.
func (f Form) SameAs(other Form) bool {
	a, b := f, other
	if !a.said.agrees(b.said, a.Relation == "taste" || b.Relation == "taste") {
		return false
	}
	if a.equal(b) {
		return true
	}
	if a.Negative && a.Relation != b.Relation && (a.Relation == "do" || b.Relation == "do") {
		return false // somebody who drinks no coffee may like it
	}
	return a.Person == b.Person && a.Negative == b.Negative && a.Time == b.Time &&
		sameNumbers(a, b) && slices.Equal(a.Over, b.Over) && compatible(a, b) && similar(a, b)
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

// alike are relations that may hold the same memory.
var alike = [][]string{
	{"taste", "favorite", "do"},
	{"taste", "answer"},
	{"job", "be"}, {"job", "do"}, {"name", "be"}, {"have", "be"}, {"have", "drive"}, {"have", "get"}, {"have", "use"},
	{"origin", "birth"}, {"origin", "upbringing"}, {"learn", "study"}, {"study", "do"}, {"use", "do"}, {"diet", "do"},
}

func compatible(a, b Form) bool {
	return related(a.Relation, b.Relation) && slots(a, b)
}

func related(a, b string) bool {
	return a == b || slices.ContainsFunc(alike, func(group []string) bool { return slices.Contains(group, a) && slices.Contains(group, b) })
}

// slots compares activities ("like chess" implies "play", or any light verb) and the
// kinds of favourites.
func slots(a, b Form) bool {
	if a.Slot == b.Slot {
		return true
	}
	if a.Relation == "favorite" || b.Relation == "favorite" {
		return !a.Negative && unsaid(a, b) && unsaid(b, a)
	}
	bare := func(x, y Form) bool { return x.Slot == "" && is("light", y.Slot) }
	return bare(a, b) || bare(b, a)
}

// unsaid reports whether the kind of a favourite is obvious, or is in the other
// statement: Emacs is an editor.
func unsaid(f, other Form) bool {
	if f.Relation != "favorite" {
		return true
	}
	slot := strings.Fields(f.Slot)
	missing := slices.DeleteFunc(slices.Clone(slot), func(w string) bool { return has(other.Values, w) })
	return len(missing) == 0 || len(missing) == 1 && (other.Relation != "favorite" || other.Slot == "")
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(v string) bool { return slices.Contains(b, v) })
}

// similar compares all words, whether or not they are values of the relation.
func similar(a, b Form) bool {
	x, y := sorted(slices.Concat(unslotted(a, b), a.Beside)), sorted(slices.Concat(unslotted(b, a), b.Beside))
	if slices.Equal(x, y) {
		return len(x) > 0 || a.Relation == b.Relation
	}
	return slices.Equal(a.Beside, b.Beside) && (a.joined == b.joined || onlySpaced(a, b))
}

// unslotted returns the values without the words of a favourite's slot: "the colour blue"
// is "blue" in a favourite colour.
func unslotted(f, other Form) []string {
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

// overlap counts the items that two sorted lists share.
func overlap(a, b []string) int {
	n := 0
	for _, v := range a {
		if _, found := slices.BinarySearch(b, v); found {
			n++
		}
	}
	return n
}
