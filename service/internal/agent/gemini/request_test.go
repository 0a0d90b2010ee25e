package gemini_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

var yes = providertest.Streams(providertest.GeminiEnds("STOP", providertest.GeminiText("Yes.")), providertest.Closed)

// sent returns the request that a prompt becomes.
func sent(t *testing.T, prompt answering.Prompt, base string) providertest.Asked {
	t.Helper()
	m := providertest.NewModel(t, yes)
	got := providertest.Read(t, provider(t, m, base).Answer(t.Context(), prompt))
	require.NoError(t, got.Err)
	require.Len(t, m.Asked(), 1)
	return m.Asked()[0]
}

// member returns a member of a request's body, as JSON.
func member(t *testing.T, asked providertest.Asked, name string) string {
	t.Helper()
	var body map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(asked.Body), &body))
	return string(body[name])
}

func said(role, text string) answering.PromptMessage {
	return answering.PromptMessage{Role: role, Text: text}
}

func prompt(model string, messages ...answering.PromptMessage) answering.Prompt {
	return answering.Prompt{Model: model, Messages: messages}
}

func TestAModelIsAskedAtItsAddress(t *testing.T) {
	t.Parallel()
	tests := []struct{ base, model, path string }{
		{"", "gemini-3-pro", "/v1beta/models/gemini-3-pro:streamGenerateContent"},
		{"/", "models/gemini-3-pro", "/v1beta/models/gemini-3-pro:streamGenerateContent"},
		{"/v1beta", "gemini-3-pro", "/v1beta/models/gemini-3-pro:streamGenerateContent"},
		{"/v1alpha1/", "tunedModels/mine", "/v1alpha1/tunedModels/mine:streamGenerateContent"},
		{"/v1/publishers/google", "gemini-3-pro", "/v1/publishers/google/models/gemini-3-pro:streamGenerateContent"},
		{"/proxy/vx", "a", "/proxy/vx/v1beta/models/a:streamGenerateContent"},
		{"", "models/../../files?x=1#y", "/v1beta/models/../../files?x=1#y:streamGenerateContent"},
	}
	for _, test := range tests {
		asked := sent(t, prompt(test.model, said(wire.RoleUser, "Hello?")), test.base)
		require.Equal(t, test.path, asked.Path)
		require.Equal(t, "alt=sse", asked.Query)
		require.Equal(t, []string{"sk-test"}, asked.Header["X-Goog-Api-Key"])
		require.NotContains(t, asked.Header, "Authorization")
	}
}

func TestContentsAlternateAndBeginAndEndWithTheUser(t *testing.T) {
	t.Parallel()
	user, assistant := wire.RoleUser, wire.RoleAssistant
	tests := []struct {
		name, want string
		messages   []answering.PromptMessage
	}{
		{"two questions in a row", `user:a+b`, []answering.PromptMessage{said(user, "a"), said(user, "b")}},
		{"the assistant first", `user:(The beginning of the chat is left out.) model:a user:b`, []answering.PromptMessage{said(assistant, "a"), said(user, "b")}},
		{"the assistant last", `user:a model:b user:(Go on.)`, []answering.PromptMessage{said(user, "a"), said(assistant, "b")}},
		{"blank turns", `user:a+b`, []answering.PromptMessage{said(user, "a"), said(assistant, " \n"), said(user, "b"), said(assistant, "")}},
		{"nothing", `user:(Go on.)`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var contents []struct {
				Role  string
				Parts []struct{ Text string }
			}
			require.NoError(t, json.Unmarshal([]byte(member(t, sent(t, prompt("m", test.messages...), ""), "contents")), &contents))
			var all []string
			for _, one := range contents {
				var texts []string
				for _, part := range one.Parts {
					texts = append(texts, part.Text)
				}
				all = append(all, one.Role+":"+strings.Join(texts, "+"))
			}
			require.Equal(t, test.want, strings.Join(all, " "))
		})
	}
}

func call(name, arguments string) answering.RoundCall {
	return answering.RoundCall{ModelCall: toolcall.ModelCall{ID: "call00000", Name: name, Arguments: arguments}, Outcome: `{"status":"done"}`}
}

// A round of another model, or one whose parts are not those of its calls, is told in other words. From the third
// generation on its first call needs what stands for a signature.
func TestARoundOfAnotherModelIsTold(t *testing.T) {
	t.Parallel()
	for name, returned := range map[string]string{
		"nothing": ``, "of another kind": `{"parts":1}`, "other calls": `[{"text":"Hm."}]`, "no objects": `[1]`,
	} {
		for model, signature := range map[string]string{
			"gemini-3-pro": `,"thoughtSignature":"skip_thought_signature_validator"`, "gemini-flash-latest": `,"thoughtSignature":"skip_thought_signature_validator"`,
			"gemini-2.5-pro": ``, "gemma-3-27b-it": ``,
		} {
			asked := prompt(model, said(wire.RoleUser, "Hello?"))
			asked.Rounds = []answering.Round{{Text: "Let me see.", Returned: wire.JSON(returned),
				Calls: []answering.RoundCall{call("look", `{"q":"a"}`), call("3 d", "x")}}}
			require.JSONEq(t, `[{"role":"user","parts":[{"text":"Hello?"}]},{"role":"model","parts":[{"text":"Let me see."},
				{"functionCall":{"name":"look","args":{"q":"a"}}`+signature+`},{"functionCall":{"name":"_3_d","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"look","response":{"status":"done"}}},
				{"functionResponse":{"name":"_3_d","response":{"status":"done"}}}]}]`, member(t, sent(t, asked, ""), "contents"), "%s, %s", name, model)
		}
	}
}

func TestAModelThinksAsItIsAsked(t *testing.T) {
	t.Parallel()
	const included = `"includeThoughts":true`
	tests := []struct{ model, effort, want string }{
		{"gemini-3-pro-preview", "low", `{"thinkingLevel":"LOW"}`}, {"gemini-3-pro-preview", "none", `{"thinkingLevel":"LOW"}`},
		{"gemini-3.1-flash-lite", "none", `{"thinkingLevel":"MINIMAL"}`}, {"gemini-flash-latest", "xhigh", `{"thinkingLevel":"HIGH"}`},
		{"gemini-3-flash", "512", `{"thinkingBudget":512}`},
		{"gemini-2.5-flash", "none", `{"thinkingBudget":0}`}, {"gemini-2.5-pro", "none", `{"thinkingBudget":128}`},
		{"models/gemini-2.5-flash", "Medium", `{"thinkingBudget":8192}`}, {"gemini-2.5-flash", "-1", `{"thinkingBudget":-1}`},
		{"gemini-2.5-flash", "unheard_of", `{}`}, {"gemini-2.0-flash", "high", ``}, {"gemma-3-27b-it", "high", ``}, {"gemini-1.5-pro", "", ``},
	}
	for _, test := range tests {
		for _, isShown := range []bool{false, true} {
			asked := prompt(test.model, said(wire.RoleUser, "Hello?"))
			asked.Parameters.ReasoningEffort, asked.Reasoning = test.effort, isShown
			want := test.want
			if isShown && want != "" {
				want = strings.Replace(strings.Replace(want, "{", "{"+included+",", 1), ",}", "}", 1)
			}
			var config map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(member(t, sent(t, asked, ""), "generationConfig")), &config))
			require.Equal(t, want, string(config["thinkingConfig"]), "%s, %s, %t", test.model, test.effort, isShown)
		}
	}
}

// What an operator adds never replaces ours, and no more stop sequences are sent than are taken.
func TestOursCannotBeOverwritten(t *testing.T) {
	t.Parallel()
	asked := prompt("m", said(wire.RoleUser, "Hello?"))
	asked.System = "Be brief."
	asked.Parameters = answering.Parameters{
		Headers: map[string]string{"x-goog-api-key": "theirs", "X-More": "1"}, Query: map[string]string{"alt": "json", "more": "1"},
		Body: map[string]any{"contents": []any{}, "systemInstruction": map[string]any{"parts": []any{}}, "safetySettings": []any{},
			"generationConfig": map[string]any{"topK": 1}},
		Stop: strings.Fields("a b c d e f g"),
	}
	got := sent(t, asked, "")
	require.Equal(t, []string{"sk-test"}, got.Header["X-Goog-Api-Key"])
	require.Equal(t, []string{"1"}, got.Header["X-More"])
	require.Equal(t, "alt=sse&more=1", got.Query)
	require.JSONEq(t, `{"contents":[{"role":"user","parts":[{"text":"Hello?"}]}],"systemInstruction":{"role":"user","parts":[{"text":"Be brief."}]},
		"safetySettings":[],"generationConfig":{"topK":1,"stopSequences":["a","b","c","d","e"]}}`, got.Body)
}

// Names that the API refuses are declared with a line before them, which calls lose again.
func TestAToolWhoseNameBeginsWithADigitCanBeCalled(t *testing.T) {
	t.Parallel()
	asked := prompt("m", said(wire.RoleUser, "Hello?"))
	asked.Tools = []answering.PromptTool{{Name: "3d", Parameters: wire.JSON(`{"type":"object","properties":{}}`)},
		{Name: "look", Parameters: wire.JSON(`{"type":"object"}`)}}
	stream := providertest.GeminiEnds("STOP", `{"functionCall":{"name":"_3d"}}`, `{"functionCall":{"name":"look","args":null}}`)
	m := providertest.NewModel(t, providertest.Streams(stream, providertest.Closed))
	got := providertest.Read(t, provider(t, m, "").Answer(t.Context(), asked))
	require.NoError(t, got.Err)
	require.Equal(t, []toolcall.ModelCall{{ID: "call00000", Name: "3d", Arguments: "{}"}, {ID: "call00001", Name: "look", Arguments: "{}"}}, got.Calls)
	require.JSONEq(t, `[{"functionDeclarations":[{"name":"_3d"},{"name":"look"}]}]`, member(t, m.Asked()[0], "tools"))

	// The round goes back under the declared name.
	asked.Rounds = []answering.Round{{Returned: got.Last.Returned, Calls: []answering.RoundCall{
		{ModelCall: got.Calls[0], Outcome: "{}"}, {ModelCall: got.Calls[1], Outcome: "{}"},
	}}}
	require.Contains(t, member(t, sent(t, asked, ""), "contents"), `{"functionResponse":{"name":"_3d","response":{}}}`)
}

func TestAnImageThatCannotBeReadEndsTheAnswer(t *testing.T) {
	t.Parallel()
	asked := prompt("m", answering.PromptMessage{Role: wire.RoleUser, Images: []images.Image{{MediaType: "image/png", Size: 1}}})
	asked.Files = noFiles{}
	got := providertest.Read(t, provider(t, providertest.NewModel(t, yes), "").Answer(t.Context(), asked))
	require.ErrorContains(t, got.Err, "cannot be read")
}

// A refusal that says what the model does not know is followed by a request without it, and so are later ones.
func TestWhatAModelRefusesIsLeftOutFromThenOn(t *testing.T) {
	t.Parallel()
	refuse := func(message string) providertest.Step {
		return providertest.Refuses(400, fmt.Sprintf(`{"error":{"code":400,"message":%q,"status":"INVALID_ARGUMENT"}}`, message))
	}
	tests := []struct{ message, member, want string }{
		{"Thinking is not enabled for models/m", "generationConfig", `{}`},
		{"Unable to submit request because thinking_level is not supported by this model.", "generationConfig", `{}`},
		{"Invalid value at 'generation_config.seed' (seed is not supported)", "generationConfig", `{"thinkingConfig":{"thinkingLevel":"LOW"}}`},
		{"Developer instruction is not enabled for models/m", "contents", `[{"role":"user","parts":[{"text":"Be brief."},{"text":"Hello?"}]}]`},
	}
	for _, test := range tests {
		t.Run(test.message, func(t *testing.T) {
			t.Parallel()
			m := providertest.NewModel(t, refuse(test.message), yes)
			p := provider(t, m, "")
			asked := prompt("m", said(wire.RoleUser, "Hello?"))
			asked.System, asked.Parameters.ReasoningEffort = "Be brief.", "low"
			if strings.Contains(test.message, "seed") {
				asked.Parameters.Seed = new(int64)
			}
			for range 2 {
				require.NoError(t, providertest.Read(t, p.Answer(t.Context(), asked)).Err)
			}
			require.Len(t, m.Asked(), 3)
			for _, one := range m.Asked()[1:] {
				require.JSONEq(t, test.want, member(t, one, test.member))
			}
		})
	}
	m := providertest.NewModel(t, refuse("Thinking is not enabled for models/m"))
	asked := prompt("m", said(wire.RoleUser, "Hello?"))
	require.Error(t, providertest.Read(t, provider(t, m, "").Answer(t.Context(), asked)).Err)
	require.Len(t, m.Asked(), 1, "there was nothing to leave out")
}

// A signature that is not taken is left out of this answer's requests, as if another model had made the call.
func TestASignatureThatIsRefusedIsLeftOut(t *testing.T) {
	t.Parallel()
	m := providertest.NewModel(t, providertest.Refuses(400, `{"error":{"code":400,"message":"Thought signature is not valid.","status":"INVALID_ARGUMENT"}}`), yes)
	asked := prompt("gemini-3-pro", said(wire.RoleUser, "Hello?"))
	asked.Rounds = []answering.Round{{Calls: []answering.RoundCall{call("look", "{}")},
		Returned: wire.JSON(`[{"functionCall":{"id":"f1","name":"look","args":{}},"thoughtSignature":"c2ln"}]`)}}
	require.NoError(t, providertest.Read(t, provider(t, m, "").Answer(t.Context(), asked)).Err)
	require.Contains(t, m.Asked()[0].Body, `"thoughtSignature":"c2ln"`)
	require.Contains(t, m.Asked()[1].Body, `"thoughtSignature":"skip_thought_signature_validator"`)
}

func TestTheLogSaysOnceWhatAModelDoesNotTake(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := provider(t, providertest.NewModel(t, yes), "", logTo(&log))
	asked := prompt("gemini-2.0-flash", said(wire.RoleUser, "Hello?"))
	asked.Parameters.ReasoningEffort, asked.Parameters.Stop = "low", strings.Fields("a b c d e f")
	for range 2 {
		require.NoError(t, providertest.Read(t, p.Answer(t.Context(), asked)).Err)
	}
	for _, what := range []string{"reasoning_effort", "stop"} {
		require.Equal(t, 1, strings.Count(log.String(), "parameter="+what))
	}
}
