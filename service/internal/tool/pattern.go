package tool

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// patternSize is how many steps the patterns of a schema may have together. a{1000} has a
	// thousand.
	patternSize = 10_000

	// What a pattern is built from may be thousands of times its text. So these bound the text of one
	// pattern, and are looked at before it is parsed: \pL is one of 700 ranges, and a range beyond
	// ASCII whose case is folded is looked through letter by letter, for milliseconds.
	patternBytes  = 1 << 10
	patternKinds  = 8
	patternRanges = 256
	patternFolded = 2
	// foldedSteps is how many steps a folded range counts for.
	foldedSteps = 1000
)

// scan is what the text of a pattern shows before it is parsed.
type scan struct {
	kinds, ranges int
	// folds reports whether the case may be ignored, isWide whether characters beyond ASCII may be
	// meant.
	folds, isWide bool
}

// scanOf reads a pattern from left to right. What it can't tell it counts as the dearer.
func scanOf(text string) (s scan) {
	inClass := false
	for at := 0; at < len(text); at++ {
		switch c := text[at]; {
		case c == '\\' && at+1 < len(text):
			at++
			switch next := text[at]; {
			case next == 'p' || next == 'P':
				s.kinds++
			case next == 'x' || next >= '0' && next <= '7':
				s.isWide = true
			}
		case c >= 0x80:
			s.isWide = true
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '-' && inClass:
			s.ranges++
		case c == '(' && strings.HasPrefix(text[at:], "(?"):
			flags, _, _ := strings.Cut(text[at+2:], ")")
			flags, _, _ = strings.Cut(flags, ":")
			s.folds = s.folds || strings.Contains(flags, "i")
		}
	}
	return s
}

// folded is how many ranges are looked through for their case.
func (s scan) folded() int {
	if s.folds && s.isWide {
		return s.ranges
	}
	return 0
}

// over says which bound the text of a pattern exceeds, empty for none.
func over(text string) string {
	if len(text) > patternBytes {
		return fmt.Sprintf("it has %d bytes, of at most %d", len(text), patternBytes)
	}
	s := scanOf(text)
	switch {
	case s.kinds > patternKinds:
		return fmt.Sprintf(`it has %d kinds of characters (\p), of at most %d`, s.kinds, patternKinds)
	case s.ranges > patternRanges:
		return fmt.Sprintf("it has %d ranges of characters, of at most %d", s.ranges, patternRanges)
	case s.folded() > patternFolded:
		return fmt.Sprintf("it ignores the case of %d ranges beyond ASCII, of at most %d", s.folded(), patternFolded)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if isTooLarge(err) || err == nil && steps(parsed) > patternSize {
		return fmt.Sprintf("it has too many steps when its repetitions are written out, of at most %d", patternSize)
	}
	return ""
}

// isTooLarge reports whether the parser knows a pattern, but not so large a one.
func isTooLarge(err error) bool {
	var told *syntax.Error
	if !errors.As(err, &told) {
		return false
	}
	return slices.Contains([]syntax.ErrorCode{syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth}, told.Code)
}

// patterns compiles the patterns of one schema. RE2 itself does not limit how many copies of a
// pattern its repetitions make.
type patterns struct {
	by    author
	mu    sync.Mutex
	known map[string]pattern
	size  int
	// isDone reports whether the schema is compiled. What comes afterwards are texts that the
	// schema says must be patterns.
	isDone bool
}

// pattern is a compiled pattern with the number of its steps.
type pattern struct {
	*regexp.Regexp
	size int
}

var errPattern = errors.New("it is not a regular expression that RE2 accepts")

func (p *patterns) compile(text string) (jsonschema.Regexp, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isDone {
		return nil, readable(text)
	}
	one, isKnown := p.known[text]
	if !isKnown {
		if why := over(text); p.by == stranger && why != "" {
			return nil, errors.New(why) // loosen has not found it: it stands where no keyword is known
		}
		parsed, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			return nil, errPattern
		}
		one.size = stepsOf(text, parsed)
	}
	// Each pattern comes twice: once to check the schema, once for use.
	if p.size += one.size; p.size > 2*patternSize {
		return nil, fmt.Errorf("the patterns have more than %d steps together, want fewer repetitions", patternSize)
	}
	if !isKnown {
		compiled, err := regexp.Compile(text)
		if err != nil {
			return nil, errPattern
		}
		one.Regexp = compiled
		p.known[text] = one
	}
	return one, nil
}

// done says that the schema is compiled.
func (p *patterns) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isDone, p.known = true, nil
}

// readable reports whether a text is a pattern. One over the bounds counts as one.
func readable(text string) error {
	if over(text) != "" {
		return nil
	}
	if _, err := syntax.Parse(text, syntax.Perl); err != nil {
		return errPattern
	}
	return nil
}

// stepsOf returns how many steps a pattern counts for.
func stepsOf(text string, parsed *syntax.Regexp) int {
	return steps(parsed) + foldedSteps*scanOf(text).folded()
}

// steps returns about how many steps a pattern has when its repetitions are expanded, at most twice as
// many as allowed and one more.
func steps(re *syntax.Regexp) int {
	sum := 1 + len(re.Rune)/8
	for _, part := range re.Sub {
		sum += steps(part)
	}
	if re.Op == syntax.OpLiteral {
		sum = len(re.Rune)
	}
	if re.Op == syntax.OpRepeat {
		sum *= max(re.Min, re.Max, 1)
	}
	return min(sum, 2*patternSize+1)
}
