package search

// MaxSpans is the largest number of spans.
const MaxSpans = maxSpans

// Spans returns spans that cover passages with these first and last ids.
func Spans(runs [][2]int64) [][2]int64 {
	var g Ground
	for _, ids := range runs {
		g.Runs = append(g.Runs, Run{First: ids[0], Last: ids[1]})
	}
	return g.Spans()
}
