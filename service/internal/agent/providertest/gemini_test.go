package providertest_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/genai"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/schema"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// google is a client of Google's own library for a model.
func google(t *testing.T, m *providertest.Model) *genai.Client {
	t.Helper()
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: "sk-test", Backend: genai.BackendGeminiAPI, HTTPClient: m.Client(), HTTPOptions: genai.HTTPOptions{BaseURL: m.URL},
	})
	require.NoError(t, err)
	return client
}

// googled is what Google's library reads of an answer.
type googled struct {
	text, thoughts, finish, blocked string
	parts                           []*genai.Part // without those of text or thoughts alone that follow another such
	images                          int
	usage                           *genai.GenerateContentResponseUsageMetadata
	err                             error
}

func (g *googled) add(part *genai.Part) {
	switch {
	case part.Thought:
		g.thoughts += part.Text
	default:
		g.text += part.Text
	}
	if part.InlineData != nil && !part.Thought && strings.HasPrefix(part.InlineData.MIMEType, "image/") {
		g.images++
	}
	if !part.Thought && (part.Text != "" || part.FunctionCall != nil || part.ThoughtSignature != nil) {
		g.parts = append(g.parts, part)
	}
}

func (g googled) calls(t *testing.T) (all []string) {
	for _, part := range g.parts {
		if part.FunctionCall != nil {
			arguments, err := json.Marshal(part.FunctionCall.Args)
			require.NoError(t, err)
			all = append(all, string(arguments))
		}
	}
	return all
}

func readByGoogle(t *testing.T, stream providertest.Step) (got googled) {
	t.Helper()
	m := providertest.NewModel(t, stream)
	for response, err := range google(t, m).Models.GenerateContentStream(t.Context(), "test-1", genai.Text("Hello?"), nil) {
		if got.err = err; err != nil {
			break
		}
		if response.UsageMetadata != nil {
			got.usage = response.UsageMetadata
		}
		if response.PromptFeedback != nil {
			got.blocked = string(response.PromptFeedback.BlockReason)
		}
		for _, one := range response.Candidates {
			if one.Index != 0 {
				continue
			}
			if one.FinishReason != "" {
				got.finish = string(one.FinishReason)
			}
			if one.Content != nil {
				for _, part := range one.Content.Parts {
					got.add(part)
				}
			}
		}
	}
	return got
}

// The streams and refusals of the cases are what Google's library reads without complaint, and it reads the same.
func TestGooglesLibraryReadsTheCasesOfGemini(t *testing.T) {
	t.Parallel()
	for _, test := range providertest.Gemini.Cases {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			if test.Odd {
				t.Skip("no documentation has it")
			}
			got := readByGoogle(t, test.Step())
			if !test.IsStream() || strings.Contains(test.Body, `"error":`) {
				var told genai.APIError
				require.ErrorAs(t, got.err, &told)
				require.NotZero(t, told.Code)
				require.NotEmpty(t, told.Status)
				return
			}
			require.NoError(t, got.err)
			require.Equal(t, test.Text, got.text)
			if test.Reasoning != "" {
				require.Equal(t, test.Reasoning, got.thoughts)
			}
			require.Equal(t, test.Images, got.images)
			calls := got.calls(t)
			require.Len(t, calls, len(test.Calls))
			for i, want := range test.Calls {
				require.JSONEq(t, want, calls[i])
			}
			if test.Finish != "" {
				require.NotEmpty(t, got.finish)
			}
			if test.Usage != nil {
				require.EqualValues(t, test.Usage.InputTokens, got.usage.PromptTokenCount+got.usage.ToolUsePromptTokenCount)
				require.EqualValues(t, test.Usage.OutputTokens, got.usage.CandidatesTokenCount+got.usage.ThoughtsTokenCount)
				require.EqualValues(t, test.Usage.CachedTokens, got.usage.CachedContentTokenCount)
				require.EqualValues(t, test.Usage.InputTokens+test.Usage.OutputTokens, got.usage.TotalTokenCount)
			}
		})
	}
}

// file is the file of every image.
type file []byte

func (f file) WriteImage(_ context.Context, w io.Writer, _ images.Image) error {
	_, err := w.Write(f)
	return err
}

// Our requests are those of Google's library, member by member, also with what a model wants back with a round.
func TestOurRequestsAreThoseOfGooglesLibrary(t *testing.T) {
	t.Parallel()
	temperature, topP, seed := 0.5, 0.25, int64(7)
	look := providertest.Look(t)
	fit, _ := schema.For(schema.Gemini, look.Parameters)
	var parameters genai.Schema
	require.NoError(t, json.Unmarshal(fit, &parameters))
	offered := []answering.PromptTool{{Name: look.Name, Description: look.Description, Parameters: look.Parameters}}
	declared := []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{
		{Name: look.Name, Description: look.Description, Parameters: &parameters},
	}}}
	png := imagetest.PNG(1, 1)
	said := func(role, text string) answering.PromptMessage {
		return answering.PromptMessage{Role: role, Text: text}
	}
	asked := func(messages ...answering.PromptMessage) answering.Prompt {
		return answering.Prompt{Model: "gemini-3-pro", Messages: messages}
	}

	plain := asked(said(wire.RoleUser, "Hello,\n<\"you\"> 🙂"), said(wire.RoleAssistant, "Hi."), said(wire.RoleUser, "Who?"))
	plain.System = "Be brief."
	set := asked(said(wire.RoleUser, "Hello?"))
	set.Reasoning = true
	set.Parameters = answering.Parameters{
		Temperature: &temperature, TopP: &topP, MaxOutputTokens: 99, ReasoningEffort: "low", Stop: []string{"END"}, Seed: &seed,
		Body: map[string]any{"generationConfig": map[string]any{"topK": 3, "seed": 8}},
	}
	older := set
	older.Model, older.Parameters = "gemini-2.5-flash", answering.Parameters{ReasoningEffort: "none"}
	barred := asked(said(wire.RoleUser, "Hello?"))
	barred.Tools, barred.NoCalls = offered, true
	pictured := asked(answering.PromptMessage{Role: wire.RoleUser, Text: "This?", Images: []images.Image{{MediaType: "image/png", Size: len(png)}}})
	pictured.Files = file(png)

	stream := providertest.GeminiParts(`{"text":"Hm.","thought":true}`) + providertest.GeminiParts(providertest.GeminiText("Let me see.")) +
		providertest.GeminiEnds("STOP", `{"functionCall":{"id":"f1","name":"look","args":{"q":"a"}},"thoughtSignature":"c2ln"}`,
			`{"functionCall":{"name":"look","args":{"q":"b"}}}`)
	written := providertest.Gemini.Reader(t, providertest.Case{Body: stream, Calls: []string{}})(len(stream))
	require.NoError(t, written.Err)
	called := asked(said(wire.RoleUser, "Hello?"))
	called.Tools = offered
	round := answering.Round{Text: written.Text(), Returned: written.Last.Returned}
	for _, call := range written.Calls {
		round.Calls = append(round.Calls, answering.RoundCall{ModelCall: call, Outcome: `{"status":"done","result":"1"}`})
	}
	called.Rounds = []answering.Round{round}
	response := map[string]any{"status": "done", "result": "1"}
	outcomes := genai.Content{Role: genai.RoleUser, Parts: []*genai.Part{
		{FunctionResponse: &genai.FunctionResponse{ID: "f1", Name: "look", Response: response}},
		{FunctionResponse: &genai.FunctionResponse{Name: "look", Response: response}},
	}}

	user := func(parts ...*genai.Part) *genai.Content { return genai.NewContentFromParts(parts, genai.RoleUser) }
	model := func(parts ...*genai.Part) *genai.Content { return genai.NewContentFromParts(parts, genai.RoleModel) }
	text := genai.NewPartFromText
	hello := []*genai.Content{user(text("Hello?"))}
	tests := []struct {
		name     string
		prompt   answering.Prompt
		contents []*genai.Content
		config   genai.GenerateContentConfig
	}{
		{"messages", plain, []*genai.Content{user(text(plain.Messages[0].Text)), model(text("Hi.")), user(text("Who?"))},
			genai.GenerateContentConfig{SystemInstruction: &genai.Content{Parts: []*genai.Part{text("Be brief.")}}}},
		{"parameters", set, hello, genai.GenerateContentConfig{
			Temperature: genai.Ptr(float32(temperature)), TopP: genai.Ptr(float32(topP)), MaxOutputTokens: 99, StopSequences: []string{"END"},
			Seed: genai.Ptr(int32(seed)), TopK: genai.Ptr(float32(3)),
			ThinkingConfig: &genai.ThinkingConfig{IncludeThoughts: true, ThinkingLevel: genai.ThinkingLevelLow},
		}},
		{"no thinking", older, hello, genai.GenerateContentConfig{
			ThinkingConfig: &genai.ThinkingConfig{IncludeThoughts: true, ThinkingBudget: genai.Ptr(int32(0))},
		}},
		{"no calls", barred, hello, genai.GenerateContentConfig{Tools: declared,
			ToolConfig: &genai.ToolConfig{FunctionCallingConfig: &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeNone}}}},
		{"an image", pictured, []*genai.Content{user(genai.NewPartFromBytes(png, "image/png"), text("This?"))}, genai.GenerateContentConfig{}},
		{"a round", called, []*genai.Content{hello[0], model(readByGoogle(t, providertest.Streams(stream, providertest.Closed)).parts...), &outcomes},
			genai.GenerateContentConfig{Tools: declared}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := providertest.NewModel(t, providertest.Streams(providertest.GeminiEnds("STOP", providertest.GeminiText("Good")), providertest.Closed))
			got := providertest.Read(t, providertest.Gemini.At(t, upstream.Config{BaseURL: m.URL}).Answer(t.Context(), test.prompt))
			require.NoError(t, got.Err)
			for _, err := range google(t, m).Models.GenerateContentStream(t.Context(), test.prompt.Model, test.contents, &test.config) {
				require.NoError(t, err)
			}
			ours, theirs := m.Asked()[0], m.Asked()[1]
			require.JSONEq(t, theirs.Body, ours.Body)
			require.Equal(t, theirs.Method+" "+theirs.Path+"?"+theirs.Query, ours.Method+" "+ours.Path+"?"+ours.Query)
			for _, name := range []string{"X-Goog-Api-Key", "Content-Type"} {
				require.Equal(t, theirs.Header[name], ours.Header[name])
			}
		})
	}
}
