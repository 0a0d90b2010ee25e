package gemini

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// response is an event of a stream, or a whole answer; see https://ai.google.dev/api/generate-content.
type response struct {
	Candidates     []candidate `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage json.RawMessage `json:"usageMetadata"`
}

type candidate struct {
	Index   int `json:"index"`
	Content struct {
		Parts []json.RawMessage `json:"parts"`
	} `json:"content"`
	FinishReason string `json:"finishReason"`
	// Grounding and Citations are not read.
	Grounding json.RawMessage `json:"groundingMetadata"`
	Citations json.RawMessage `json:"citationMetadata"`
}

// usage has the counts so far. Those of the candidates do not include thoughts.
type usage struct {
	Prompt     int64 `json:"promptTokenCount"`
	ToolUse    int64 `json:"toolUsePromptTokenCount"`
	Cached     int64 `json:"cachedContentTokenCount"`
	Candidates int64 `json:"candidatesTokenCount"`
	Thoughts   int64 `json:"thoughtsTokenCount"`
}

// answer is the reading of one answer.
type answer struct {
	*upstream.Reading
	calls []toolcall.ModelCall
	ids   map[string]bool   // of calls
	parts []json.RawMessage // as the model sent them
	text  strings.Builder   // that is not among the parts yet
	size  int               // of parts and text
}

var errNoResponse = errors.New("it is not a response of generateContent")

// take takes an event. Nothing but the end of the body, or of a gateway's own stream, says that no more follow.
func (a *answer) take(event upstream.Event) (isOver bool, err error) {
	var one response
	if json.Unmarshal(event.Data, &one) != nil {
		return false, errNoResponse
	}
	return false, a.respond(one)
}

func (a *answer) respond(r response) error {
	a.count(r.Usage)
	if reason := r.PromptFeedback.BlockReason; reason != "" && len(r.Candidates) == 0 {
		return upstream.Blocked(reason)
	}
	for _, one := range r.Candidates {
		if one.Index != 0 {
			a.Miss("a candidate beside the first")
			continue
		}
		if err := a.candidate(one); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) candidate(one candidate) error {
	for _, raw := range one.Content.Parts {
		if err := a.part(raw); err != nil {
			return err
		}
	}
	for what, value := range map[string]json.RawMessage{"the grounding of an answer": one.Grounding, "citations": one.Citations} {
		if len(value) > len("{}") && string(value) != "null" {
			a.Miss(what)
		}
	}
	if reason := one.FinishReason; reason != "" && reason != "FINISH_REASON_UNSPECIFIED" {
		a.Ends(reason)
	}
	return nil
}

// count takes the counts of an event, in which each is the sum so far.
func (a *answer) count(raw json.RawMessage) {
	var u usage
	if json.Unmarshal(raw, &u) != nil || u == (usage{}) {
		return
	}
	a.Usage = &wire.Usage{
		InputTokens: u.Prompt + u.ToolUse, CachedTokens: u.Cached, OutputTokens: u.Candidates + u.Thoughts, ReasoningTokens: u.Thoughts,
	}
}
