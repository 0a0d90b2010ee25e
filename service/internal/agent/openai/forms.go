package openai

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
)

// loose is a text that some servers send as a number. Anything else counts as none.
type loose string

// UnmarshalJSON implements json.Unmarshaler.
func (l *loose) UnmarshalJSON(data []byte) error {
	var text string
	switch {
	case json.Unmarshal(data, &text) == nil:
		*l = loose(text)
	case data[0] == '-' || data[0] >= '0' && data[0] <= '9':
		*l = loose(data)
	}
	return nil
}

// position is an index, which some servers send as text.
type position int

// UnmarshalJSON implements json.Unmarshaler.
func (p *position) UnmarshalJSON(data []byte) error {
	if number := strings.Trim(string(data), `" `); number != "" && number != "null" {
		value, err := strconv.ParseFloat(number, 64)
		if err != nil || value != math.Trunc(value) || math.Abs(value) > math.MaxInt32 {
			return upstream.ErrNoText
		}
		*p = position(value)
	}
	return nil
}

// spoken is a part of what a model says: a JSON string.
type spoken struct {
	literal   string
	isThought bool
}

// contentOf returns the parts of a content: a string, an object or a list of both. missed reports
// whether a part is neither text nor reasoning.
func contentOf(content json.RawMessage) (all []spoken, missed bool, err error) {
	content = bytes.TrimSpace(content)
	switch {
	case len(content) == 0 || string(content) == "null":
		return nil, false, nil
	case content[0] == '"':
		return []spoken{{literal: string(content)}}, false, nil
	case content[0] == '{':
		all, missed = partOf(content)
		return all, missed, nil
	case content[0] != '[':
		return nil, false, upstream.ErrNoText
	}
	var list []json.RawMessage
	if json.Unmarshal(content, &list) != nil {
		return nil, false, upstream.ErrNoText
	}
	for _, one := range list {
		said, isMissed := partOf(bytes.TrimSpace(one))
		all, missed = append(all, said...), missed || isMissed
	}
	return all, missed, nil
}

// partOf returns what one part of a content says.
func partOf(content json.RawMessage) (all []spoken, missed bool) {
	var part struct {
		Type      loose           `json:"type"`
		Text      json.RawMessage `json:"text"`
		Summary   json.RawMessage `json:"summary"`
		Content   json.RawMessage `json:"content"`
		Refusal   json.RawMessage `json:"refusal"`
		Thinking  json.RawMessage `json:"thinking"`
		Reasoning json.RawMessage `json:"reasoning"`
		Thought   bool            `json:"thought"`
		Value     json.RawMessage `json:"value"`
	}
	if content[0] == '"' {
		return []spoken{{literal: string(content)}}, false
	}
	if json.Unmarshal(content, &part) != nil {
		return nil, true
	}
	isThought := part.Thought || isThought(part.Type)
	for _, inner := range []json.RawMessage{part.Text, part.Summary, part.Content, part.Refusal, part.Thinking, part.Reasoning, part.Value} {
		said, _, err := contentOf(inner)
		for i := range said {
			said[i].isThought = said[i].isThought || isThought
		}
		if all = append(all, said...); err != nil {
			missed = true
		}
	}
	return all, missed || len(all) == 0 && !isThought
}

// isThought reports whether parts of a content with this type are reasoning.
func isThought(kind loose) bool {
	word := strings.ToLower(string(kind))
	return strings.Contains(word, "think") || strings.Contains(word, "reason") || strings.Contains(word, "thought")
}

// chunksOf returns the chunks of an event. isOdd reports whether it is no part of an answer: an empty
// line, a word, a number. What begins as JSON has to be JSON.
func chunksOf(data []byte) (chunks []chunk, isOdd bool, err error) {
	if len(data) == 0 || string(data) == "null" {
		return nil, false, nil
	}
	switch data[0] {
	case '{':
		chunks = make([]chunk, 1)
		return chunks, false, json.Unmarshal(data, &chunks[0])
	case '[':
		return chunks, false, json.Unmarshal(data, &chunks)
	}
	return nil, true, nil
}

func isDone(data []byte) bool { return bytes.EqualFold(data, []byte("[DONE]")) }
