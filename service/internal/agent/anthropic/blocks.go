package anthropic

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// block is a block of an answer while it arrives.
type block struct {
	kind, id, name string
	members        map[string]json.RawMessage // as it began
	text           strings.Builder            // of a text or a thought
	signature      strings.Builder
	arguments      strings.Builder
	pieces         upstream.Text // of the arguments
	citations      []json.RawMessage
	isOdd          bool // something came that is not read, so that it cannot be sent back
}

// start begins a block.
func (a *answer) start(index int, raw json.RawMessage) error {
	one := &block{}
	if json.Unmarshal(raw, &one.members) != nil {
		return errNoEvent
	}
	for name, into := range map[string]*string{"type": &one.kind, "id": &one.id, "name": &one.name} {
		_ = json.Unmarshal(one.members[name], into)
	}
	a.blocks[index], a.order = one, append(a.order, one)
	a.size += len(raw)
	a.Begin()
	switch one.kind {
	case "text":
		return a.say(one, one.members["text"])
	case "thinking":
		return a.think(one, one.members["thinking"])
	case "redacted_thinking":
	case "tool_use":
		one.name = upstream.Beginning(one.name, upstream.NameBytes)
	default:
		a.Miss("a block that is not known")
	}
	if a.calls() > upstream.MostCalls {
		return upstream.TooManyCalls()
	}
	return nil
}

func (a *answer) say(one *block, literal json.RawMessage) error {
	text, err := a.Say(literal)
	a.keep(&one.text, text)
	return err
}

func (a *answer) think(one *block, literal json.RawMessage) error {
	text, err := a.Think(literal)
	a.keep(&one.text, text)
	return err
}

// keep keeps a part of a block, as long as all may be sent back.
func (a *answer) keep(all *strings.Builder, text string) {
	if a.size += len(text); a.size <= upstream.ReturnedBytes {
		all.WriteString(text)
	}
}

// add adds a part to a block. Some gateways do not begin a block of text.
func (a *answer) add(index int, d delta) error {
	one := a.blocks[index]
	if one == nil && d.Type == "text_delta" {
		if err := a.start(index, json.RawMessage(`{"type":"text","text":""}`)); err != nil {
			return err
		}
		one = a.blocks[index]
	}
	if one == nil {
		a.Miss("a part of a block that did not begin")
		return nil
	}
	a.Begin()
	switch d.Type {
	case "text_delta":
		return a.say(one, d.Text)
	case "thinking_delta":
		return a.think(one, d.Thinking)
	case "signature_delta":
		a.keep(&one.signature, d.Signature)
	case "input_json_delta":
		return one.argue(d.PartialJSON)
	case "citations_delta":
		one.citations = append(one.citations, d.Citation)
		a.size += len(d.Citation)
		a.Miss("a citation")
	default:
		one.isOdd = true
		a.Miss("a part of a block that is not known")
	}
	return nil
}

// argue adds to the arguments of a call. They are cut a little beyond their bound, so that they are not valid JSON.
func (b *block) argue(literal json.RawMessage) error {
	if len(literal) == 0 || string(literal) == "null" {
		return nil
	}
	piece, err := b.pieces.Next(string(literal))
	if room := upstream.ArgumentBytes + 1 - b.arguments.Len(); room > 0 {
		b.arguments.WriteString(upstream.Beginning(piece, room))
	}
	return err
}

// stop ends a block. A thought ends its paragraph.
func (a *answer) stop(index int) {
	one := a.blocks[index]
	delete(a.blocks, index)
	if one != nil && one.kind == "thinking" {
		a.EndThought()
	}
}

func (a *answer) calls() (count int) {
	for _, one := range a.order {
		if one.kind == "tool_use" {
			count++
		}
	}
	return count
}

// made returns the calls, and all blocks in their order. Missing arguments count as an empty object, unless the answer
// was cut.
func (a *answer) made(isCut bool) (all upstream.Made) {
	var list []json.RawMessage
	ids := map[string]bool{}
	for _, one := range a.order {
		if one.kind == "tool_use" {
			for one.id == "" || ids[one.id] {
				one.id = fmt.Sprintf("toolu_%05d", len(ids))
			}
			ids[one.id] = true
			all.Calls = append(all.Calls, toolcall.ModelCall{ID: one.id, Name: one.name, Arguments: one.written(isCut)})
		}
		if whole := one.whole(); whole != nil {
			list = append(list, whole)
		}
	}
	if a.size > upstream.ReturnedBytes {
		a.Miss("what should be sent back, because it is too large")
	} else if len(list) > 0 {
		all.Returned, _ = json.Marshal(list)
	}
	return all
}

// written returns the arguments as the model wrote them. Some servers send them with the beginning of the block.
func (b *block) written(isCut bool) string {
	given := b.arguments.String() + b.pieces.Rest()
	if given == "" {
		given = string(b.members["input"])
	}
	if given == "" || given == "{}" || given == "null" {
		given = ""
		if !isCut {
			given = "{}"
		}
	}
	return given
}

// whole returns the block as it is sent back, nil for one that is not: a blank text is refused.
func (b *block) whole() json.RawMessage {
	members := maps.Clone(b.members)
	set := func(name string, value any) { members[name], _ = json.Marshal(value) }
	switch b.kind {
	case "text":
		if isBlank(b.text.String()) {
			return nil
		}
		set("text", b.text.String())
		if b.citations != nil {
			set("citations", b.citations)
		}
	case "thinking":
		set("thinking", b.text.String())
		if b.signature.Len() > 0 {
			set("signature", b.signature.String())
		}
	case "tool_use":
		set("id", b.id)
		set("name", upstream.FitName(b.name))
		members["input"] = json.RawMessage(upstream.ObjectOrNone(b.written(true)))
	}
	if b.isOdd {
		return nil
	}
	whole, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	return whole
}
