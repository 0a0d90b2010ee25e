package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// message is all that one role says in a row.
type message struct {
	role  string // "user" or "assistant"
	parts []part
}

// part is a block of a message.
type part struct {
	Type string `json:"type"` // "text", "tool_use" or "tool_result"
	Text string `json:"text,omitempty"`
	// A call has these:
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	// The outcome of a call has these:
	ToolUseID string `json:"tool_use_id,omitempty"`
	Content   []part `json:"content,omitempty"`
	IsError   bool   `json:"is_error,omitempty"`

	CacheControl *mark `json:"cache_control,omitempty"`

	image    *images.Image   // in place of all the above
	returned json.RawMessage // in place of all the above: as the model sent it
}

// Messages begin and end with the user. These stand where somebody else would.
const (
	earlier = "(The beginning of the chat is left out.)"
	goOn    = "(Go on.)"
)

// messagesOf returns the messages of a prompt. What one role says in a row is one message, and blank texts, which are
// refused, are left out.
func messagesOf(prompt answering.Prompt) (all []message) {
	for i, m := range prompt.Messages {
		if i == len(prompt.Messages)-1 {
			keep(all)
		}
		role := "user"
		if m.Role == wire.RoleAssistant {
			role = "assistant"
		}
		var parts []part
		for _, image := range m.Images {
			parts = append(parts, part{image: &image})
		}
		if !isBlank(m.Text) {
			parts = append(parts, part{Type: "text", Text: m.Text})
		}
		all = say(all, role, parts)
	}
	var ids upstream.IDs
	for _, round := range prompt.Rounds {
		said, outcomes := roundOf(round, &ids)
		all = say(say(all, "assistant", said), "user", outcomes)
	}
	if len(all) == 0 || all[len(all)-1].role != "user" {
		all = say(all, "user", []part{{Type: "text", Text: goOn}})
	}
	if len(prompt.Rounds) > 0 {
		keep(all)
	}
	return all
}

// say adds what a role says.
func say(all []message, role string, parts []part) []message {
	if len(parts) == 0 {
		return all
	}
	if len(all) == 0 && role != "user" {
		all = append(all, message{"user", []part{{Type: "text", Text: earlier}}})
	}
	if last := len(all) - 1; last >= 0 && all[last].role == role {
		all[last].parts = append(all[last].parts, parts...)
		return all
	}
	return append(all, message{role, parts})
}

// keep marks the end of what later requests begin with.
func keep(all []message) {
	if len(all) == 0 {
		return
	}
	parts := all[len(all)-1].parts
	if last := &parts[len(parts)-1]; last.returned == nil {
		last.CacheControl = kept
	}
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// roundOf returns what the model said in a round, as it sent it if that is known, and the outcomes of its calls.
func roundOf(round answering.Round, ids *upstream.IDs) (said, outcomes []part) {
	for _, one := range returnedOf(round) {
		said = append(said, part{returned: one.whole})
	}
	isOwn := said != nil
	if !isOwn && !isBlank(round.Text) {
		said = append(said, part{Type: "text", Text: strings.TrimRight(round.Text, " \t\r\n")})
	}
	for _, call := range round.Calls {
		id := call.ID
		if !isOwn {
			id = ids.Of(call.ID)
			said = append(said, part{Type: "tool_use", ID: id, Name: upstream.FitName(call.Name), Input: json.RawMessage(upstream.ObjectOrNone(call.Arguments))})
		}
		outcome := part{Type: "tool_result", ToolUseID: id, IsError: call.Status == wire.CallFailed || call.Status == "invalid"}
		if !isBlank(call.Outcome) {
			outcome.Content = []part{{Type: "text", Text: call.Outcome}}
		}
		outcomes = append(outcomes, outcome)
	}
	note, given := upstream.Given(round)
	for _, image := range given {
		outcomes = append(outcomes, part{image: &image})
	}
	if note != "" {
		outcomes = append(outcomes, part{Type: "text", Text: note})
	}
	return said, outcomes
}

// returned is a block that the model sent.
type returned struct {
	Type string `json:"type"`
	ID   string `json:"id"`

	whole json.RawMessage
}

// returnedOf returns the blocks of a round, nil if they are not known or not those of its calls.
func returnedOf(round answering.Round) (all []returned) {
	var list []json.RawMessage
	if json.Unmarshal(round.Returned, &list) != nil {
		return nil
	}
	calls := round.Calls
	for _, whole := range list {
		one := returned{whole: whole}
		if json.Unmarshal(whole, &one) != nil || one.Type == "" {
			return nil
		}
		if one.Type == "tool_use" {
			if len(calls) == 0 || calls[0].ID != one.ID {
				return nil
			}
			calls = calls[1:]
		}
		all = append(all, one)
	}
	if len(calls) > 0 {
		return nil
	}
	return all
}

func beginsWithThought(all []returned) bool {
	return len(all) > 0 && (all[0].Type == "thinking" || all[0].Type == "redacted_thinking")
}
