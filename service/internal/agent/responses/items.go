package responses

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// item is an item of the output while it arrives.
type item struct {
	kind, callID, name string
	arguments          strings.Builder
	pieces             upstream.Text // of the arguments
	spoke, mused       bool          // a part of it has been yielded
	isDone             bool
	whole              json.RawMessage // as it was at its end
}

// shape is what is read of an item.
type shape struct {
	Type      string          `json:"type"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Content   []struct {
		Type    string          `json:"type"`
		Text    json.RawMessage `json:"text"`
		Refusal json.RawMessage `json:"refusal"`
	} `json:"content"`
	Summary []struct {
		Text json.RawMessage `json:"text"`
	} `json:"summary"`
}

// start begins an item. A message after a message is a paragraph of its own.
func (a *answer) start(index int, raw json.RawMessage) error {
	var is shape
	if json.Unmarshal(raw, &is) != nil {
		return errNoEvent
	}
	a.Begin()
	one := &item{kind: is.Type, callID: is.CallID, name: upstream.Beginning(is.Name, upstream.NameBytes)}
	a.items[index], a.order = one, append(a.order, one)
	switch is.Type {
	case "message":
		a.EndText()
	case "reasoning":
		a.EndThought()
	case "function_call":
		if a.calls() > upstream.MostCalls {
			return upstream.TooManyCalls()
		}
	default:
		a.Miss("an item that is not known")
	}
	return nil
}

func (a *answer) calls() (count int) {
	for _, one := range a.order {
		if one.kind == "function_call" {
			count++
		}
	}
	return count
}

// say yields a part of a message. Some servers do not begin it.
func (a *answer) say(one *item, literal json.RawMessage) error {
	text, err := a.Say(literal)
	if one != nil && text != "" {
		one.spoke = true
	}
	return err
}

// sayLate yields a text that no part has said.
func (a *answer) sayLate(one *item, literal json.RawMessage) error {
	if one == nil || one.spoke {
		return nil
	}
	return a.say(one, literal)
}

func (a *answer) think(one *item, literal json.RawMessage) error {
	text, err := a.Think(literal)
	if one != nil && text != "" {
		one.mused = true
	}
	return err
}

// argue adds to the arguments of a call. They are cut a little beyond their bound, so that they are not valid JSON.
func (a *answer) argue(one *item, literal json.RawMessage) error {
	if one == nil {
		a.Miss("arguments of a call that did not begin")
		return nil
	}
	a.Begin()
	piece, err := one.pieces.Next(string(literal))
	one.keep(piece)
	return err
}

func (i *item) keep(arguments string) {
	if room := upstream.ArgumentBytes + 1 - i.arguments.Len(); room > 0 {
		i.arguments.WriteString(upstream.Beginning(arguments, room))
	}
}

// argueLate takes the whole arguments.
func (a *answer) argueLate(one *item, literal json.RawMessage) {
	var whole string
	if one == nil || json.Unmarshal(literal, &whole) != nil || whole == "" {
		return
	}
	one.arguments.Reset()
	one.pieces = upstream.Text{}
	one.keep(whole)
}

// stop ends an item, and yields what no part has said.
func (a *answer) stop(index int, raw json.RawMessage) error {
	var is shape
	if json.Unmarshal(raw, &is) != nil {
		return errNoEvent
	}
	one := a.items[index]
	if one == nil {
		if err := a.start(index, raw); err != nil {
			return err
		}
		one = a.items[index]
	}
	a.Begin()
	one.isDone = true
	if a.size += len(raw); a.size <= upstream.ReturnedBytes {
		one.whole = raw
	}
	if one.kind == "function_call" {
		a.argueLate(one, is.Arguments)
	}
	speaks, muses := one.kind == "message" && !one.spoke, one.kind == "reasoning" && !one.mused
	for _, part := range is.Content {
		if err := a.late(one, speaks, muses, part.Text, part.Refusal); err != nil {
			return err
		}
	}
	for _, part := range is.Summary {
		if err := a.late(one, false, muses, part.Text, nil); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) late(one *item, speaks, muses bool, literals ...json.RawMessage) error {
	for _, literal := range literals {
		var err error
		switch {
		case speaks:
			err = a.say(one, literal)
		case muses:
			err = a.think(one, literal)
			a.EndThought()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// made returns the calls, and all items in their order. Missing arguments count as an empty object, unless the answer was
// cut.
func (a *answer) made(isCut bool) (all upstream.Made) {
	var list []json.RawMessage
	ids := map[string]bool{}
	isWhole := true
	for _, one := range a.order {
		if one.kind == "function_call" {
			call := toolcall.ModelCall{ID: one.callID, Name: one.name, Arguments: one.arguments.String() + one.pieces.Rest()}
			for call.ID == "" || ids[call.ID] {
				call.ID, isWhole = fmt.Sprintf("call_%05d", len(ids)), false
			}
			ids[call.ID] = true
			if call.Arguments == "" && !isCut {
				call.Arguments = "{}"
			}
			all.Calls = append(all.Calls, call)
		}
		isWhole = isWhole && one.isDone
		list = append(list, one.whole)
	}
	if a.size > upstream.ReturnedBytes {
		a.Miss("what should be sent back, because it is too large")
	} else if len(list) > 0 && isWhole {
		all.Returned, _ = json.Marshal(list)
	}
	return all
}
