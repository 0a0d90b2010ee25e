//go:build js && wasm

package bridge

// suggestion is a question with the nearest known name, empty if that is too different.
func suggestion(name string, known []string) string {
	best := nearest(name, known)
	if distance(name, best) > len(name)/3+1 {
		return ""
	}
	return "; did you mean " + best + "?"
}

// nearest is the known name with the fewest letters to change (Levenshtein distance, without regard to
// case).
func nearest(name string, known []string) string {
	best, fewest := "", len(name)+100
	for _, candidate := range known {
		if d := distance(name, candidate); d < fewest {
			best, fewest = candidate, d
		}
	}
	return best
}

func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i]|0x20 != b[j]|0x20 { // compares letters in lower case
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
