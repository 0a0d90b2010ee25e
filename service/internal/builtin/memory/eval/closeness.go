package eval

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

const closePairs = "canon/testdata/close.jsonl"

// Closeness counts how package canon judges close pairs.
type Closeness struct {
	// New are the pairs of which one statement is new. Dropped are those of them
	// that are judged duplicates, and Noted those that are judged close.
	New, Dropped, Noted int
	// Duplicates are the other pairs. Missed are those that are not judged
	// duplicates, and Apart those of them that are not judged close either.
	Duplicates, Missed, Apart int
}

// Add counts one pair.
func (c *Closeness) Add(p Pair) {
	near := canon.Of(p.A).CloseTo(canon.Of(p.B))
	if !p.Want {
		c.New++
		c.Dropped += count(p.Got)
		c.Noted += count(near)
		return
	}
	c.Duplicates++
	c.Missed += count(!p.Got)
	c.Apart += count(!p.Got && !near)
}

// NotedShare is the share of the new statements that a reviewer sees beside the close one.
func (c Closeness) NotedShare() float64 { return share(c.Noted, c.New) }

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// ScoreClose counts both halves of the close pairs.
func ScoreClose(all []Pair) (seen, unseen Closeness) {
	for _, p := range all {
		if Seen(p.ID) {
			seen.Add(p)
		} else {
			unseen.Add(p)
		}
	}
	return seen, unseen
}

// Unrelated returns 200 random pairs of statements, always the same. Got says which of them
// are judged close.
func Unrelated(folder string) ([]Pair, error) {
	var all []statement
	for _, name := range []string{"testdata/dev-duplicates.jsonl", "canon/testdata/paraphrases.jsonl", "canon/testdata/conflicts.jsonl"} {
		lines, err := read[labels](folder, name)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			all = append(all, statement{l.ID, l.A}, statement{l.ID, l.B})
		}
	}
	slices.SortStableFunc(all, func(a, b statement) int { return cmp.Compare(a.place(), b.place()) })
	var pairs []Pair
	for i := 0; len(pairs) < unrelated && i < len(all)/2; i++ {
		a, b := all[i], all[len(all)/2+i]
		if a.id != b.id {
			pairs = append(pairs, Pair{ID: a.id + "/" + b.id, A: a.text, B: b.text, Got: canon.Of(a.text).CloseTo(canon.Of(b.text))})
		}
	}
	return pairs, nil
}

const unrelated = 200

// A statement is one side of a pair.
type statement struct{ id, text string }

// place is the place of a statement in a shuffle that never changes.
func (s statement) place() uint32 {
	h := fnv.New32a()
	h.Write([]byte(s.text))
	return h.Sum32()
}

// printCloseness writes the figures of close and of random pairs.
func printCloseness(to io.Writer, folder string) error {
	all, err := ClosePairs(folder)
	if err != nil {
		return err
	}
	chance, err := Unrelated(folder)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(to, "\n%-36s %6s %7s %6s %6s %11s %7s %6s\n",
		"our own close pairs", "new", "dropped", "close", "share", "duplicates", "missed", "apart"); err != nil {
		return err
	}
	seen, unseen := ScoreClose(all)
	for _, half := range []struct {
		name string
		Closeness
	}{{"even half", seen}, {"odd half", unseen}} {
		c := half.Closeness
		if _, err := fmt.Fprintf(to, "%-36s %6d %7d %6d %6.3f %11d %7d %6d\n",
			half.name, c.New, c.Dropped, c.Noted, c.NotedShare(), c.Duplicates, c.Missed, c.Apart); err != nil {
			return err
		}
	}
	_, _, judged := ScorePairs(chance)
	_, err = fmt.Fprintf(to, "%-36s %6d %7s %6d %6.3f\n",
		"random pairs", judged.Pairs, "", judged.WronglyYes, share(judged.WronglyYes, judged.Pairs))
	return err
}
