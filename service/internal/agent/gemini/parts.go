package gemini

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// received has the members of a part that are read; see https://ai.google.dev/api/caching#Part.
type received struct {
	Text         json.RawMessage `json:"text"`
	Thought      bool            `json:"thought"`
	FunctionCall *calling        `json:"functionCall"`
	InlineData   *inlineData     `json:"inlineData"`
}

type calling struct {
	functionCall
	// PartialArgs are sent by some endpoints that were asked for them.
	PartialArgs  json.RawMessage `json:"partialArgs"`
	WillContinue bool            `json:"willContinue"`
}

type inlineData struct {
	MimeType string `json:"mimeType"`
	Data     string `json:"data"`
}

var errPartialCall = errors.New("it has a part of a call, which nobody asked for")

// part takes a part. What is not text alone is kept as it is, for it may be wanted back.
func (a *answer) part(raw json.RawMessage) error {
	var one received
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || json.Unmarshal(raw, &one) != nil {
		return errNoResponse
	}
	delete(members, "text")
	isThought := one.Thought
	delete(members, "thought")
	switch {
	case isThought && one.InlineData != nil:
		a.Begin()
		a.Miss("an image of a thought")
		return nil
	case isThought:
		if _, err := a.Think(one.Text); err != nil || len(members) == 0 {
			return err
		}
	default:
		said, err := a.Say(one.Text)
		if err != nil {
			return err
		}
		if len(members) == 0 {
			a.keepText(said)
			return nil
		}
	}
	a.keep(raw)
	switch {
	case one.FunctionCall != nil:
		return a.call(*one.FunctionCall)
	case one.InlineData != nil:
		return a.image(*one.InlineData)
	}
	for name := range members {
		if !slices.Contains([]string{"thoughtSignature", "partMetadata"}, name) {
			a.Miss("a part that is not known")
			break
		}
	}
	return nil
}

// call takes a call, which comes as a whole.
func (a *answer) call(one calling) error {
	if one.WillContinue || len(one.PartialArgs) > 0 {
		return errPartialCall
	}
	a.Begin()
	call := toolcall.ModelCall{ID: one.ID, Name: undeclared(upstream.Beginning(one.Name, upstream.NameBytes)), Arguments: string(one.Args)}
	if call.Arguments == "" || call.Arguments == "null" {
		call.Arguments = "{}"
	}
	call.Arguments = upstream.Beginning(call.Arguments, upstream.ArgumentBytes+1) // one that is cut is not valid
	for number := a.Earlier + len(a.calls); call.ID == "" || a.ids[call.ID]; number++ {
		call.ID = fmt.Sprintf("call%05d", number)
	}
	a.ids[call.ID] = true
	if a.calls = append(a.calls, call); len(a.calls) > upstream.MostCalls {
		return upstream.TooManyCalls()
	}
	return nil
}

// image yields an image that the model made.
func (a *answer) image(data inlineData) error {
	content, err := base64.StdEncoding.DecodeString(data.Data)
	if err != nil {
		content, err = base64.URLEncoding.DecodeString(data.Data)
	}
	if err == nil {
		var files []images.File
		if files, err = images.Read([][]byte{content}); err == nil {
			return a.Show(files[0])
		}
	}
	a.Begin()
	a.Miss("a file that is no image")
	return nil
}

// keepText keeps a text until another part follows it.
func (a *answer) keepText(said string) {
	if a.grow(len(said)) {
		a.text.WriteString(said)
	}
}

func (a *answer) keep(raw json.RawMessage) {
	if !a.grow(len(raw)) {
		return
	}
	a.endText()
	a.parts = append(a.parts, raw)
}

func (a *answer) endText() {
	if a.text.Len() > 0 {
		a.parts = append(a.parts, written(text{a.text.String()}).json)
		a.text.Reset()
	}
}

// grow reports whether as much may still be sent back.
func (a *answer) grow(bytes int) bool {
	a.size += bytes
	return a.size <= upstream.ReturnedBytes
}

// made returns the calls, and all parts in their order. A call comes as a whole, also if the model reached a limit.
func (a *answer) made(bool) (all upstream.Made) {
	a.endText()
	all.Calls = a.calls
	switch {
	case len(a.calls) == 0: // no round follows
	case a.size > upstream.ReturnedBytes:
		a.Miss("what should be sent back, because it is too large")
	default:
		all.Returned, _ = json.Marshal(a.parts)
	}
	return all
}
