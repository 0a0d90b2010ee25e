package openai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// Limits of what is kept of calls, beside those of package upstream.
const (
	idBytes        = 32 << 10 // gateways put signatures into ids
	extraBytes     = 64 << 10
	reasoningBytes = 256 << 10 // in the middle of a text
)

// callPiece is a part of a call in a delta.
type callPiece struct {
	// Index distinguishes the parts of different calls. Gemini sends none, some gateways always
	// 0.
	Index    *position `json:"index"`
	ID       loose     `json:"id"`
	Function callee    `json:"function"`
	// others are the other members, which the provider wants back.
	others map[string]json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *callPiece) UnmarshalJSON(data []byte) (err error) {
	type plain callPiece
	if err = json.Unmarshal(data, (*plain)(p)); err != nil {
		return err
	}
	p.others, err = othersOf(data, "index", "id", "type", "function")
	if function := p.Function.others; len(function) > 0 && p.others != nil {
		p.others["function"], err = json.Marshal(function)
	}
	return err
}

// callee is what a call calls.
type callee struct {
	Name loose `json:"name"`
	// Arguments are a part of a JSON text. Some servers send an object.
	Arguments json.RawMessage `json:"arguments"`
	others    map[string]json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *callee) UnmarshalJSON(data []byte) (err error) {
	type plain callee
	if err = json.Unmarshal(data, (*plain)(c)); err == nil {
		c.others, err = othersOf(data, "name", "arguments")
	}
	return err
}

// calls are the calls of an answer while they arrive. The zero value is ready.
type calls struct {
	list    []*partial // in the order in which they began
	open    map[position]*partial
	offered []string // the names of the tools
}

// partial is a call that may be incomplete.
type partial struct {
	id, name  string
	arguments strings.Builder
	text      upstream.Text // of the arguments
	extra     kept
	room      int // for extra
}

// add adds the parts of calls in a delta.
func (c *calls) add(d delta) error {
	for i, piece := range d.ToolCalls {
		call := c.of(piece, i)
		if call == nil {
			call = c.begin(piece)
		}
		if len(c.list) > upstream.MostCalls {
			return upstream.TooManyCalls()
		}
		if err := call.add(piece); err != nil {
			return err
		}
	}
	return nil
}

// of returns the call to which a part belongs, nil for a new call. at is the part's index in its
// delta.
func (c *calls) of(piece callPiece, at int) *partial {
	call := c.placed(piece)
	if call == nil {
		return c.adopts(piece)
	}
	if piece.Function.Name == "" || call.repeats(piece) || c.continues(call, piece) { // some servers make an id for each part
		return call
	}
	if piece.Index == nil && at > 0 || call.ended(piece) {
		return nil
	}
	return call
}

// adopts returns the last call for arguments under an index at which no call began, if it has none
// itself: its head came under another index.
func (c *calls) adopts(piece callPiece) *partial {
	if piece.Index == nil || piece.ID != "" || piece.Function.Name != "" || len(c.list) == 0 {
		return nil
	}
	last := c.list[len(c.list)-1]
	if last.arguments.Len() > 0 {
		return nil
	}
	c.open[*piece.Index] = last
	return last
}

// continues reports whether a part has more of the name of a call, and adds it.
func (c *calls) continues(call *partial, piece callPiece) bool {
	whole := call.name + string(piece.Function.Name)
	begins := func(name string) bool { return strings.HasPrefix(name, whole) }
	if call.name == "" || call.arguments.Len() > 0 || slices.Contains(c.offered, call.name) || !slices.ContainsFunc(c.offered, begins) {
		return false
	}
	call.name = whole
	return true
}

// placed returns the call to which a part belongs by its index. Without an index, the id decides,
// and without an id it is the last call.
func (c *calls) placed(piece callPiece) *partial {
	if piece.Index != nil {
		return c.open[*piece.Index]
	}
	for _, call := range c.list {
		if piece.ID != "" && string(piece.ID) == call.id {
			return call
		}
	}
	if len(c.list) == 0 {
		return nil
	}
	return c.list[len(c.list)-1]
}

// begin adds a call.
func (c *calls) begin(piece callPiece) *partial {
	call := &partial{room: extraBytes}
	c.list = append(c.list, call)
	if piece.Index != nil {
		if c.open == nil {
			c.open = map[position]*partial{}
		}
		c.open[*piece.Index] = call
	}
	return call
}

// ended reports whether a part with a name belongs to another call, although its index is that
// of this one.
func (p *partial) ended(piece callPiece) bool {
	switch given := string(piece.Function.Arguments); {
	case p.name == "":
		return false
	case upstream.Beginning(string(piece.Function.Name), upstream.NameBytes) != p.name, piece.ID != "" && p.id != "" && string(piece.ID) != p.id:
		return true
	case piece.ID != "" && string(piece.ID) == p.id, given == "", given == "null", given == `""`:
		return false
	}
	return json.Valid([]byte(p.arguments.String()))
}

// repeats reports whether a part is the whole call once more.
func (p *partial) repeats(piece callPiece) bool {
	if p.name == "" || string(piece.Function.Name) != p.name || piece.ID == "" && p.id == "" || piece.ID != "" && string(piece.ID) != p.id {
		return false
	}
	given, err := new(upstream.Text).Next(string(piece.Function.Arguments))
	if err != nil {
		given = string(piece.Function.Arguments)
	}
	return given == p.arguments.String() && json.Valid([]byte(given))
}

// add adds a part to the call.
func (p *partial) add(piece callPiece) error {
	if p.repeats(piece) {
		return nil
	}
	if p.id == "" && len(piece.ID) <= idBytes {
		p.id = string(piece.ID)
	}
	if p.name == "" {
		p.name = upstream.Beginning(string(piece.Function.Name), upstream.NameBytes)
	}
	if len(piece.others) > 0 {
		p.extra.mergeAll(piece.others, &p.room, 0)
	}
	return p.argue(string(piece.Function.Arguments))
}

// argue adds to the arguments the content of a JSON string, or any other value unchanged.
func (p *partial) argue(literal string) (err error) {
	if literal == "" || literal == "null" {
		return nil
	}
	given := literal
	if given[0] == '"' {
		given, err = p.text.Next(literal)
	}
	p.keep(given)
	return err
}

func (p *partial) keep(arguments string) {
	if room := upstream.ArgumentBytes + utf8.UTFMax - p.arguments.Len(); room > 0 {
		p.arguments.WriteString(upstream.Beginning(arguments, room))
	}
}

// made returns the calls, each with a unique id; earlier is how many calls earlier rounds have.
// broken means that the model was cut off. If it was not, missing arguments count as an empty
// object, because many models send nothing for a tool without parameters.
func (c *calls) made(earlier int, broken bool) (made []toolcall.ModelCall) {
	used := map[string]bool{}
	for _, p := range c.list {
		p.keep(p.text.Rest())
		call := toolcall.ModelCall{ID: p.id, Name: p.name, Arguments: p.arguments.String()}
		if call.Name == "" && call.Arguments == "" {
			continue
		}
		if call.Arguments == "" && !broken {
			call.Arguments = "{}"
		}
		if p.id != "" && slices.ContainsFunc(made, func(one toolcall.ModelCall) bool {
			return one.ID == call.ID && one.Name == call.Name && one.Arguments == call.Arguments
		}) {
			continue
		}
		call.Extra = p.wanted()
		for number := earlier + len(made); call.ID == "" || used[call.ID]; number++ {
			call.ID = fmt.Sprintf("call%05d", number) // Mistral accepts only nine letters and digits
		}
		used[call.ID] = true
		made = append(made, call)
	}
	return made
}

// wanted returns the members of the call that its provider wants back, nil for none.
func (p *partial) wanted() wire.JSON {
	members, _ := p.extra.value().(map[string]any)
	if len(members) == 0 || p.room < 0 {
		return nil
	}
	data, err := json.Marshal(members)
	if err != nil {
		return nil // the server sent no valid JSON
	}
	return data
}
