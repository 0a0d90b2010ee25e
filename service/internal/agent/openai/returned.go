package openai

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// returnedBytes is how much is kept of what a provider wants back with a round. Of more nothing is kept, because a part
// of it is worth nothing.
const returnedBytes = 512 << 10

// returned is what a provider wants back with a round: members of its message, as it sent them.
type returned struct {
	whole kept
	room  int
	// content is the text with the reasoning in it.
	content strings.Builder
}

func newReturned() *returned { return &returned{room: returnedBytes} }

// add adds what a delta has beside text and calls, and the reasoning in its content.
func (r *returned) add(d delta) {
	r.whole.mergeAll(d.others, &r.room, 0)
	if thoughts := thoughtsOf(d.Content); thoughts != nil {
		r.whole.member("content", &r.room).add("content", thoughts, &r.room, 1)
	}
}

// say adds a text before its reasoning is told from it.
func (r *returned) say(text string) {
	if r.content.Len() <= returnedBytes {
		r.content.WriteString(text)
	}
}

// json returns Piece.Returned, nil for nothing. hasTags says that the text had reasoning in it. lost reports whether it
// was too much.
func (r *returned) json(hasTags bool) (value wire.JSON, lost bool) {
	all, _ := r.whole.value().(map[string]any)
	if hasTags && len(all) == 0 {
		all = map[string]any{"content": r.content.String()}
		r.room -= r.content.Len()
	}
	if len(all) == 0 || r.room < 0 {
		return nil, r.room < 0
	}
	data, err := json.Marshal(all)
	return data, err != nil
}

// thoughtsOf returns the parts of a list that are reasoning, as a list; nil for none.
func thoughtsOf(content json.RawMessage) json.RawMessage {
	var parts, thoughts []json.RawMessage
	if len(content) == 0 || content[0] != '[' || json.Unmarshal(content, &parts) != nil {
		return nil
	}
	for _, part := range parts {
		var told struct {
			Type    loose `json:"type"`
			Thought bool  `json:"thought"`
		}
		if json.Unmarshal(part, &told) == nil && (told.Thought || isThought(told.Type)) {
			thoughts = append(thoughts, part)
		}
	}
	if len(thoughts) == 0 {
		return nil
	}
	data, _ := json.Marshal(thoughts) // valid JSON stays so
	return data
}

// back returns the members of the message of a round that its provider wants back. Rounds of earlier versions have the
// reasoning in their calls.
func (m message) back() map[string]json.RawMessage {
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(m.Returned, &members) // it is empty for most
	for _, call := range m.Calls {
		if early := extraOf(call.Extra)[earlyReasoning]; early != nil && members[earlyReasoning] == nil {
			members[earlyReasoning] = early
		}
	}
	return members
}

// earlyReasoning is the member of a call's Extra that belongs to its message.
const earlyReasoning = "reasoning_content"

// extraOf returns the members of a call that its provider wants back.
func extraOf(extra wire.JSON) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(extra, &members) // it is empty for most
	return members
}

// returns returns the names of all that goes back to a provider and that it may refuse.
func (c completion) returns() (names []string) {
	for _, m := range c.Messages {
		names = slices.AppendSeq(names, maps.Keys(m.back()))
		for _, call := range m.Calls {
			extra := extraOf(call.Extra)
			names = slices.AppendSeq(names, maps.Keys(extra))
			names = slices.AppendSeq(names, maps.Keys(extraOf(wire.JSON(extra["function"]))))
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "function" })
}
