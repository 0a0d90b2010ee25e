package answering

import (
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// reasoningBytes is how much readers get of what a model thinks in an answer.
const reasoningBytes = 1 << 20

// thinking says what readers may still get of what a model thinks.
type thinking struct {
	room int  // bytes
	gap  bool // thoughts of an earlier round precede it
}

func (d *Draft) thinking() thinking {
	if !d.Reasoning {
		return thinking{}
	}
	length := d.Thought.Len()
	return thinking{room: reasoningBytes - length, gap: length > 0 && length == d.ThoughtBefore}
}

// think passes on what the model thinks, if it is wanted and has room. It is no part of the text and its proof.
func (b *batch) think(text string) {
	if b.thinking.gap {
		text, b.thinking.gap = roundGap+text, false
	}
	text = toolcall.Cut(text, b.thinking.room)
	if text == "" {
		return
	}
	b.thinking.room -= len(text)
	b.thoughts = append(b.thoughts, text)
	b.event(wire.EventReasoning, wire.Text{Text: text})
}
