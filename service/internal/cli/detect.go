package cli

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

// detectedMemory is a memory that detect writes. The span is in UTF-16 units of the text.
type detectedMemory struct {
	Type       string  `json:"type"`
	Content    string  `json:"content"`
	Confidence float64 `json:"confidence"`
	Span       struct {
		Start int `json:"start"`
		End   int `json:"end"`
	} `json:"span"`
}

// detect reads {"id", "text"} and writes {"id", "memories"}: what the embedded detector finds in
// the text. It ignores other fields.
func detect(stdin io.Reader, stdout io.Writer) error {
	type findings struct {
		ID       string           `json:"id"`
		Memories []detectedMemory `json:"memories"`
	}
	return eachLine(stdin, stdout, func(line []byte) (any, error) {
		var message struct{ ID, Text *string }
		if json.Unmarshal(line, &message) != nil || message.ID == nil || message.Text == nil {
			return nil, errors.New(`not a message, want {"id": "...", "text": "..."}`)
		}
		answer := findings{*message.ID, []detectedMemory{}}
		for _, f := range rules.Detect(*message.Text) {
			m := detectedMemory{Type: f.Type, Content: f.Content, Confidence: f.Confidence}
			m.Span.Start, m.Span.End = f.Start, f.End
			answer.Memories = append(answer.Memories, m)
		}
		return answer, nil
	})
}
