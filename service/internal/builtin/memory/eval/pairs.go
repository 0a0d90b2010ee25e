package eval

import (
	"fmt"
	"io"

	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// Pair is two statements with a label: whether they are the same memory, or whether both
// can be true.
type Pair struct {
	ID, A, B string
	// Want is the label, and Got the judgement of package canon.
	Want, Got bool
}

// Duplicates are the pairs of public data, labelled by whether both would be
// stored as one memory.
func Duplicates(folder string) ([]Pair, error) {
	return duplicates(folder, "testdata/dev-duplicates.jsonl")
}

// OwnDuplicates are pairs of our own, labelled like Duplicates.
func OwnDuplicates(folder string) ([]Pair, error) {
	return duplicates(folder, "canon/testdata/paraphrases.jsonl")
}

func duplicates(folder, name string) ([]Pair, error) {
	return pairs(folder, name, func(l labels) (want, got bool) { return l.Duplicate, canon.Duplicate(l.A, l.B) })
}

// ClosePairs are pairs of our own that are close, labelled like Duplicates.
func ClosePairs(folder string) ([]Pair, error) { return duplicates(folder, closePairs) }

// Conflicts are pairs of our own, labelled by whether both can be true.
func Conflicts(folder string) ([]Pair, error) {
	return pairs(folder, "canon/testdata/conflicts.jsonl", func(l labels) (want, got bool) { return l.Conflict, canon.Conflict(l.A, l.B) })
}

// labels are a line of a set of pairs.
type labels struct {
	ID, A, B            string
	Duplicate, Conflict bool
}

func pairs(folder, name string, judge func(labels) (want, got bool)) ([]Pair, error) {
	lines, err := read[labels](folder, name)
	if err != nil {
		return nil, err
	}
	var all []Pair
	for _, l := range lines {
		want, got := judge(l)
		all = append(all, Pair{l.ID, l.A, l.B, want, got})
	}
	return all, nil
}

// Score counts pairs that were judged.
type Score struct{ Pairs, Missed, WronglyYes int }

// Add counts one pair.
func (s *Score) Add(p Pair) {
	s.Pairs++
	switch {
	case p.Want && !p.Got:
		s.Missed++
	case p.Got && !p.Want:
		s.WronglyYes++
	}
}

// Accuracy is the share of pairs that were judged right.
func (s Score) Accuracy() float64 { return share(s.Pairs-s.Missed-s.WronglyYes, s.Pairs) }

// ScorePairs counts both halves of a set, and all of it.
func ScorePairs(all []Pair) (seen, unseen, whole Score) {
	for _, p := range all {
		whole.Add(p)
		if Seen(p.ID) {
			seen.Add(p)
		} else {
			unseen.Add(p)
		}
	}
	return seen, unseen, whole
}

// printPairs writes the figures of each set of pairs.
func printPairs(to io.Writer, folder string) error {
	if _, err := fmt.Fprintf(to, "\n%-36s %6s %9s %7s %12s\n", "pairs", "pairs", "accuracy", "missed", "wrongly yes"); err != nil {
		return err
	}
	for _, set := range []struct {
		name  string
		pairs func(folder string) ([]Pair, error)
	}{{"duplicates", Duplicates}, {"our own duplicates", OwnDuplicates}, {"our own close pairs", ClosePairs}, {"our own conflicts", Conflicts}} {
		all, err := set.pairs(folder)
		if err != nil {
			return err
		}
		if err := printScores(to, set.name, all); err != nil {
			return err
		}
	}
	return printCloseness(to, folder)
}

func printScores(to io.Writer, name string, all []Pair) error {
	seen, unseen, whole := ScorePairs(all)
	for _, half := range []struct {
		name string
		Score
	}{{"even half", seen}, {"odd half", unseen}, {"all", whole}} {
		s := half.Score
		_, err := fmt.Fprintf(to, "%-36s %6d %9.3f %7d %12d\n", name+", "+half.name, s.Pairs, s.Accuracy(), s.Missed, s.WronglyYes)
		if err != nil {
			return err
		}
	}
	return nil
}
