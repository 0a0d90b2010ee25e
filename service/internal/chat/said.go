package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// Said is what the readers of a stream got of its answer. The zero value is an empty answer.
type Said struct {
	text, reasoning strings.Builder
	// Chunks is the number of chunks.
	Chunks int
	// Sources are the sources that the stream's events name, each once.
	Sources []wire.Source
	// Images are the ids of the images that the stream's events name.
	Images []string
}

// Text joins the chunks.
func (s *Said) Text() string { return s.text.String() }

// Reasoning joins what the model thought.
func (s *Said) Reasoning() string { return s.reasoning.String() }

// Add adds what an event says. Most types of events say nothing.
func (s *Said) Add(name string, data []byte) error {
	switch name {
	case wire.EventMessageObject:
		var object struct {
			Sources []wire.Source
			Images  []string `json:"image_urls"`
		}
		if json.Unmarshal(data, &object) != nil {
			return nil // an object that the provider defined
		}
		for _, source := range object.Sources {
			if !slices.Contains(s.Sources, source) {
				s.Sources = append(s.Sources, source)
			}
		}
		for _, id := range object.Images {
			if images.IsID(id) && !slices.Contains(s.Images, id) {
				s.Images = append(s.Images, id)
			}
		}
	case wire.EventChunk, wire.EventReasoning:
		var piece wire.Text
		if err := json.Unmarshal(data, &piece); err != nil {
			return fmt.Errorf("a %s is not a JSON object with a text: %w", name, err)
		}
		if name == wire.EventReasoning {
			s.reasoning.WriteString(piece.Text)
			break
		}
		s.text.WriteString(piece.Text)
		s.Chunks++
	}
	return nil
}
