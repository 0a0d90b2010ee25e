package openai

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// streamOptions ask for the usage, which OpenAI sends in a chunk without choices after the finish reason.
type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// count is a number of tokens. What is no number counts as none.
type count int64

// UnmarshalJSON implements json.Unmarshaler.
func (c *count) UnmarshalJSON(data []byte) error {
	if value, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64); err == nil && value > 0 && value < math.MaxInt32 {
		*c = count(value)
	}
	return nil
}

// details are parts of a count.
type details struct {
	Cached    count `json:"cached_tokens"`
	Reasoning count `json:"reasoning_tokens"`
}

// usage is what a request took, under the names that servers use.
type usage struct {
	Input  count `json:"prompt_tokens"`
	Output count `json:"completion_tokens"`
	Total  count `json:"total_tokens"`
	// InputDetails and OutputDetails are OpenAI's, CacheHit DeepSeek's, the members of the usage itself Moonshot's and Perplexity's,
	// and CacheRead of gateways to Anthropic.
	InputDetails  details `json:"prompt_tokens_details"`
	OutputDetails details `json:"completion_tokens_details"`
	CacheHit      count   `json:"prompt_cache_hit_tokens"`
	CacheRead     count   `json:"cache_read_input_tokens"`
	details
}

// usageOf returns the usage that a chunk reports, nil for none.
func usageOf(data json.RawMessage) *wire.Usage {
	var told usage
	_ = json.Unmarshal(data, &told) // a part of another type is left out
	if told.Input == 0 && told.Output == 0 {
		return nil
	}
	cached := max(told.InputDetails.Cached, told.CacheHit, told.CacheRead, told.Cached)
	reasoning := max(told.OutputDetails.Reasoning, told.Reasoning)
	switch rest := told.Total - told.Input - told.Output; {
	case rest <= 0:
	case rest == cached && cached != reasoning: // the cached ones are not in the input
		told.Input += rest
	case reasoning == 0 || rest == reasoning: // xAI's and Gemini's outputs do not include what was thought
		told.Output += rest
		reasoning = rest
	}
	return &wire.Usage{InputTokens: int64(told.Input), CachedTokens: int64(min(cached, told.Input)), OutputTokens: int64(told.Output),
		ReasoningTokens: int64(min(reasoning, told.Output))}
}

// usage returns the usage that a chunk reports: in itself, in a choice (Moonshot) or beside (Groq).
func (c chunk) usage() (found *wire.Usage) {
	var beside struct {
		Usage json.RawMessage `json:"usage"`
	}
	_ = json.Unmarshal(c.Groq, &beside) // empty where there is none
	for _, data := range []json.RawMessage{c.Usage, beside.Usage} {
		if found == nil {
			found = usageOf(data)
		}
	}
	for _, one := range c.Choices {
		if found == nil {
			found = usageOf(one.Usage)
		}
	}
	return found
}
