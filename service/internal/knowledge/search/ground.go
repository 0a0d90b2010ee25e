package search

import (
	"cmp"
	"slices"
)

// Ground is where a search looks: the passages of the named documents.
type Ground struct {
	// Runs are in the order of their ids; none is adjacent to another.
	Runs  []Run
	count int     // how many passages
	mean  float64 // length of a passage
}

// Run is passages of one document with consecutive ids.
type Run struct {
	First, Last int64
	Document    int // the index of its key
	Length      int // the total length of its passages
}

// groundOf puts runs in order.
func groundOf(runs []Run) Ground {
	g := Ground{Runs: runs}
	total := 0
	for _, r := range runs {
		g.count += int(r.Last - r.First + 1)
		total += r.Length
	}
	g.mean = max(float64(total)/float64(max(g.count, 1)), 1)
	slices.SortFunc(g.Runs, func(a, b Run) int { return cmp.Compare(a.First, b.First) })
	return g
}

// documentOf returns the document of a passage, as the index of its key.
func (g Ground) documentOf(id int64) (document int, found bool) {
	i, found := slices.BinarySearchFunc(g.Runs, id, func(r Run, id int64) int {
		switch {
		case r.Last < id:
			return -1
		case r.First > id:
			return 1
		}
		return 0
	})
	if !found {
		return 0, false
	}
	return g.Runs[i].Document, true
}

// maxSpans bounds how often the index is searched for a word: each time takes as long as reading
// over some hundred passages.
const maxSpans = 100

// Spans covers all runs. It leaves out the widest gaps between them, so that passages of others
// in these gaps are never read, however many there are.
func (g Ground) Spans() (all [][2]int64) {
	var gaps []int64
	for i := range max(len(g.Runs)-1, 0) {
		gaps = append(gaps, g.Runs[i+1].First-g.Runs[i].Last-1)
	}
	narrow := int64(0) // gaps up to this are read over
	if len(gaps) >= maxSpans {
		sorted := slices.Sorted(slices.Values(gaps))
		narrow = sorted[len(sorted)-maxSpans]
	}
	for i, r := range g.Runs {
		if i > 0 && gaps[i-1] <= narrow {
			all[len(all)-1][1] = r.Last
			continue
		}
		all = append(all, [2]int64{r.First, r.Last})
	}
	return all
}
