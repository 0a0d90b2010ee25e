// Package lineartest holds loops over the words of a text to a time that grows no faster than the text. Use Check.
package lineartest

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	// growth is how much longer the second text is. A loop within a loop takes up to growth times
	// as long for each byte of it.
	growth = 16
	most   = 8
	// The shortest time of all readings counts, so that a collection of garbage changes nothing.
	readings = 2
	rounds   = 8
)

// Check reads a part that is repeated up to a number of bytes, and one repeated up to growth times as
// many. It fails the test if a byte of the longer text takes more than eight times as long.
func Check(t *testing.T, part string, bytes int, read func(text string)) {
	t.Helper()
	texts := [2]string{Repeated(part, bytes), Repeated(part, growth*bytes)}
	times := [2]time.Duration{time.Hour, time.Hour}
	var ratio float64
	for range rounds {
		for i, text := range texts {
			times[i] = min(times[i], shortest(read, text))
		}
		if ratio = float64(times[1]) / float64(times[0]) / growth; ratio <= most {
			return
		}
	}
	t.Errorf("%.20q: a byte of %d takes %.1f times as long as one of %d, want at most %d times", part, len(texts[1]), ratio, len(texts[0]), most)
}

// Repeated repeats a part up to a number of bytes. A %d in it is replaced by the number of the repetition.
func Repeated(part string, bytes int) string {
	var text strings.Builder
	for number := 0; text.Len() < bytes; number++ {
		text.WriteString(strings.ReplaceAll(part, "%d", numeral(number)))
	}
	return text.String()
}

// numeral writes a number in letters, so that each is a word of its own.
func numeral(number int) string {
	letters := []byte{}
	for ; number > 0 || len(letters) == 0; number /= 20 {
		letters = append(letters, "bcdfghjklmnpqrtvwxzy"[number%20])
	}
	return string(letters)
}

// shortest returns the shortest time of some readings by this thread.
func shortest(read func(string), text string) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC()
	best := time.Hour
	for range readings {
		begun := now()
		read(text)
		best = min(best, now()-begun)
	}
	return max(best, time.Microsecond)
}
