package search

// MaxSpans is how many spans there are at most.
const MaxSpans = maxSpans

// Spans are what covers passages with these first and last ids.
func Spans(runs [][2]int64) [][2]int64 {
	var g ground
	for _, ids := range runs {
		g.runs = append(g.runs, run{first: ids[0], last: ids[1]})
	}
	return g.spans()
}
