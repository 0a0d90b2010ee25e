package upstream_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	form   = answering.RefusedForm
	length = answering.RefusedLength
	roles  = answering.RefusedRoles
	images = answering.RefusedImages
	tools  = answering.RefusedTool
)

// refusals are sentences of real providers, each with what it refuses. A sentence that begins with a brace is the body.
var refusals = []struct {
	from   string
	status int
	says   string
	what   answering.Refused
	tool   string // that is named
	system bool   // that no system message is taken
}{
	{"OpenAI", 400, `{"error":{"message":"Invalid schema for function 'order': In context=(), object schema missing properties.","type":"invalid_request_error",
		"param":"tools[1].function.parameters","code":"invalid_function_parameters"}}`, tools, "order", false},
	{"OpenAI", 400, `{"error":{"message":"Invalid 'tools[0].function.name': string does not match pattern.","param":"tools[0].function.name"}}`,
		tools, "lookup", false},
	{"OpenAI", 400, "Invalid schema for function 'order': In context=('properties', 'x'), array schema missing items.", tools, "order", false},
	{"OpenAI", 400, "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 170 instead.", tools, "", false},
	{"OpenAI", 400, "Unsupported value: 'messages[0].role' does not support 'system' with this model.", roles, "", true},
	{"OpenAI", 400, "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", roles, "", false},
	{"OpenAI", 400, "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.", roles, "", false},
	{"OpenAI", 400, "Invalid content type. image_url is only supported by certain models.", images, "", false},
	{"OpenAI", 400, "You uploaded an unsupported image. Please make sure your image is valid.", images, "", false},
	{"OpenAI", 400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9214 tokens.", length, "", false},
	{"OpenAI", 429, "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 36200.", length, "", false},
	{"OpenAI", 400, "Invalid type for 'messages[0].content': expected a string, but got null instead.", form, "", false},
	{"Azure", 400, `{"error":{"code":"BadRequest","message":"Too many images in request. Max is 10."}}`, images, "", false},
	{"Azure", 400, "Invalid image data.", images, "", false},
	{"Mistral", 400, `{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","code":"3230"}`,
		roles, "", false},
	{"Mistral", 400, "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant", roles, "", false},
	{"Mistral", 400, "Function name was order but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
		tools, "order", false},
	{"Mistral", 422, `{"detail":[{"type":"missing","loc":["body","tools",1,"function","parameters"],"msg":"Field required"}]}`, tools, "order", false},
	{"Mistral", 400, "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", length, "", false},
	{"Mistral", 400, "Assistant message must have either content or tool_calls, but not none.", form, "", false},
	{"vLLM", 400, `{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}`, roles, "", true},
	{"vLLM", 400, "Conversation roles must alternate user/assistant/user/assistant/...", roles, "", false},
	{"vLLM", 400, "At most 1 image(s) may be provided in one request.", images, "", false},
	{"vLLM", 400, "/models/llama is not a multimodal model", images, "", false},
	{"vLLM", 400, `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`, tools, "", false},
	{"vLLM", 400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096.", length, "", false},
	{"llama.cpp", 500,
		`{"error":{"code":500,"message":"After the optional system message, conversation roles must alternate user and assistant roles except for ` +
			`tool calls and results. at row 189, column 164","type":"server_error"}}`, roles, "", false},
	{"llama.cpp", 500, "Only user, assistant and tool roles are supported, got system.", roles, "", true},
	{"llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift",
		"type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}`, length, "", false},
	{"llama.cpp", 500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", images, "", false},
	{"llama.cpp", 500, "tools param requires --jinja flag", tools, "", false},
	{"Ollama", 400, "registry.ollama.ai/library/gemma3:1b does not support tools", tools, "", false},
	{"Ollama", 500, "this model is missing data required for image input", images, "", false},
	{"LM Studio", 400, `Error rendering prompt with jinja template: "Only user and assistant roles are supported!".`, roles, "", true},
	{"LM Studio", 400, `Error rendering prompt with jinja template: "No user query found in messages.".`, roles, "", false},
	{"LM Studio", 400,
		"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens", length,
		"", false},
	{"OpenRouter", 404, "No endpoints found that support image input", images, "", false},
	{"OpenRouter", 404, `No endpoints found that support tool use. Try disabling "order".`, tools, "", false},
	{"OpenRouter", 400,
		`{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Invalid schema for function 'order': ` +
			`In context=(), object schema missing properties.\",\"param\":\"tools[1].parameters\"}}","provider_name":"OpenAI"}}}`, tools, "order", false},
	{"OpenRouter", 400, "This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens.", length, "", false},
	{"Groq", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","param":"messages","code":"context_length_exceeded"}}`,
		length, "", false},
	{"Groq", 400, "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'status' is unsupported)]", form, "", false},
	{"Groq", 413, "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7000", length, "", false},
	{"Together", 422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65537. Given: 79993 `inputs` tokens", length, "", false},
	{"Together", 422, "Input validation error: `inputs` must have less than 4096 tokens. Given: 4545", length, "", false},
	{"DeepSeek", 400, "Failed to deserialize the JSON body into the target type: messages[4]: unknown variant `image_url`, expected `text` at line 1",
		images, "", false},
	{"DeepSeek", 422, "Failed to deserialize the JSON body into the target type: messages[2]: invalid type: sequence, expected a string", images, "", false},
	{"DeepSeek", 400, "Failed to deserialize the JSON body into the target type: messages[1]: data did not match any variant of untagged enum",
		images, "", false},
	{"DeepSeek", 400, `Invalid schema for function 'order': schema must be a JSON Schema of 'type: "object"', got 'type: null'.`, tools, "order", false},
	{"DeepSeek", 400, "The `reasoning_content` in the thinking mode must be passed back to the API.", form, "", false},
	{"Bedrock", 400, `{"detail":"An error occurred (ValidationException) when calling the Converse operation: A conversation must alternate between user and ` +
		`assistant roles. Make sure the conversation alternates between user and assistant roles and try again."}`, roles, "", false},
	{"Bedrock", 400, "A conversation must start with a user message. Try again with a conversation that starts with a user message.", roles, "", false},
	{"Bedrock", 400, "This model doesn't support system messages. Try again without system messages.", roles, "", true},
	{"Bedrock", 400, "This model doesn't support tool use in streaming mode.", tools, "", false},
	{"Bedrock", 400, "Input is too long for requested model.", length, "", false},
	{"LiteLLM", 400,
		`{"error":{"message":"litellm.BadRequestError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":` +
			`\"tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level\"}}","code":"400"}}`, tools, "order", false},
	{"LiteLLM", 400, "litellm.ContextWindowExceededError: prompt is long", length, "", false},
	{"LiteLLM", 400, `litellm.UnsupportedParamsError: x does not support parameters: ['seed']`, form, "", false},
	{"Anthropic", 400, `messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row`, roles, "", false},
	{"Anthropic", 400, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6 bytes > 5 bytes", images, "", false},
	{"Gemini", 400, "Please ensure that multiturn requests alternate between user and model.", roles, "", false},
	{"Gemini", 400, "Please ensure that function call turn comes immediately after a user turn or after a function response turn.", roles, "", false},
	{"Gemini", 400, "Developer instruction is not enabled for models/gemma-3-27b-it", roles, "", true},
	{"Gemini", 400, "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties: should be non-empty for OBJECT type",
		tools, "order", false},
	{"xAI", 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", length, "", false},
	{"Moonshot", 400, "Invalid request: Your request exceeded model token limit: 8192", length, "", false},
	{"DashScope", 400, "Range of input length should be [1, 98304]", length, "", false},
}

func TestARefusalIsOfWhatItsProviderSays(t *testing.T) {
	t.Parallel()
	for _, test := range refusals {
		t.Run(test.from+": "+test.says, func(t *testing.T) {
			t.Parallel()
			objection, err := refuse(t, test.status, test.says)
			var refusal answering.Refusal
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, test.what, refusal.What)
			require.Equal(t, test.tool, refusal.Tool)
			require.Equal(t, test.system, objection.ToSystem())
			var failure *fault.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, wire.CodeProviderFailed, failure.Code)
			if test.status != http.StatusInternalServerError { // with which a template of a model refuses, too
				require.Equal(t, wire.ProviderRejected, failure.Reason)
			}
		})
	}
}

// What another prompt does not help is no refusal, and has its code and its reason.
func TestWhatNoPromptHelpsIsNoRefusal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status             int
		says, code, reason string
	}{
		{429, `{"error":{"message":"You exceeded your current quota, please check your plan.","code":"insufficient_quota"}}`,
			wire.CodeProviderFailed, wire.ProviderQuota},
		{402, "Insufficient credits.", wire.CodeProviderFailed, wire.ProviderQuota},
		{400, "Your credit balance is too low to access the Anthropic API.", wire.CodeProviderFailed, wire.ProviderQuota},
		{429, "Rate limit reached for gpt-4o on requests per min (RPM): Limit 3, Used 3.", wire.CodeUnavailable, ""},
		{503, "The model is overloaded with images and tools.", wire.CodeUnavailable, wire.ProviderBroken},
		{401, "Incorrect API key provided.", wire.CodeProviderFailed, wire.ProviderKey},
		{404, "The model `x` does not exist.", wire.CodeProviderFailed, wire.ProviderModel},
		{400, "The response was filtered due to the content management policy.", wire.CodeProviderFailed, wire.ProviderFiltered},
		{500, "internal error", wire.CodeProviderFailed, wire.ProviderBroken},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			t.Parallel()
			_, err := refuse(t, test.status, test.says)
			require.NotErrorAs(t, err, new(answering.Refusal))
			var failure *fault.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, test.code, failure.Code)
			require.Equal(t, test.reason, failure.Reason)
		})
	}
}

// refuse returns the objection of a provider that refuses a request, and the error. Two tools were offered.
func refuse(t *testing.T, status int, says string) (objection upstream.Objection, err error) {
	t.Helper()
	body := says
	if !strings.HasPrefix(says, "{") {
		data, err := json.Marshal(map[string]any{"error": map[string]any{"message": says}})
		require.NoError(t, err)
		body = string(data)
	}
	m := providertest.NewModel(t, providertest.Refuses(status, body))
	c, err := upstream.New("kind", upstream.Config{BaseURL: m.URL, Pause: func(context.Context, time.Duration) error { return nil }})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	_, err = c.Open(t.Context(), upstream.Request{
		Privy:  func() upstream.Privy { return upstream.Privy{Names: []string{"model", "lookup", "order"}, Tools: 2} },
		Change: func(o upstream.Objection) (r upstream.Request, ok bool) { objection = o; return r, false },
	})
	require.Error(t, err)
	return objection, err
}
