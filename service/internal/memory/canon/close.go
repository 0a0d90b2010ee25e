package canon

import "slices"

// CloseTo reports whether a reviewer should see two statements side by side: they
// are not the same memory, and one adds to the other, corrects it, or says the
// same about somebody else. It is symmetric, and false if SameAs is true. Two tastes are
// not close just because they are tastes: somebody who likes jazz may like pizza.
func (f Form) CloseTo(other Form) bool {
	if f.SameAs(other) {
		return false
	}
	common, shorter, longer := overlap(f.words, other.words), len(f.words), len(other.words)
	if shorter > longer {
		shorter, longer = longer, shorter
	}
	most := common > 0 && 2*common >= longer
	if f.Person != other.Person {
		return most && f.Relation == other.Relation
	}
	if related(f.Relation, other.Relation) && (common > 0 && 2*common >= shorter || kindred(f, other)) {
		return true
	}
	return common > 0 && 3*common >= 2*longer || f.Contradicts(other)
}

// narrow are relations with so few values that any two of them are close.
var narrow = []string{
	"name", "age", "home", "household", "birth", "upbringing", "origin", "native", "speaks", "job", "work", "marital", "allergy",
	"diet", "alcohol", "smoke", "handed", "chronotype", "wake", "sleep", "drive", "pregnant",
	"answer.language", "answer.speed", "answer.volume", "answer.accent",
}

// open are relations in which values of one kind may well exist side by side.
var open = []string{"taste", "favorite", "answer"}

// sorts are the classes of values that people compare with each other.
var sorts = []string{"os", "editor", "browser", "language", "instrument", "pet", "sibling", "child", "vehicle", "code", "mobile"}

// kindred reports whether both have a value of one kind.
func kindred(a, b Form) bool {
	if a.Relation != b.Relation || slices.Contains(open, a.Relation) {
		return a.Relation == b.Relation && a.Slot == b.Slot && a.Relation == "favorite"
	}
	if slices.Contains(narrow, a.Relation) || a.Relation == "do" && a.Slot == b.Slot && a.Slot != "" && !is("light", a.Slot) {
		return true
	}
	if slices.ContainsFunc(a.words, placed) && slices.ContainsFunc(b.words, placed) {
		return true
	}
	return slices.ContainsFunc(sorts, func(class string) bool { return anyIs(class, a.words) && anyIs(class, b.words) })
}
