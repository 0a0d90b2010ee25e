package responses

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
)

// event is an event of a stream, or a whole response; see
// https://platform.openai.com/docs/api-reference/responses-streaming. Strings stay undecoded, because a piece can end
// inside a code point.
type event struct {
	Type        string          `json:"type"`
	OutputIndex int             `json:"output_index"`
	Item        json.RawMessage `json:"item"`
	Delta       json.RawMessage `json:"delta"`
	Text        json.RawMessage `json:"text"`
	Refusal     json.RawMessage `json:"refusal"`
	Arguments   json.RawMessage `json:"arguments"`
	Response    *response       `json:"response"`

	Object string `json:"object"` // of a server that does not stream
	response
}

type response struct {
	Status     string            `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Error      json.RawMessage   `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *usage `json:"usage"`
}

type usage struct {
	Input        int64 `json:"input_tokens"`
	InputDetails struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        int64 `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// answer is the reading of one answer.
type answer struct {
	*upstream.Reading
	items map[int]*item
	order []*item
	size  int // of the items
}

var errNoEvent = errors.New("it is not an event of the Responses API")

// quiet are events that say nothing which others do not.
var quiet = map[string]bool{
	"response.content_part.added": true, "response.content_part.done": true, "response.reasoning_summary_part.done": true,
	"response.reasoning_summary_text.done": true, "response.reasoning_text.done": true, "response.reasoning_part.added": true,
	"response.reasoning_part.done": true, "keepalive": true, "ping": true,
}

// take takes an event.
func (a *answer) take(upper upstream.Event) (isOver bool, err error) {
	var e event
	if json.Unmarshal(upper.Data, &e) != nil {
		return false, errNoEvent
	}
	e.Type = cmp.Or(e.Type, upper.Name())
	one := a.items[e.OutputIndex]
	switch e.Type {
	case "response.created", "response.in_progress", "response.queued":
		a.Begin()
	case "response.output_item.added":
		return false, a.start(e.OutputIndex, e.Item)
	case "response.output_item.done":
		return false, a.stop(e.OutputIndex, e.Item)
	case "response.output_text.delta", "response.refusal.delta":
		return false, a.say(one, e.Delta)
	case "response.output_text.done":
		return false, a.sayLate(one, e.Text)
	case "response.refusal.done":
		return false, a.sayLate(one, e.Refusal)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return false, a.think(one, e.Delta)
	case "response.reasoning_summary_part.added":
		a.EndThought()
	case "response.function_call_arguments.delta":
		return false, a.argue(one, e.Delta)
	case "response.function_call_arguments.done":
		a.argueLate(one, e.Arguments)
	case "response.output_text.annotation.added":
		a.Miss("a citation")
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		if e.Response == nil {
			return false, errNoEvent
		}
		return true, a.end(strings.TrimPrefix(e.Type, "response."), *e.Response)
	case "":
		if e.Object == "response" {
			return true, a.end(e.Status, e.response)
		}
		a.Miss("an event that is not known")
	default:
		if !quiet[e.Type] {
			a.Miss("an event that is not known")
		}
	}
	return false, nil
}

// end ends the answer. What the events before have not said stands in the whole response.
func (a *answer) end(status string, r response) error {
	for i, one := range r.Output {
		if known := a.items[i]; known == nil || !known.isDone {
			if err := a.stop(i, one); err != nil {
				return err
			}
		}
	}
	if u := r.Usage; u != nil {
		a.Usage = &wire.Usage{InputTokens: u.Input, CachedTokens: u.InputDetails.Cached, OutputTokens: u.Output, ReasoningTokens: u.OutputDetails.Reasoning}
	}
	switch reason := r.Incomplete.Reason; {
	case status == "failed" && len(r.Error) > 0:
		return a.Reported(upstream.Event{Kind: "error", Data: r.Error})
	case status == "incomplete" && upstream.EndingOf(reason) > upstream.Unknown:
		a.Ends(reason)
	case status == "":
	default:
		a.Ends(status)
	}
	return nil
}
