package anthropic

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
)

// event is an event of a stream, or a whole answer; see https://platform.claude.com/docs/en/build-with-claude/streaming.
type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message *whole          `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   delta           `json:"delta"`
	whole
}

// whole is a message: at its beginning, or of a server that does not stream.
type whole struct {
	Content    []json.RawMessage `json:"content"`
	StopReason string            `json:"stop_reason"`
	Usage      usage             `json:"usage"`
}

// delta keeps strings undecoded, because a piece can end inside a code point.
type delta struct {
	Type        string          `json:"type"`
	Text        json.RawMessage `json:"text"`
	Thinking    json.RawMessage `json:"thinking"`
	Signature   string          `json:"signature"`
	PartialJSON json.RawMessage `json:"partial_json"`
	Citation    json.RawMessage `json:"citation"`
	StopReason  string          `json:"stop_reason"`
	StopDetails struct {
		Category string `json:"category"`
	} `json:"stop_details"`
}

// usage has the counts so far; each event has those that changed.
type usage struct {
	Input   *int64 `json:"input_tokens"`
	Written *int64 `json:"cache_creation_input_tokens"`
	Cached  *int64 `json:"cache_read_input_tokens"`
	Output  *int64 `json:"output_tokens"`
	Details struct {
		Thinking *int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// answer is the reading of one answer.
type answer struct {
	*upstream.Reading
	blocks map[int]*block
	order  []*block
	size   int // of the blocks
	usage  usage
}

var errNoEvent = errors.New("it is not an event of the Messages API")

// take takes an event.
func (a *answer) take(upper upstream.Event) (isOver bool, err error) {
	var e event
	if json.Unmarshal(upper.Data, &e) != nil {
		return false, errNoEvent
	}
	switch cmp.Or(e.Type, upper.Name()) {
	case "message_start":
		if e.Message != nil {
			return false, a.message(*e.Message)
		}
	case "content_block_start":
		return false, a.start(e.Index, e.Block)
	case "content_block_delta":
		return false, a.add(e.Index, e.Delta)
	case "content_block_stop":
		a.stop(e.Index)
	case "message_delta":
		a.count(e.Usage)
		if category := a.Privy().Identifier(upstream.Token(e.Delta.StopDetails.Category)); category != "" {
			a.Log.Warn("the provider's filter stopped an answer", "category", category)
		}
		a.end(e.Delta.StopReason)
	case "message":
		err := a.message(e.whole)
		a.end(e.StopReason)
		return true, err
	case "message_stop":
		return true, nil
	case "ping":
	default:
		a.Miss("an event that is not known")
	}
	return false, nil
}

func (a *answer) end(reason string) {
	if reason != "" {
		a.Ends(reason)
	}
}

// message takes a message with its blocks; at the beginning of a stream it has none.
func (a *answer) message(m whole) error {
	a.Begin()
	a.count(m.Usage)
	for i, one := range m.Content {
		if err := a.start(i, one); err != nil {
			return err
		}
		a.stop(i)
	}
	return nil
}

// count takes the counts that an event has. The provider counts what was cached apart.
func (a *answer) count(now usage) {
	for _, one := range []struct{ known, now **int64 }{
		{&a.usage.Input, &now.Input}, {&a.usage.Written, &now.Written}, {&a.usage.Cached, &now.Cached}, {&a.usage.Output, &now.Output},
		{&a.usage.Details.Thinking, &now.Details.Thinking},
	} {
		if *one.now != nil {
			*one.known = *one.now
		}
	}
	if u := a.usage; u.Input != nil || u.Output != nil {
		a.Usage = &wire.Usage{
			InputTokens: value(u.Input) + value(u.Written) + value(u.Cached), CachedTokens: value(u.Cached),
			OutputTokens: value(u.Output), ReasoningTokens: value(u.Details.Thinking),
		}
	}
}

func value(count *int64) int64 {
	if count == nil {
		return 0
	}
	return *count
}
