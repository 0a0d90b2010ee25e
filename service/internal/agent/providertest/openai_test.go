package providertest_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// official is a client of OpenAI's own library for a model.
func official(m *providertest.Model) openai.Client {
	return openai.NewClient(option.WithBaseURL(m.URL+"/v1"), option.WithAPIKey("sk-test"), option.WithMaxRetries(0), option.WithHTTPClient(m.Client()))
}

// asksOfficially is a question of OpenAI's library.
func asksOfficially() openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model: "test-1", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello?")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
}

// readOfficially returns what OpenAI's library reads of an answer.
func readOfficially(t *testing.T, m *providertest.Model, asked openai.ChatCompletionNewParams) (whole openai.ChatCompletionAccumulator, err error) {
	t.Helper()
	client := official(m)
	stream := client.Chat.Completions.NewStreaming(t.Context(), asked)
	defer func() { require.NoError(t, stream.Close()) }()
	for stream.Next() {
		require.True(t, whole.AddChunk(stream.Current()), "a chunk that does not fit")
	}
	return whole, stream.Err()
}

// The streams and refusals of the cases are what OpenAI's library reads without complaint, and it reads the same.
func TestOpenAIsLibraryReadsTheCasesOfOpenAI(t *testing.T) {
	t.Parallel()
	for _, test := range providertest.OpenAI.Cases {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			if test.Odd {
				t.Skip("no documentation of OpenAI has it")
			}
			whole, err := readOfficially(t, providertest.NewModel(t, test.Step()), asksOfficially())
			if !test.IsStream() {
				var refused *openai.Error
				require.ErrorAs(t, err, &refused)
				require.Equal(t, test.Status, refused.StatusCode)
				return
			}
			require.NoError(t, err)
			require.Len(t, whole.Choices, 1)
			said := whole.Choices[0]
			require.Equal(t, test.Text, said.Message.Content)
			if test.Finish != "" {
				require.NotEmpty(t, said.FinishReason)
			}
			var got providertest.Answer
			for _, call := range said.Message.ToolCalls {
				got.Calls = append(got.Calls, toolcall.ModelCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
			}
			require.Equal(t, test.Calls, looks(t, got))
			if test.Usage != nil {
				require.Equal(t, test.Usage.InputTokens, whole.Usage.PromptTokens)
				require.Equal(t, test.Usage.CachedTokens, whole.Usage.PromptTokensDetails.CachedTokens)
				require.Equal(t, test.Usage.OutputTokens, whole.Usage.CompletionTokens)
				require.Equal(t, test.Usage.ReasoningTokens, whole.Usage.CompletionTokensDetails.ReasoningTokens)
			}
		})
	}
}

// pngFile is the file of every image.
type pngFile []byte

func (f pngFile) WriteImage(_ context.Context, w io.Writer, _ images.Image) error {
	_, err := w.Write(f)
	return err
}

// Our requests are those of OpenAI's library, member by member. Only the message of a call has more: null where it has
// no text, and a name for servers that do not look it up.
func TestOurRequestsAreThoseOfOpenAIsLibrary(t *testing.T) {
	t.Parallel()
	temperature, topP, seed := 0.5, 0.25, int64(7)
	look := providertest.Look(t)
	png := imagetest.PNG(1, 1)
	said := func(role, text string) answering.PromptMessage {
		return answering.PromptMessage{Role: role, Text: text}
	}
	asked := func(messages ...answering.PromptMessage) answering.Prompt {
		return answering.Prompt{Model: "test-1", Messages: messages}
	}
	hello := asked(said(wire.RoleUser, "Hello?"))

	plain := asked(said(wire.RoleUser, "Hello,\n<\"you\"> 🙂"), said(wire.RoleAssistant, "Hi."), said(wire.RoleUser, "Who?"))
	plain.System = "Be brief."
	set := hello
	set.Parameters = answering.Parameters{Temperature: &temperature, TopP: &topP, MaxOutputTokens: 99, ReasoningEffort: "low", Stop: []string{"END"}, Seed: &seed}
	barred := hello
	barred.Tools, barred.NoCalls = []answering.PromptTool{{Name: look.Name, Description: look.Description, Parameters: look.Parameters}}, true
	pictured := asked(answering.PromptMessage{Role: wire.RoleUser, Text: "This?", Images: []images.Image{{MediaType: "image/png", Size: len(png)}}})
	pictured.Files = pngFile(png)
	called := hello
	called.Tools = barred.Tools
	called.Rounds = []answering.Round{{Calls: []answering.RoundCall{
		{ModelCall: toolcall.ModelCall{ID: "c1", Name: "look", Arguments: `{"q":"a"}`}, Outcome: `{"status":"done"}`},
	}}}

	address := "data:image/png;base64," + base64.StdEncoding.EncodeToString(png)
	var parameters shared.FunctionParameters
	require.NoError(t, json.Unmarshal(look.Parameters, &parameters))
	declared := []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name: look.Name, Description: param.NewOpt(look.Description), Parameters: parameters,
	})}
	call := openai.ChatCompletionAssistantMessageParam{ToolCalls: []openai.ChatCompletionMessageToolCallUnionParam{{
		OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
			ID: "c1", Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: "look", Arguments: `{"q":"a"}`},
		},
	}}}
	call.SetExtraFields(map[string]any{"content": nil})
	outcome := openai.ToolMessage(`{"status":"done"}`, "c1")
	outcome.OfTool.SetExtraFields(map[string]any{"name": "look"})

	tests := []struct {
		name   string
		prompt answering.Prompt
		change func(*openai.ChatCompletionNewParams)
	}{
		{"messages", plain, func(p *openai.ChatCompletionNewParams) {
			p.Messages = []openai.ChatCompletionMessageParamUnion{
				openai.SystemMessage("Be brief."), openai.UserMessage(plain.Messages[0].Text), openai.AssistantMessage("Hi."), openai.UserMessage("Who?"),
			}
		}},
		{"parameters", set, func(p *openai.ChatCompletionNewParams) {
			p.Temperature, p.TopP, p.Seed, p.MaxTokens = param.NewOpt(temperature), param.NewOpt(topP), param.NewOpt(seed), param.NewOpt(int64(99))
			p.ReasoningEffort = shared.ReasoningEffortLow
			p.Stop = openai.ChatCompletionNewParamsStopUnion{OfStringArray: []string{"END"}}
		}},
		{"no calls", barred, func(p *openai.ChatCompletionNewParams) {
			p.Tools = declared
			p.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: param.NewOpt("none")}
		}},
		{"an image", pictured, func(p *openai.ChatCompletionNewParams) {
			p.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
				openai.TextContentPart("This?"), openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: address}),
			})}
		}},
		{"a round", called, func(p *openai.ChatCompletionNewParams) {
			p.Tools = declared
			p.Messages = append(p.Messages, openai.ChatCompletionMessageParamUnion{OfAssistant: &call}, outcome)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stream := providertest.ChatPiece(`"Good"`) + providertest.ChatEnds("stop") + providertest.ChatDone
			m := providertest.NewModel(t, providertest.Streams(stream, providertest.Closed))
			require.NoError(t, providertest.Read(t, providertest.OpenAI.At(t, upstream.Config{BaseURL: m.URL + "/v1"}).Answer(t.Context(), test.prompt)).Err)
			theirs := asksOfficially()
			test.change(&theirs)
			_, err := readOfficially(t, m, theirs)
			require.NoError(t, err)
			ours, official := m.Asked()[0], m.Asked()[1]
			require.JSONEq(t, official.Body, ours.Body)
			require.Equal(t, official.Method+" "+official.Path, ours.Method+" "+ours.Path)
			for _, name := range []string{"Authorization", "Content-Type"} {
				require.Equal(t, official.Header[name], ours.Header[name])
			}
			require.NotContains(t, strings.ToLower(ours.Body), "sk-test")
		})
	}
}
