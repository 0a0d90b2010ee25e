// Package detecttest answers in place of a model that is asked what to remember. It is only for
// tests.
package detecttest

import (
	"context"
	"encoding/json"
	"io"
	"unicode/utf16"

	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// Answer writes what the embedded detector finds in a message, as JSON of an OpenAI-compatible
// server.
func Answer(w io.Writer, message string) error {
	findings, err := memory.Embedded{}.Detect(context.Background(), message, nil)
	if err != nil {
		return err
	}
	all := []map[string]any{}
	units := utf16.Encode([]rune(message))
	for _, f := range findings {
		all = append(all, map[string]any{
			"type": f.Type, "content": f.Content, "confidence": f.Confidence, "quote": string(utf16.Decode(units[f.Start:f.End])),
		})
	}
	text, err := json.Marshal(map[string]any{"memories": all})
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(map[string]any{"choices": []any{
		map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"content": string(text)}},
	}})
}
