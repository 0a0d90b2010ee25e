package openai_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// chatOf is a prompt with turns, of the user and, with a ">" before them, of the assistant.
func chatOf(turns ...string) (prompt answering.Prompt) {
	prompt.Model, prompt.System = "test-1", "Be brief."
	for _, turn := range turns {
		said, isAssistant := strings.CutPrefix(turn, ">")
		one := answering.PromptMessage{Role: wire.RoleUser, Text: said}
		if isAssistant {
			one.Role = wire.RoleAssistant
		}
		prompt.Messages = append(prompt.Messages, one)
	}
	return prompt
}

func TestTurnsAreSentInAFormThatIsTaken(t *testing.T) {
	t.Parallel()
	const systemFirst = `{"role":"system","content":"Be brief."},`
	tests := []struct {
		name       string
		prompt     answering.Prompt
		alternates bool
		want       string
	}{
		{"as it is", chatOf("a", "b", ">c", "d"), false,
			systemFirst + `{"role":"user","content":"a"},{"role":"user","content":"b"},{"role":"assistant","content":"c"},{"role":"user","content":"d"}`},
		{"blank ones", chatOf("a", "> \n", " ", "d"), false, systemFirst + `{"role":"user","content":"a"},{"role":"user","content":"d"}`},
		{"a blank question", chatOf(" "), false, systemFirst + `{"role":"user","content":" "}`},
		{"alternating", chatOf("a", "b", ">c", ">d", "e"), true,
			systemFirst + `{"role":"user","content":"a\n\nb"},{"role":"assistant","content":"c\n\nd"},{"role":"user","content":"e"}`},
		{"alternating over a blank one", chatOf("a", ">", "b"), true, systemFirst + `{"role":"user","content":"a\n\nb"}`},
		{"the assistant first", chatOf(">x", "a", ">b", "c"), true,
			systemFirst + `{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.prompt.Alternate = test.alternates
			m := newModel(t, says(piece(`"x"`), ends("stop")))
			require.NoError(t, read(t, m.provider(t).Answer(t.Context(), test.prompt)).err)
			require.JSONEq(t, `{"model":"test-1","stream":true,"stream_options":{"include_usage":true},"messages":[`+test.want+`]}`, m.asked()[0].body)
		})
	}
}

// Calls and their outcomes stay together, and images go along where messages are joined.
func TestCallsAndImagesStandWhereRolesAlternate(t *testing.T) {
	t.Parallel()
	prompt := withTools(round("Wait."), round("See.", outcome("c1", "lookup", "{}", "1")), round("And.", outcome("c2", "lookup", "{}", "2")))
	prompt.Alternate = true
	prompt.Messages = append([]answering.PromptMessage{{Role: wire.RoleUser, Text: " ",
		Images: []images.Image{{ID: "i1", MediaType: "image/png", Size: 5}}}}, prompt.Messages...)
	prompt.Files = imageFiles{"i1": []byte("\x89PNG\xff")}
	m := newModel(t, says(piece(`"x"`), ends("stop")))
	require.NoError(t, read(t, m.provider(t).Answer(t.Context(), prompt)).err)
	call := func(id string) string {
		return `"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"lookup","arguments":"{}"}}]`
	}
	require.Contains(t, m.asked()[0].body, `"messages":[{"role":"user","content":[{"type":"text","text":"Which?"},{"type":"image_url"`)
	body := m.asked()[0].body
	start := strings.Index(body, `{"content":"Wait.`)
	require.Positive(t, start, body)
	require.JSONEq(t, `[{"role":"assistant","content":"Wait.\n\nSee.",`+call("c1")+`},{"role":"tool","tool_call_id":"c1","name":"lookup","content":"1"},
		{"role":"assistant","content":"And.",`+call("c2")+`},{"role":"tool","tool_call_id":"c2","name":"lookup","content":"2"}]`,
		`[`+body[start:strings.Index(body, `],"model"`)]+`]`)
}

// An image without words has no blank text beside it.
func TestAnImageWithoutWordsIsSentAlone(t *testing.T) {
	t.Parallel()
	prompt := question("")
	prompt.Messages[0].Images = []images.Image{{ID: "i1", MediaType: "image/png", Size: 5}}
	prompt.Files = imageFiles{"i1": []byte("\x89PNG\xff")}
	m := newModel(t, says(piece(`"x"`), ends("stop")))
	require.NoError(t, read(t, m.provider(t).Answer(t.Context(), prompt)).err)
	require.Contains(t, m.asked()[0].body, `"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBOR/8="}}]}]`)
}

// A model that takes no system message gets its text with the first message of the user, now and from then on.
func TestAModelWithoutASystemRoleGetsItsTextFromTheUser(t *testing.T) {
	t.Parallel()
	for _, says := range []string{
		"System role not supported",
		"Unsupported value: 'messages[0].role' does not support 'system' with this model.",
		"Developer instruction is not enabled for models/gemma-3-27b-it",
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, refuses(400, `{"error":{"message":"`+says+`"}}`), streams(piece(`"x"`)+ends("stop"), closed))
			p := m.provider(t)
			for range 2 {
				require.NoError(t, read(t, p.Answer(t.Context(), chatOf("a", ">b", "c"))).err)
			}
			require.Len(t, m.asked(), 3)
			for _, later := range m.asked()[1:] {
				require.JSONEq(t, `{"model":"test-1","stream":true,"stream_options":{"include_usage":true},"messages":[
					{"role":"user","content":"Be brief.\n\na"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`, later.body)
			}
		})
	}
}
