package sdk

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
)

// appendSeconds appends seconds as JSON, in whole milliseconds. Package strconv would bring its table of powers of ten into
// the page, 11 KB.
func appendSeconds(text []byte, seconds float64) []byte {
	all := int64(math.Round(seconds * 1000))
	text = strconv.AppendInt(text, all/1000, 10)
	if rest := all % 1000; rest > 0 {
		digits := strconv.Itoa(int(1000 + rest))[1:]
		text = append(append(text, '.'), strings.TrimRight(digits, "0")...)
	}
	return text
}

// secondsOf reads a positive number of seconds that has no exponent, in whole milliseconds; 0 for anything else.
func secondsOf(v jsontext.Value) time.Duration {
	whole, rest, _ := strings.Cut(string(v), ".")
	seconds, err := strconv.ParseUint(whole, 10, 32)
	thousandths, wrong := strconv.ParseUint((rest + "000")[:3], 10, 16)
	if err != nil || wrong != nil || v.Kind() != jsontext.Number || strings.ContainsAny(rest, "eE") {
		return 0
	}
	return time.Duration(seconds)*time.Second + time.Duration(thousandths)*time.Millisecond
}
