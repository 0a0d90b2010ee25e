package test

import (
	"encoding/json"
	"fmt"
)

// Detected is a memory that a scripted model finds.
type Detected struct {
	// Type is preference, fact or context.
	Type string `json:"type"`
	// Content is the statement.
	Content string `json:"content"`
	// Confidence is from 0 to 1.
	Confidence float64 `json:"confidence"`
	// Quote are the words of the message that state it.
	Quote string `json:"quote"`
}

// Detects sets what the model finds in a message. In every other message it fails.
func (m *Model) Detects(message string, found ...Detected) {
	m.On(examined(message), func(a *Answer) { a.whole(text(map[string]any{"memories": found})) })
}

// RefusesToDetect sets the status with which the model refuses to examine a message.
func (m *Model) RefusesToDetect(message string, status int) {
	m.On(examined(message), func(a *Answer) { a.Refuse(status) })
}

// examined is the form in which the service sends a message that the model should examine.
func examined(message string) string { return text(map[string]string{"message": message}) }

// whole returns the answer in one piece.
func (a *Answer) whole(content string) {
	a.w.Header().Set("Content-Type", "application/json")
	message := map[string]string{"role": "assistant", "content": content}
	fmt.Fprint(a.w, text(map[string]any{
		"id": "1", "object": "chat.completion", "created": 1, "model": ModelName,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}},
	}))
}

func text(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err) // maps of strings and numbers cannot fail
	}
	return string(data)
}
