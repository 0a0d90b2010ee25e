package search

// MaxSpans is how many spans there are at most.
const MaxSpans = maxSpans

// Spans are what covers passages with these first and last ids.
func Spans(runs [][2]int64) [][2]int64 {
	var g Ground
	for _, ids := range runs {
		g.Runs = append(g.Runs, Run{First: ids[0], Last: ids[1]})
	}
	return g.Spans()
}
