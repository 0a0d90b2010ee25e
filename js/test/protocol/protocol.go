// Package protocol writes an answer in the event streams that clients speak, for
// scripted servers to send.
package protocol

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"strings"
)

// Protocol is what a client speaks: its own event stream.
type Protocol struct {
	// Header is sent in addition to the content type.
	Header map[string]string
	// Events are the whole answer, and Before how many of them come before the
	// first word.
	Events []string
	Before int
	// Refusal is the body of an error.
	Refusal func(status int) string
}

// object is a JSON object of the given fields; nothing in it can fail.
func object(fields map[string]any) string {
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func data(fields map[string]any) string { return "data: " + object(fields) + "\n\n" }

// OpenAI streams chat completions.
func OpenAI(words []string) Protocol {
	chunk := func(delta map[string]any, reason any) string {
		return data(map[string]any{
			"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": reason}},
		})
	}
	p := Protocol{Before: 1, Events: []string{chunk(map[string]any{"role": "assistant", "content": ""}, nil)}}
	for _, word := range words {
		p.Events = append(p.Events, chunk(map[string]any{"content": word}, nil))
	}
	p.Events = append(p.Events, chunk(map[string]any{}, "stop"), "data: [DONE]\n\n")
	p.Refusal = func(status int) string {
		return object(map[string]any{"error": map[string]any{"message": "scripted", "type": "scripted", "code": fmt.Sprint(status)}})
	}
	return p
}

// Anthropic streams messages.
func Anthropic(words []string) Protocol {
	event := func(name string, fields map[string]any) string {
		fields["type"] = name
		return "event: " + name + "\n" + data(fields)
	}
	p := Protocol{Before: 2, Events: []string{
		event("message_start", map[string]any{"message": map[string]any{
			"id": "1", "type": "message", "role": "assistant", "model": "scripted", "content": []any{},
			"stop_reason": nil, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1},
		}}),
		event("content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "text", "text": ""}}),
	}}
	for _, word := range words {
		p.Events = append(p.Events, event("content_block_delta", map[string]any{
			"index": 0, "delta": map[string]any{"type": "text_delta", "text": word},
		}))
	}
	p.Events = append(p.Events,
		event("content_block_stop", map[string]any{"index": 0}),
		event("message_delta", map[string]any{
			"delta": map[string]any{"stop_reason": "end_turn", "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 6},
		}),
		event("message_stop", map[string]any{}),
	)
	p.Refusal = func(int) string {
		return object(map[string]any{"type": "error", "error": map[string]any{"type": "scripted", "message": "scripted"}})
	}
	return p
}

// AI streams UI messages, as the AI SDK has them.
func AI(words []string) Protocol {
	p := Protocol{Before: 2, Header: map[string]string{"x-vercel-ai-ui-message-stream": "v1"}, Events: []string{
		data(map[string]any{"type": "start", "messageId": "1"}), data(map[string]any{"type": "text-start", "id": "1"}),
	}}
	for _, word := range words {
		p.Events = append(p.Events, data(map[string]any{"type": "text-delta", "id": "1", "delta": word}))
	}
	p.Events = append(p.Events, data(map[string]any{"type": "text-end", "id": "1"}), data(map[string]any{"type": "finish"}), "data: [DONE]\n\n")
	p.Refusal = func(int) string { return "scripted" }
	return p
}

// ChatSDK streams as this project's service does, with its proof.
func ChatSDK(words []string) Protocol {
	p := Protocol{Before: 1}
	event := func(name string, fields map[string]any) {
		p.Events = append(p.Events, fmt.Sprintf("id: %d\nevent: %s\n%s", len(p.Events)+1, name, data(fields)))
	}
	event("start", map[string]any{"stream_id": "s1", "chat_id": "c1", "message_id": "m1", "user_message_id": "u1"})
	for _, word := range words {
		event("chunk", map[string]any{"text": word})
	}
	text := strings.Join(words, "")
	event("complete", map[string]any{
		"message": map[string]any{
			"id": "m1", "chat_id": "c1", "role": "assistant", "content": text, "created_at": 1, "finish_reason": "stop",
		},
		"chunks": len(words), "bytes": len(text), "crc32": fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))),
	})
	event("end", map[string]any{})
	p.Refusal = func(status int) string {
		code := "UNAVAILABLE"
		if status == http.StatusUnauthorized {
			code = "TOKEN_EXPIRED"
		}
		return object(map[string]any{"status_code": status, "error": map[string]any{"code": code, "message": "scripted"}})
	}
	return p
}
