package strictjson

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	// A double holds every whole number up to this one, and any 15 decimal digits.
	maxWhole          = 1<<53 - 1
	significantDigits = 15
	// leastNormal is the smallest double that holds 15 digits.
	leastNormal = 0x1p-1022
)

// checkNumber reports whether a double holds a JSON number; with exact, also in the form in which
// it is written. A whole number has neither fraction nor exponent.
func checkNumber(text string, exact bool) error {
	value, err := strconv.ParseFloat(text, 64)
	shown := fault.Shorten(text, 40)
	mantissa, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "-")), "e")
	digits := strings.Trim(strings.Replace(mantissa, ".", "", 1), "0")
	switch {
	case err != nil:
		return fmt.Errorf("the number %s is too large", shown)
	case digits != "" && math.Abs(value) < leastNormal:
		return fmt.Errorf("the number %s is too small", shown)
	case !exact:
		return nil
	case !strings.ContainsAny(text, ".eE"):
		if math.Abs(value) > maxWhole {
			return fmt.Errorf("the whole number %s is beyond ±%d; write it as a string, if the schema allows that", shown, maxWhole)
		}
	case len(digits) > significantDigits:
		return fmt.Errorf("the number %s has more than %d significant digits", shown, significantDigits)
	}
	return nil
}
