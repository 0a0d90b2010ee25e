package gemini

import (
	"encoding/json"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// content is all that one role says in a row.
type content struct {
	role  string // roleUser or roleModel
	parts []part
}

const (
	roleUser  = "user"
	roleModel = "model"
)

// part is JSON, or an image.
type part struct {
	json  json.RawMessage
	image *images.Image
}

type text struct {
	Text string `json:"text"`
}

// functionCall is a call of a model. It has an id only if the model gave it one.
type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// functionResponse is the outcome of a call.
type functionResponse struct {
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
}

// A request begins and ends with the user. These stand where somebody else would.
const (
	earlier = "(The beginning of the chat is left out.)"
	goOn    = "(Go on.)"
)

// noSignature stands for the signature of a call that the model did not make: without one, models of the third generation
// refuse the request; see https://ai.google.dev/gemini-api/docs/thought-signatures.
const noSignature = "skip_thought_signature_validator"

// contents returns those of a prompt. What one role says in a row is one content, and blank texts are left out.
func (b body) contents(prompt answering.Prompt) (all contents) {
	if b.SystemInstruction == nil && !isBlank(prompt.System) {
		all.say(roleUser, written(text{prompt.System}))
	}
	for _, m := range prompt.Messages {
		role := roleUser
		if m.Role == wire.RoleAssistant {
			role = roleModel
		}
		for _, image := range m.Images {
			all.say(role, part{image: &image})
		}
		if !isBlank(m.Text) {
			all.say(role, written(text{m.Text}))
		}
	}
	for _, round := range prompt.Rounds {
		all.round(round, generationOf(prompt.Model) >= levels)
	}
	if len(all) == 0 || all[len(all)-1].role != roleUser {
		all.say(roleUser, written(text{goOn}))
	}
	return all
}

type contents []content

// say adds a part of what a role says.
func (c *contents) say(role string, one part) {
	if len(*c) == 0 && role != roleUser {
		c.say(roleUser, written(text{earlier}))
	}
	if last := len(*c) - 1; last >= 0 && (*c)[last].role == role {
		(*c)[last].parts = append((*c)[last].parts, one)
		return
	}
	*c = append(*c, content{role, []part{one}})
}

// round adds what the model said in a round, as it sent it if that is known, and then the outcomes of its calls.
func (c *contents) round(round answering.Round, isSigned bool) {
	said := returnedOf(round)
	if said == nil {
		said = foreign(round, isSigned)
	}
	calls := round.Calls
	var outcomes []part
	for _, one := range said {
		c.say(roleModel, part{json: one.whole})
		if made := one.FunctionCall; made != nil {
			response := functionResponse{made.ID, made.Name, json.RawMessage(upstream.ObjectOrNone(calls[0].Outcome))}
			outcomes, calls = append(outcomes, written(map[string]functionResponse{"functionResponse": response})), calls[1:]
		}
	}
	note, given := upstream.Given(round)
	for _, image := range given {
		outcomes = append(outcomes, part{image: &image})
	}
	if note != "" {
		outcomes = append(outcomes, written(text{note}))
	}
	for _, one := range outcomes {
		c.say(roleUser, one)
	}
}

// foreign returns the parts of a round that another model wrote, or whose parts are not known.
func foreign(round answering.Round, isSigned bool) (all []returned) {
	if !isBlank(round.Text) {
		all = append(all, returned{whole: written(text{round.Text}).json})
	}
	for i, call := range round.Calls {
		one := returned{FunctionCall: &functionCall{Name: declared(upstream.FitName(call.Name)), Args: json.RawMessage(upstream.ObjectOrNone(call.Arguments))}}
		if isSigned && i == 0 {
			one.Signature = noSignature
		}
		one.whole = written(one).json
		all = append(all, one)
	}
	return all
}

// returned is a part that the model sent.
type returned struct {
	FunctionCall *functionCall `json:"functionCall"`
	Signature    string        `json:"thoughtSignature,omitempty"`

	whole json.RawMessage
}

// returnedOf returns the parts of a round, nil if they are not known or not those of its calls.
func returnedOf(round answering.Round) (all []returned) {
	var list []json.RawMessage
	if json.Unmarshal(round.Returned, &list) != nil {
		return nil
	}
	calls := 0
	for _, whole := range list {
		one := returned{whole: whole}
		if json.Unmarshal(whole, &one) != nil {
			return nil
		}
		if one.FunctionCall != nil {
			calls++
		}
		all = append(all, one)
	}
	if calls != len(round.Calls) {
		return nil
	}
	return all
}

// written returns a part of texts and of JSON that was checked, which can always be written.
func written(value any) part {
	data, _ := json.Marshal(value)
	return part{json: data}
}
