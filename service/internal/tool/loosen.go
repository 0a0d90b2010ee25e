package tool

import "slices"

// loosen removes the patterns over the bounds from a schema, and says why, empty if there are none;
// then the document is not to be used. The result accepts at least what the schema accepts: where a
// looser part would make the whole stricter, as in not, the keyword goes too.
func loosen(document any) (why string) {
	l := loosener{}
	l.schema(document)
	return l.why
}

type loosener struct {
	// why says what is over a bound, of the first pattern that is.
	why string
}

var (
	// byName hold schemas by names, which are no keywords. They are those of draft-07 and 2019-09 too.
	byName = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
	// asValues hold values, which may look like schemas.
	asValues = []string{"const", "default", "enum", "examples"}
	// byWhatIsLeft refuse what no other keyword has looked at.
	byWhatIsLeft = []string{"unevaluatedProperties", "unevaluatedItems"}
)

// isOver reports whether a value is a pattern over the bounds.
func (l *loosener) isOver(value any) bool {
	text, isText := value.(string)
	if !isText {
		return false
	}
	why := over(text)
	if l.why == "" {
		l.why = why
	}
	return why != ""
}

// schema loosens a schema, and reports whether it may be looser now. One that refers to another
// may be.
func (l *loosener) schema(value any) (isLooser bool) {
	s, ok := value.(map[string]any)
	if !ok {
		return false
	}
	_, isLooser = s["$ref"]
	if l.isOver(s["pattern"]) {
		delete(s, "pattern")
		isLooser = true
	}
	isLooser = l.names(s) || isLooser
	for _, keyword := range byWhatIsLeft {
		delete(s, keyword)
	}
	for keyword, one := range s {
		if !slices.Contains(asValues, keyword) && l.part(keyword, one) {
			isLooser = true
			turn(s, keyword)
		}
	}
	return isLooser
}

// names removes the names that are patterns over the bounds.
func (l *loosener) names(s map[string]any) (isLooser bool) {
	all, _ := s["patternProperties"].(map[string]any)
	for name := range all {
		if l.isOver(name) {
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
		for _, one := range value {
			isLooser = l.schema(one) || isLooser
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
