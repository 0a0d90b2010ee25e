package detection

import (
	"encoding/json"
	"slices"
	"strings"
)

// Listed is a memory that a model lists. Pointers show what is missing.
type Listed struct {
	Type       *string  `json:"type"`
	Content    *string  `json:"content"`
	Confidence *float64 `json:"confidence"`
	Quote      *string  `json:"quote"`
}

// mostStarts is how many brackets of a text are tried as the beginning of its JSON. Without this
// limit, a text of only brackets would be read once for each of them.
const mostStarts = 100

// Read finds the list in a model's text. Without a schema, the JSON may be in a fence or
// between sentences, and may be only the list. The last list counts, because a model may write
// drafts before its answer.
func Read(text string) (memories []Listed, found bool) {
	isBare := true
	for range mostStarts {
		start := strings.IndexAny(text, "{[")
		if start < 0 {
			break
		}
		text = text[start:]
		var value json.RawMessage
		decoder := json.NewDecoder(strings.NewReader(text))
		if decoder.Decode(&value) != nil {
			text = text[1:]
			continue
		}
		text = text[decoder.InputOffset():]
		if list, isObject, ok := listOf(value); ok && (isObject || isBare) {
			memories, found, isBare = list, true, !isObject
		}
	}
	return memories, found
}

// listOf returns the list that a JSON value is or contains.
func listOf(value json.RawMessage) (list []Listed, isObject, ok bool) {
	var object struct {
		Memories *[]Listed `json:"memories"`
	}
	if json.Unmarshal(value, &object) == nil && object.Memories != nil {
		return *object.Memories, true, true
	}
	err := json.Unmarshal(value, &list)
	hasNoQuote := func(one Listed) bool { return one.Quote == nil }
	return list, false, err == nil && !slices.ContainsFunc(list, hasNoQuote) && (len(list) > 0 || string(value) == "[]")
}
