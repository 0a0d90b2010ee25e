package tool

import (
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
)

// loosen removes the patterns that are not checked from a schema, and says why, empty if there are none;
// then the document is not to be used. The result accepts at least what the schema accepts: where a
// looser part would make the whole stricter, as in not, the keyword goes too.
func loosen(document any) (why string) {
	l := loosener{}
	l.schema(document)
	return l.why
}

type loosener struct {
	// why says what is wrong with the first of the patterns that are removed.
	why string
	// size is how many steps those that stay have together.
	size int
}

var (
	// byName hold schemas by names, which are no keywords. They are those of draft-07 and 2019-09 too.
	byName = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
	// asValues hold values, which may look like schemas.
	asValues = []string{"const", "default", "enum", "examples"}
	// byWhatIsLeft refuse what no other keyword has looked at.
	byWhatIsLeft = []string{"unevaluatedProperties", "unevaluatedItems"}
)

// isUnchecked reports whether a value is a pattern that RE2 does not know, such as one with a lookahead, or one over the
// bounds, also with those before it.
func (l *loosener) isUnchecked(value any) bool {
	text, isText := value.(string)
	if !isText {
		return false
	}
	why, size := over(text), 0
	if why == "" {
		parsed, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			why = "RE2 does not know it"
		} else if size = stepsOf(text, parsed); l.size+size > patternSize {
			why = fmt.Sprintf("it has too many steps with the patterns before it, of at most %d", patternSize)
		}
	}
	if why == "" {
		l.size += size
		return false
	}
	if l.why == "" {
		l.why = why
	}
	return true
}

// schema loosens a schema, and reports whether it may be looser now. One that refers to another
// may be.
func (l *loosener) schema(value any) (isLooser bool) {
	s, ok := value.(map[string]any)
	if !ok {
		return false
	}
	_, isLooser = s["$ref"]
	if l.isUnchecked(s["pattern"]) {
		delete(s, "pattern")
		isLooser = true
	}
	isLooser = l.names(s) || isLooser
	for _, keyword := range byWhatIsLeft {
		delete(s, keyword)
	}
	for _, keyword := range slices.Sorted(maps.Keys(s)) { // in all replicas the same pattern is over the bounds
		one := s[keyword]
		if !slices.Contains(asValues, keyword) && l.part(keyword, one) {
			isLooser = true
			turn(s, keyword)
		}
	}
	return isLooser
}

// names removes the names that are patterns which are not checked.
func (l *loosener) names(s map[string]any) (isLooser bool) {
	all, _ := s["patternProperties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if l.isUnchecked(name) {
			delete(all, name)
			delete(s, "additionalProperties") // it would get what the name was for
			isLooser = true
		}
	}
	return isLooser
}

// part loosens what a keyword holds.
func (l *loosener) part(keyword string, value any) (isLooser bool) {
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			isLooser = l.schema(one) || isLooser
		}
	case map[string]any:
		if !slices.Contains(byName, keyword) {
			return l.schema(value)
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			isLooser = l.schema(value[name]) || isLooser
		}
	}
	return isLooser
}

// turn changes a keyword that a looser part makes stricter.
func turn(s map[string]any, keyword string) {
	switch keyword {
	case "not":
		delete(s, keyword)
	case "if":
		delete(s, keyword)
		delete(s, "then")
		delete(s, "else")
	case "contains":
		delete(s, "maxContains")
	case "oneOf":
		if _, has := s["anyOf"]; !has {
			s["anyOf"] = s[keyword]
		}
		delete(s, keyword)
	}
}
