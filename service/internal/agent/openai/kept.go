package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
)

// kept is a JSON value that arrives in pieces, and whose members nobody has to know: texts of one place are joined,
// objects are merged, and items are put together by their index and type, as OpenRouter documents it for
// reasoning_details. null says nothing. The zero value is ready.
type kept struct {
	text    *strings.Builder // the inside of a JSON string, as it came
	scalar  json.RawMessage  // anything else that has no parts, or is too deep
	members map[string]*kept
	items   []*kept
}

const (
	// mostDepth is how deep pieces are put together; what is deeper is taken whole.
	mostDepth = 12
	// mostOpen is how many of the last items may be continued.
	mostOpen = 64
)

var (
	// spelledOut are texts that arrive word by word: a piece that is like the first one is not the same once more.
	spelledOut = []string{"text", "summary", "thinking", "thought", "content", "reasoning", "reasoning_content"}
	// identities are the same in all pieces.
	identities = []string{"type", "id", "index", "format"}
)

// add adds a piece of the value that stands under a name. What it takes is taken off room.
func (k *kept) add(name string, piece json.RawMessage, room *int, depth int) {
	piece = bytes.TrimSpace(piece)
	switch {
	case len(piece) == 0 || string(piece) == "null" || *room < 0:
	case depth > mostDepth || piece[0] != '"' && piece[0] != '{' && piece[0] != '[':
		*room -= len(piece) - len(k.scalar)
		k.scalar = bytes.Clone(piece)
	case piece[0] == '"':
		k.join(name, string(piece[1:len(piece)-1]), room)
	case piece[0] == '{':
		k.merge(piece, room, depth)
	default:
		k.continues(name, piece, room, depth)
	}
}

// join adds a piece of a text.
func (k *kept) join(name, piece string, room *int) {
	switch {
	case k.text == nil:
		k.text = new(strings.Builder)
	case k.text.Len() > 0 && slices.Contains(identities, name), !slices.Contains(spelledOut, name) && k.text.String() == piece:
		return
	}
	*room -= len(piece)
	k.text.WriteString(piece)
}

func (k *kept) merge(piece json.RawMessage, room *int, depth int) {
	var members map[string]json.RawMessage
	if json.Unmarshal(piece, &members) == nil {
		k.mergeAll(members, room, depth)
	}
}

func (k *kept) mergeAll(members map[string]json.RawMessage, room *int, depth int) {
	if k.members == nil {
		k.members = map[string]*kept{}
	}
	for name, value := range members {
		if string(value) != "null" {
			k.member(name, room).add(name, value, room, depth+1)
		}
	}
}

// member returns a member, a new one if there is none.
func (k *kept) member(name string, room *int) *kept {
	one := k.members[name]
	if one == nil {
		*room -= len(name)
		one = new(kept)
		k.members[name] = one
	}
	return one
}

// continues adds pieces of items, or new ones. Of items without an index only the first of a piece may continue one.
func (k *kept) continues(name string, piece json.RawMessage, room *int, depth int) {
	var pieces []json.RawMessage
	if json.Unmarshal(piece, &pieces) != nil {
		return
	}
	if k.items == nil {
		k.items = []*kept{}
	}
	for i, one := range pieces {
		item := k.open(one, i == 0)
		if item == nil {
			*room -= len(`{},`)
			item = new(kept)
			k.items = append(k.items, item)
		}
		item.add(name, one, room, depth+1)
	}
}

// open returns the item that a piece continues, nil for none.
func (k *kept) open(piece json.RawMessage, isFirst bool) *kept {
	var told map[string]json.RawMessage
	if json.Unmarshal(piece, &told) != nil || told == nil {
		return nil
	}
	for i := len(k.items) - 1; i >= max(0, len(k.items)-mostOpen); i-- {
		item := k.items[i]
		if item.members == nil || !item.is("type", told) || !item.is("index", told) || !item.is("id", told) {
			continue
		}
		isNext := isFirst && i == len(k.items)-1
		if bare(told["index"]) == "" && !isNext || item.isWhole(told) {
			return nil
		}
		return item
	}
	return nil
}

// bare returns a text or a number as it came, without quotation marks; empty for null.
func bare(value json.RawMessage) string {
	if text := string(value); text != "null" {
		return strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`)
	}
	return ""
}

// is reports whether an item may have the identity that a piece tells. One that is told first in a later piece is
// taken then, except an index.
func (k *kept) is(name string, told map[string]json.RawMessage) bool {
	mine, piece := k.members[name].plain(), bare(told[name])
	if mine == "" || piece == "" {
		return name != "index" || mine == piece
	}
	return mine == piece
}

// plain returns a text or a number as it came.
func (k *kept) plain() string {
	switch {
	case k == nil:
		return ""
	case k.text != nil:
		return k.text.String()
	}
	return string(k.scalar)
}

// isWhole reports whether an item has its signature or its data, and a piece more than that.
func (k *kept) isWhole(told map[string]json.RawMessage) bool {
	for _, seal := range []string{"signature", "data"} {
		mine, piece := k.members[seal].plain(), bare(told[seal])
		if mine == "" || mine == piece {
			continue
		}
		if piece != "" || slices.ContainsFunc(spelledOut, func(name string) bool { return bare(told[name]) != "" }) {
			return true
		}
	}
	return false
}

// value returns the whole value, nil for none.
func (k *kept) value() any {
	switch {
	case k == nil:
		return nil
	case k.text != nil:
		var joined upstream.Text
		whole, err := joined.Next(`"` + k.text.String() + `"`)
		if err != nil {
			return nil
		}
		return whole + joined.Rest()
	case k.members != nil:
		all := map[string]any{}
		for name, one := range k.members {
			if value := one.value(); value != nil {
				all[name] = value
			}
		}
		return all
	case k.items != nil:
		all := []any{}
		for _, one := range k.items {
			if value := one.value(); value != nil {
				all = append(all, value)
			}
		}
		return all
	case k.scalar != nil:
		return json.RawMessage(bytes.ToValidUTF8(k.scalar, []byte("\uFFFD")))
	}
	return nil
}
