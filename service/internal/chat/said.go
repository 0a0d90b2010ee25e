package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Said is what readers of a stream got of its answer. The zero value is nothing.
type Said struct {
	text strings.Builder
	// Chunks is how many there are.
	Chunks int
	// Sources are those of the stream's objects, each once.
	Sources []wire.Source
}

// Text joins the chunks.
func (s *Said) Text() string { return s.text.String() }

// Add adds what an event says; most types say nothing.
func (s *Said) Add(name string, data []byte) error {
	switch name {
	case wire.EventMessageObject:
		var object struct{ Sources []wire.Source }
		if json.Unmarshal(data, &object) != nil {
			return nil // a provider's own object
		}
		for _, source := range object.Sources {
			if !slices.Contains(s.Sources, source) {
				s.Sources = append(s.Sources, source)
			}
		}
	case wire.EventChunk:
		var chunk wire.Text
		if err := json.Unmarshal(data, &chunk); err != nil {
			return fmt.Errorf("a chunk is no JSON object with a text: %w", err)
		}
		s.text.WriteString(chunk.Text)
		s.Chunks++
	}
	return nil
}
