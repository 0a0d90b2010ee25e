package answering

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// writeStructured asks for JSON, and once more if the answer doesn't have the example's shape.
// Readers get nothing of it until it has.
func (w *Writer) writeStructured(ctx context.Context, found Finds) error {
	text, wrong, err := w.askStructured(ctx, found, nil)
	if err != nil {
		return err
	}
	if len(w.Calls) > 0 {
		return nil // text beside calls is not part of the object
	}
	if wrong != nil {
		w.Repaired()
		w.Finish = ""
		if text, wrong, err = w.askStructured(ctx, found, func(p Prompt) Prompt { return w.repair(p, text, wrong) }); err != nil {
			return err
		}
	}
	if wrong != nil {
		return &fault.Error{
			Code: wire.CodeProviderFailed, Message: "The model's answer does not have the shape of example_json, not even when it was asked again", Detail: text,
		}
	}
	return w.tell(Piece{Text: text})
}

// askStructured returns the text of an answer, and how it differs from the example's shape.
func (w *Writer) askStructured(ctx context.Context, found Finds, change func(Prompt) Prompt) (text string, wrong []string, err error) {
	var held strings.Builder
	if err := w.askFitting(ctx, found, change, &held); err != nil {
		return "", nil, err
	}
	text = unfenced(held.String())
	example, err := parseJSON(w.Options.ExampleJSON)
	if err != nil {
		return "", nil, fmt.Errorf("the example of message %s is not JSON", w.Question.ID)
	}
	value, err := parseJSON(text)
	if err != nil {
		return text, []string{"it is not JSON"}, nil
	}
	return text, misfits(example, value, "the answer"), nil
}

// repair makes the prompt that asks again and says what was wrong. It includes the answer if the
// window holds it.
func (d *Draft) repair(prompt Prompt, text string, wrong []string) Prompt {
	last := len(prompt.Messages) - 1
	question := prompt.Messages[last]
	answer := PromptMessage{Role: wire.RoleAssistant, Text: text}
	complaint := PromptMessage{Role: wire.RoleUser, Text: "That is not JSON of the example's shape: " + strings.Join(wrong, "; ") +
		". Answer again, with the right JSON alone."}
	again := []PromptMessage{question, answer, complaint}
	m := d.meter()
	room := d.Window() - m.Count(prompt.System) - m.cost(question) - m.cost(complaint)
	if text == "" || m.cost(answer) > room {
		again = []PromptMessage{question, complaint}
	} else {
		room -= m.cost(answer)
	}
	prompt.Messages = slices.Concat(m.newest(prompt.Messages[:last], room), again)
	if prompt.Alternate {
		prompt = prompt.Alternating()
	}
	prompt.NoCalls, d.IsLast = true, true
	return prompt
}

// unfenced removes the Markdown fence around a text.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(text, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	_, inner, inLines := strings.Cut(inner, "\n")
	if !opened || !closed || !inLines {
		return text
	}
	return strings.TrimSpace(inner)
}

// parseJSON reads one value. Numbers keep their text, however large they are.
func parseJSON(text string) (value any, err error) {
	if !json.Valid([]byte(text)) {
		return nil, fmt.Errorf("no JSON in %d bytes", len(text))
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	return value, decoder.Decode(&value)
}

// misfits returns the places where a value doesn't have an example's shape: it is of another kind
// than the example (null in the example stands for any kind), one of the example's names is
// missing, or an item of a list is not like the first item of the example. Additional names are
// allowed.
func misfits(example, value any, at string) []string {
	switch example := example.(type) {
	case nil:
		return nil
	case map[string]any:
		object, ok := value.(map[string]any)
		if !ok {
			return []string{at + " is not an object"}
		}
		return namesThatMisfit(example, object, at)
	case []any:
		list, ok := value.([]any)
		if !ok {
			return []string{at + " is not a list"}
		}
		var wrong []string
		for i := 0; i < len(list) && len(example) > 0 && wrong == nil; i++ {
			wrong = misfits(example[0], list[i], fmt.Sprintf("%s[%d]", at, i))
		}
		return wrong
	}
	if want := kinds[fmt.Sprintf("%T", example)]; want != kinds[fmt.Sprintf("%T", value)] {
		return []string{at + " is not " + want}
	}
	return nil
}

// kinds are the words for values other than objects and lists.
var kinds = map[string]string{"string": "a text", "json.Number": "a number", "bool": "true or false"}

func namesThatMisfit(example, object map[string]any, at string) (wrong []string) {
	for _, name := range slices.Sorted(maps.Keys(example)) {
		value, has := object[name]
		if !has {
			wrong = append(wrong, fmt.Sprintf("%s has no %q", at, name))
			continue
		}
		wrong = append(wrong, misfits(example[name], value, fmt.Sprintf("%s[%q]", at, name))...)
	}
	return wrong
}
