package answer

import "github.com/chatsdk/chatsdk/service/internal/english"

// same reports whether a word of a text may match a word of a question: as another
// form of it, as a word derived from it (democracy, democratic), or as a typing
// error. Numbers only match equal numbers.
func same(a, b english.Word) bool {
	switch {
	case a.Stem == b.Stem:
		return true
	case a.Number() || b.Number():
		return false
	}
	return derived(a.Stem, b.Stem) || mistyped(a.Plain, b.Plain)
}

// derived reports whether the stems share a beginning that is nearly all of the
// shorter and most of the longer.
func derived(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n >= 4 && n >= min(len(a), len(b))-1 && 10*n >= 6*max(len(a), len(b))
}

// mistyped reports whether words of five letters and more differ by one letter
// after the second, or by two swapped letters.
func mistyped(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 5 || len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case i < 2:
		return false
	case len(a) < len(b):
		return a[i:] == b[i+1:]
	case i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i]:
		return a[i+2:] == b[i+2:]
	}
	return i < len(a) && a[i+1:] == b[i+1:]
}
