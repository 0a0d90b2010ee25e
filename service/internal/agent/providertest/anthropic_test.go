package providertest_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// asksClaude is a question of Anthropic's library.
func asksClaude() anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model: "claude-opus-4-6", MaxTokens: 32_000, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello?"))},
	}
}

// readByClaude returns what Anthropic's library reads of an answer.
func readByClaude(t *testing.T, m *providertest.Model, asked anthropic.MessageNewParams) (message anthropic.Message, err error) {
	t.Helper()
	client := anthropic.NewClient(option.WithBaseURL(m.URL), option.WithAPIKey("sk-test"), option.WithMaxRetries(0), option.WithHTTPClient(m.Client()))
	stream := client.Messages.NewStreaming(t.Context(), asked)
	defer func() { require.NoError(t, stream.Close()) }()
	for stream.Next() {
		require.NoError(t, message.Accumulate(stream.Current()))
	}
	return message, stream.Err()
}

// The streams and refusals of the cases are what Anthropic's library reads without complaint, and it reads the same.
func TestAnthropicsLibraryReadsTheCasesOfAnthropic(t *testing.T) {
	t.Parallel()
	for _, test := range providertest.Anthropic.Cases {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			if test.Odd {
				t.Skip("no documentation has it")
			}
			message, err := readByClaude(t, providertest.NewModel(t, test.Step()), asksClaude())
			if !test.IsStream() || strings.Contains(test.Body, "event: error") {
				var told *anthropic.Error
				require.ErrorAs(t, err, &told)
				if !strings.HasPrefix(test.Name, "413") { // which stands in no type of the library
					require.Contains(t, test.Body, `"type":"`+string(told.Type())+`"`)
				}
				return
			}
			require.NoError(t, err)
			var text string
			var thoughts, calls []string
			for _, block := range message.Content {
				switch one := block.AsAny().(type) {
				case anthropic.TextBlock:
					text += one.Text
				case anthropic.ThinkingBlock:
					require.NotEmpty(t, one.Signature)
					thoughts = append(thoughts, one.Thinking)
				case anthropic.ToolUseBlock:
					calls = append(calls, string(one.Input))
				}
			}
			require.Equal(t, test.Text, text)
			require.Equal(t, test.Reasoning, strings.Trim(strings.Join(thoughts, "\n\n"), "\n"))
			require.Equal(t, test.Calls, calls)
			if test.Finish != "" {
				require.NotEmpty(t, message.StopReason)
			}
			if u := message.Usage; test.Usage != nil {
				require.Equal(t, test.Usage.InputTokens, u.InputTokens+u.CacheCreationInputTokens+u.CacheReadInputTokens)
				require.Equal(t, test.Usage.CachedTokens, u.CacheReadInputTokens)
				require.Equal(t, test.Usage.OutputTokens, u.OutputTokens)
				require.Equal(t, test.Usage.ReasoningTokens, u.OutputTokensDetails.ThinkingTokens)
			}
		})
	}
}

// marked is a text at whose end the cache is marked.
func marked(text string) anthropic.ContentBlockParamUnion {
	block := anthropic.NewTextBlock(text)
	block.OfText.CacheControl = anthropic.NewCacheControlEphemeralParam()
	return block
}

// Our requests are those of Anthropic's library, member by member, also with what a model wants back with a round.
func TestOurRequestsAreThoseOfAnthropicsLibrary(t *testing.T) {
	t.Parallel()
	temperature := 0.5
	look := providertest.Look(t)
	png := imagetest.PNG(1, 1)
	said := func(role, text string) answering.PromptMessage {
		return answering.PromptMessage{Role: role, Text: text}
	}
	asked := func(messages ...answering.PromptMessage) answering.Prompt {
		return answering.Prompt{Model: "claude-opus-4-6", Messages: messages}
	}
	hello := asked(said(wire.RoleUser, "Hello?"))

	plain := asked(said(wire.RoleUser, "Hello,\n<\"you\"> 🙂"), said(wire.RoleAssistant, "Hi."), said(wire.RoleUser, "Who?"))
	plain.System = "Be brief."
	set := hello
	set.Parameters = answering.Parameters{Temperature: &temperature, MaxOutputTokens: 99, Stop: []string{"END"}}
	adaptive, budget := hello, hello
	adaptive.Reasoning, adaptive.Parameters.ReasoningEffort = true, "high"
	budget.Model, budget.Parameters.ReasoningEffort = "claude-haiku-4-5", "2000"
	barred := hello
	barred.Tools, barred.NoCalls = []answering.PromptTool{{Name: look.Name, Description: look.Description, Parameters: look.Parameters}}, true
	pictured := asked(answering.PromptMessage{Role: wire.RoleUser, Text: "This?", Images: []images.Image{{MediaType: "image/png", Size: len(png)}}})
	pictured.Files = pngFile(png)

	stream := providertest.MessageStart() + providertest.MessageThought(0, `"Hm."`) +
		providertest.MessageBlock(1, `{"type":"redacted_thinking","data":"ZGF0YQ=="}`) +
		providertest.MessageText(2, `"Let me look."`) + providertest.MessageCall(3, "toolu_1", `{"q":"a"}`) + providertest.MessageCall(4, "toolu_2") +
		providertest.MessageEnds("tool_use")
	scripted := providertest.NewModel(t, providertest.Streams(stream, providertest.Closed))
	called := hello
	called.Tools = barred.Tools
	written := providertest.Read(t, providertest.Anthropic.At(t, upstream.Config{BaseURL: scripted.URL}).Answer(t.Context(), called))
	require.NoError(t, written.Err)
	round := answering.Round{Text: written.Text(), Returned: written.Last.Returned}
	for _, call := range written.Calls {
		round.Calls = append(round.Calls, answering.RoundCall{ModelCall: call, Outcome: `{"status":"failed"}`, Status: wire.CallFailed})
	}
	called.Rounds = []answering.Round{round}
	message, err := readByClaude(t, scripted, asksClaude())
	require.NoError(t, err)
	last := anthropic.NewToolResultBlock("toolu_2", `{"status":"failed"}`, true)
	last.OfToolResult.CacheControl = anthropic.NewCacheControlEphemeralParam()

	var parameters anthropic.ToolInputSchemaParam
	require.NoError(t, json.Unmarshal(look.Parameters, &parameters))
	declared := []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
		Name: look.Name, Description: anthropic.String(look.Description), InputSchema: parameters, CacheControl: anthropic.NewCacheControlEphemeralParam(),
	}}}
	tests := []struct {
		name   string
		prompt answering.Prompt
		change func(*anthropic.MessageNewParams)
	}{
		{"messages", plain, func(p *anthropic.MessageNewParams) {
			p.System = []anthropic.TextBlockParam{*marked("Be brief.").OfText}
			p.Messages = []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(plain.Messages[0].Text)),
				anthropic.NewAssistantMessage(marked("Hi.")), anthropic.NewUserMessage(anthropic.NewTextBlock("Who?"))}
		}},
		{"parameters", set, func(p *anthropic.MessageNewParams) {
			p.Temperature, p.MaxTokens, p.StopSequences = anthropic.Float(temperature), 99, []string{"END"}
		}},
		{"an effort", adaptive, func(p *anthropic.MessageNewParams) {
			shown := anthropic.ThinkingConfigAdaptiveParam{Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized}
			p.Thinking = anthropic.ThinkingConfigParamUnion{OfAdaptive: &shown}
			p.OutputConfig = anthropic.OutputConfigParam{Effort: anthropic.OutputConfigEffortHigh}
		}},
		{"a budget", budget, func(p *anthropic.MessageNewParams) {
			p.Model, p.Thinking = "claude-haiku-4-5", anthropic.ThinkingConfigParamOfEnabled(2000)
		}},
		{"no calls", barred, func(p *anthropic.MessageNewParams) {
			none := anthropic.NewToolChoiceNoneParam()
			p.Tools, p.ToolChoice = declared, anthropic.ToolChoiceUnionParam{OfNone: &none}
		}},
		{"an image", pictured, func(p *anthropic.MessageNewParams) {
			p.Messages = []anthropic.MessageParam{anthropic.NewUserMessage(
				anthropic.NewImageBlockBase64("image/png", base64.StdEncoding.EncodeToString(png)), anthropic.NewTextBlock("This?"))}
		}},
		{"a round", called, func(p *anthropic.MessageNewParams) {
			p.Tools = declared
			p.Messages = append(p.Messages, message.ToParam(),
				anthropic.NewUserMessage(anthropic.NewToolResultBlock("toolu_1", `{"status":"failed"}`, true), last))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := providertest.NewModel(t, providertest.Streams(providertest.MessageStart()+providertest.MessageText(0, `"Good"`)+
				providertest.MessageEnds("end_turn"), providertest.Closed))
			require.NoError(t, providertest.Read(t, providertest.Anthropic.At(t, upstream.Config{BaseURL: m.URL}).Answer(t.Context(), test.prompt)).Err)
			theirs := asksClaude()
			test.change(&theirs)
			_, err := readByClaude(t, m, theirs)
			require.NoError(t, err)
			ours, official := m.Asked()[0], m.Asked()[1]
			require.JSONEq(t, official.Body, ours.Body)
			require.Equal(t, official.Method+" "+official.Path, ours.Method+" "+ours.Path)
			for _, name := range []string{"X-Api-Key", "Anthropic-Version", "Content-Type"} {
				require.Equal(t, official.Header[name], ours.Header[name])
			}
		})
	}
}
