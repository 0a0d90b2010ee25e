package responses

import (
	"encoding/json"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// input is an item of the input: a message, a call or the outcome of one.
type input struct {
	Type    string `json:"type,omitempty"` // empty for a message
	Role    string `json:"role,omitempty"`
	Content string `json:"content,omitempty"`
	// A call and its outcome have these:
	CallID    string  `json:"call_id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments string  `json:"arguments,omitempty"`
	Output    *string `json:"output,omitempty"`

	images   []images.Image
	returned json.RawMessage // in place of all the above: as the model sent it
}

// inputOf returns the input of a prompt. Blank messages are left out. Where roles must alternate, what one role says in a
// row is one message.
func inputOf(prompt answering.Prompt) (all []input) {
	for _, m := range prompt.Messages {
		if strings.TrimSpace(m.Text) == "" && len(m.Images) == 0 {
			continue
		}
		next := input{Role: "user", Content: m.Text, images: m.Images}
		if m.Role == wire.RoleAssistant {
			next.Role, next.images = "assistant", nil
		}
		if last := len(all) - 1; prompt.Alternate && last >= 0 && all[last].Role == next.Role {
			all[last].Content = strings.TrimPrefix(all[last].Content+"\n\n"+next.Content, "\n\n")
			all[last].images = append(all[last].images[:len(all[last].images):len(all[last].images)], next.images...)
			continue
		}
		all = append(all, next)
	}
	if prompt.Alternate && len(all) > 0 && all[0].Role != "user" {
		all = all[1:]
	}
	var ids upstream.IDs
	for _, round := range prompt.Rounds {
		said, outcomes := roundOf(round, &ids)
		all = append(append(all, said...), outcomes...)
	}
	return all
}

// roundOf returns what the model said in a round, as it sent it if that is known, and the outcomes of its calls.
func roundOf(round answering.Round, ids *upstream.IDs) (said, outcomes []input) {
	for _, whole := range returnedOf(round) {
		said = append(said, input{returned: whole})
	}
	isOwn := said != nil
	if !isOwn && strings.TrimSpace(round.Text) != "" {
		said = append(said, input{Role: "assistant", Content: round.Text})
	}
	for _, call := range round.Calls {
		id := call.ID
		if !isOwn {
			id = ids.Of(id)
			said = append(said, input{Type: "function_call", CallID: id, Name: upstream.FitName(call.Name), Arguments: upstream.ObjectOrNone(call.Arguments)})
		}
		outcomes = append(outcomes, input{Type: "function_call_output", CallID: id, Output: &call.Outcome})
	}
	if note, given := upstream.Given(round); len(given) > 0 {
		outcomes = append(outcomes, input{Role: "user", Content: note, images: given})
	}
	return said, outcomes
}

// returnedOf returns the items of a round, nil if they are not known or not those of its calls. Reasoning that is not
// encrypted cannot be sent back, because it is not stored, and what follows it not without it.
func returnedOf(round answering.Round) (all []json.RawMessage) {
	if json.Unmarshal(round.Returned, &all) != nil {
		return nil
	}
	calls := round.Calls
	for _, whole := range all {
		var one struct {
			Type      string `json:"type"`
			CallID    string `json:"call_id"`
			Encrypted string `json:"encrypted_content"`
		}
		if json.Unmarshal(whole, &one) != nil || one.Type == "" || one.Type == "reasoning" && one.Encrypted == "" {
			return nil
		}
		if one.Type == "function_call" {
			if len(calls) == 0 || calls[0].ID != one.CallID {
				return nil
			}
			calls = calls[1:]
		}
	}
	if len(calls) > 0 {
		return nil
	}
	return all
}
