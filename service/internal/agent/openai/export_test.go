package openai

import "encoding/json"

// Thoughts returns the text that arrives in pieces, and its reasoning.
func Thoughts(pieces ...string) (said, thought string) {
	var t thoughts
	var all []span
	for _, piece := range pieces {
		all = append(all, t.next(piece)...)
	}
	all = append(all, t.rest()...)
	for _, one := range all {
		if one.isThought {
			thought += one.text
		}
	}
	return saidOf(all), thought
}

// Kept returns what is kept of an object that arrives in pieces, empty for nothing.
func Kept(pieces ...string) string {
	var whole kept
	room := returnedBytes
	for _, piece := range pieces {
		whole.add("", json.RawMessage(piece), &room, 0)
	}
	data, err := json.Marshal(whole.value())
	if err != nil {
		return ""
	}
	return string(data)
}
