package providertest_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// respondent is what OpenAI's library reads of an answer of the Responses API.
type respondent struct {
	text, thoughts, failed string
	last                   responses.Response
	err                    error
}

func readByResponses(t *testing.T, m *providertest.Model, asked responses.ResponseNewParams) (got respondent) {
	t.Helper()
	client := openai.NewClient(option.WithBaseURL(m.URL+"/v1"), option.WithAPIKey("sk-test"), option.WithMaxRetries(0), option.WithHTTPClient(m.Client()))
	stream := client.Responses.NewStreaming(t.Context(), asked)
	defer func() { require.NoError(t, stream.Close()) }()
	for stream.Next() {
		switch one := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			got.text += one.Delta
		case responses.ResponseRefusalDeltaEvent:
			got.text += one.Delta
		case responses.ResponseReasoningSummaryTextDeltaEvent:
			got.thoughts += one.Delta
		case responses.ResponseReasoningTextDeltaEvent:
			got.thoughts += one.Delta
		case responses.ResponseErrorEvent:
			got.failed = one.Code
		case responses.ResponseFailedEvent:
			got.failed = string(one.Response.Error.Code)
		case responses.ResponseCompletedEvent:
			got.last = one.Response
		case responses.ResponseIncompleteEvent:
			got.last = one.Response
		}
	}
	got.err = stream.Err()
	return got
}

// asksResponses is a question of OpenAI's library.
func asksResponses(input ...responses.ResponseInputItemUnionParam) responses.ResponseNewParams {
	if input == nil {
		input = []responses.ResponseInputItemUnionParam{spoken("Hello?", responses.EasyInputMessageRoleUser)}
	}
	return responses.ResponseNewParams{Model: "test-1", Store: openai.Bool(false), Input: responses.ResponseNewParamsInputUnion{OfInputItemList: input}}
}

func spoken(text string, role responses.EasyInputMessageRole) responses.ResponseInputItemUnionParam {
	return responses.ResponseInputItemUnionParam{OfMessage: &responses.EasyInputMessageParam{
		Role: role, Content: responses.EasyInputMessageContentUnionParam{OfString: openai.String(text)},
	}}
}

// The streams and refusals of the cases are what OpenAI's library reads without complaint, and it reads the same.
func TestOpenAIsLibraryReadsTheCasesOfResponses(t *testing.T) {
	t.Parallel()
	for _, test := range providertest.Responses.Cases {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			if test.Odd {
				t.Skip("no documentation of OpenAI has it")
			}
			got := readByResponses(t, providertest.NewModel(t, test.Step()), asksResponses())
			if !test.IsStream() {
				var told *openai.Error
				require.ErrorAs(t, got.err, &told)
				require.Equal(t, test.Status, told.StatusCode)
				require.Contains(t, test.Body, `"code":"`+told.Code+`"`)
				return
			}
			if strings.Contains(test.Body, `"type":"error"`) || strings.Contains(test.Body, `"type":"response.failed"`) {
				require.True(t, got.failed != "" || got.err != nil)
				return
			}
			require.NoError(t, got.err)
			if got.text != "" { // some cases have it only at the end
				require.Equal(t, strings.ReplaceAll(test.Text, "\n\n", ""), got.text)
			}
			if got.thoughts != "" {
				require.Equal(t, strings.ReplaceAll(test.Reasoning, "\n\n", ""), got.thoughts)
			}
			if u := got.last.Usage; test.Usage != nil {
				require.Equal(t, *test.Usage, wire.Usage{InputTokens: u.InputTokens, CachedTokens: u.InputTokensDetails.CachedTokens, OutputTokens: u.OutputTokens,
					ReasoningTokens: u.OutputTokensDetails.ReasoningTokens})
			}
		})
	}
}

// Our requests are those of OpenAI's library, member by member, also with what a model wants back with a round.
func TestOurRequestsAreThoseOfOpenAIsLibraryForResponses(t *testing.T) {
	t.Parallel()
	temperature := 0.5
	look := providertest.Look(t)
	png := imagetest.PNG(1, 1)
	hello := providertest.Question("Hello?")
	plain := hello
	plain.System = "Be brief."
	plain.Messages = []answering.PromptMessage{{Role: wire.RoleUser, Text: "Hello,\n<\"you\"> 🙂"},
		{Role: wire.RoleAssistant, Text: "Hi."}, {Role: wire.RoleUser, Text: "Who?"}}
	set := hello
	set.Reasoning, set.Parameters = true, answering.Parameters{Temperature: &temperature, TopP: &temperature, MaxOutputTokens: 99, ReasoningEffort: "low"}
	barred := hello
	barred.Tools, barred.NoCalls = []answering.PromptTool{{Name: look.Name, Description: look.Description, Parameters: look.Parameters}}, true
	pictured := hello
	pictured.Messages = []answering.PromptMessage{{Role: wire.RoleUser, Text: "This?", Images: []images.Image{{MediaType: "image/png", Size: len(png)}}}}
	pictured.Files = pngFile(png)
	called := hello
	called.Tools = barred.Tools
	items := []string{providertest.ResponseThoughtItem(`"Hm."`), providertest.ResponseCallItem("c1", `{"q":"a"}`)}
	called.Rounds = []answering.Round{{Returned: wire.JSON("[" + strings.Join(items, ",") + "]"), Calls: []answering.RoundCall{{Outcome: "1"}}}}
	called.Rounds[0].Calls[0].ID = "c1"

	var parameters map[string]any
	require.NoError(t, json.Unmarshal(look.Parameters, &parameters))
	declare := func(p *responses.ResponseNewParams) {
		p.Tools = []responses.ToolUnionParam{responses.ToolParamOfFunction(look.Name, parameters, false)}
		p.Tools[0].OfFunction.Description = openai.String(look.Description)
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	tests := []struct {
		name   string
		prompt answering.Prompt
		change func(*responses.ResponseNewParams)
	}{
		{"messages", plain, func(p *responses.ResponseNewParams) {
			*p = asksResponses(spoken(plain.Messages[0].Text, responses.EasyInputMessageRoleUser), spoken("Hi.", responses.EasyInputMessageRoleAssistant),
				spoken("Who?", responses.EasyInputMessageRoleUser))
			p.Instructions = openai.String("Be brief.")
		}},
		{"parameters", set, func(p *responses.ResponseNewParams) {
			p.Temperature, p.TopP, p.MaxOutputTokens = openai.Float(temperature), openai.Float(temperature), openai.Int(99)
			p.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffortLow, Summary: shared.ReasoningSummaryAuto}
		}},
		{"no calls", barred, func(p *responses.ResponseNewParams) {
			declare(p)
			p.ToolChoice = responses.ResponseNewParamsToolChoiceUnion{OfToolChoiceMode: param.NewOpt(responses.ToolChoiceOptionsNone)}
		}},
		{"an image", pictured, func(p *responses.ResponseNewParams) {
			image := responses.ResponseInputContentParamOfInputImage(responses.ResponseInputImageDetailAuto)
			image.OfInputImage.ImageURL = openai.String("data:image/png;base64," + base64.StdEncoding.EncodeToString(png))
			*p = asksResponses(responses.ResponseInputItemUnionParam{OfMessage: &responses.EasyInputMessageParam{
				Role: responses.EasyInputMessageRoleUser, Content: responses.EasyInputMessageContentUnionParam{
					OfInputItemContentList: responses.ResponseInputMessageContentListParam{responses.ResponseInputContentParamOfInputText("This?"), image},
				},
			}})
		}},
		{"a round", called, func(p *responses.ResponseNewParams) {
			thought := responses.ResponseInputItemParamOfReasoning("rs_1", []responses.ResponseReasoningItemSummaryParam{{Text: "Hm."}})
			thought.OfReasoning.EncryptedContent = openai.String("c2VjcmV0")
			call := responses.ResponseInputItemParamOfFunctionCall(`{"q":"a"}`, "c1", "look")
			call.OfFunctionCall.ID, call.OfFunctionCall.Status = openai.String("fc_1"), responses.ResponseFunctionToolCallStatusCompleted
			outcome := responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
				CallID: openai.String("c1"), Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String("1")},
			}}
			*p = asksResponses(spoken("Hello?", responses.EasyInputMessageRoleUser), thought, call, outcome)
			declare(p)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := providertest.NewModel(t, providertest.Streams(providertest.ResponseStart()+providertest.ResponseText(0, `"Good"`, `"Good"`)+
				providertest.ResponseEnds(), providertest.Closed))
			require.NoError(t, providertest.Read(t, providertest.Responses.At(t, upstream.Config{BaseURL: m.URL + "/v1"}).Answer(t.Context(), test.prompt)).Err)
			theirs := asksResponses()
			test.change(&theirs)
			require.NoError(t, readByResponses(t, m, theirs).err)
			ours, official := m.Asked()[0], m.Asked()[1]
			require.JSONEq(t, official.Body, ours.Body)
			require.Equal(t, official.Method+" "+official.Path, ours.Method+" "+ours.Path)
			for _, name := range []string{"Authorization", "Content-Type"} {
				require.Equal(t, official.Header[name], ours.Header[name])
			}
		})
	}
}
