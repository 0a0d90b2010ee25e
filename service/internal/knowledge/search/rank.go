package search

import "slices"

// rank orders hits anew.
func (q query) rank(hits []Hit) []Hit {
	slices.SortStableFunc(hits, func(a, b Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return hits
}
