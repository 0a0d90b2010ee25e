package openai

import (
	"encoding/json"
	"slices"
	"strings"
)

// listed is a memory as a model lists it. Pointers tell what is missing.
type listed struct {
	Type       *string  `json:"type"`
	Content    *string  `json:"content"`
	Confidence *float64 `json:"confidence"`
	Quote      *string  `json:"quote"`
}

// mostStarts is how many brackets of a text are tried as the beginning of its JSON: a
// text of brackets alone would else be read once for each of them.
const mostStarts = 100

// listIn finds the list in a model's text. Where no schema holds, the JSON may stand in
// a fence or among sentences, and may be the list alone. The last one counts, since
// what a model drafts comes before its answer.
func listIn(text string) (memories []listed, found bool) {
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

// listOf gives the list that a JSON value is, or that stands in it.
func listOf(value json.RawMessage) (list []listed, isObject, ok bool) {
	var object struct {
		Memories *[]listed `json:"memories"`
	}
	if json.Unmarshal(value, &object) == nil && object.Memories != nil {
		return *object.Memories, true, true
	}
	err := json.Unmarshal(value, &list)
	hasNoQuote := func(one listed) bool { return one.Quote == nil }
	return list, false, err == nil && !slices.ContainsFunc(list, hasNoQuote) && (len(list) > 0 || string(value) == "[]")
}
