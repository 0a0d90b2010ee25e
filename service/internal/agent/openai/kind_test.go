package openai_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// What people are told, by its beginning.
const (
	saysKey      = "The model's provider does not accept this service's key;"
	saysAccess   = "The model's provider does not let this service ask this model;"
	saysCredit   = "This service's account with the model's provider is used up;"
	saysModel    = "The model does not exist at its provider;"
	saysAddress  = "The model or its provider is not at the configured address;"
	saysOther    = "Something other than a model answers at the provider's address;"
	saysLong     = "The model's provider rejected the question, because it and its chat are too long;"
	saysFilter   = "The model's provider rejected the question because of its content filter;"
	saysRejected = "The model's provider rejected the question;"
	saysBroken   = "The model's provider failed;"
	saysLimited  = "The model's provider takes no more questions at the moment;"
	saysBusy     = "The model is busy;"
)

// The bodies are those of real services.
func TestAFailureIsToldByWhatItIs(t *testing.T) {
	t.Parallel()
	failed, unavailable := wire.CodeProviderFailed, wire.CodeUnavailable
	tests := []struct {
		name    string
		status  int
		body    string
		code    string
		message string
		cause   string
	}{
		{"OpenAI, wrong key", 401, `{"error":{"message":"Incorrect API key provided: sk-test*****cdef. You can find your API key at https://platform.openai.com/account/api-keys.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			failed, saysKey, "status 401, type invalid_request_error, code invalid_api_key: Incorrect API key provided: … You can find your API key at https://platform.openai.com/account/api-keys."},
		{"OpenAI, no such model", 404, `{"error":{"message":"The model ` + "`gpt-9`" + ` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`,
			failed, saysModel, "status 404, type invalid_request_error, code model_not_found: The model `gpt-9` does not exist or you do not have access to it."},
		{"OpenAI, a model that the project may not ask", 403, `{"error":{"message":"Project ` + "`proj_x`" + ` does not have access to model ` + "`o9`" + `","type":"invalid_request_error","code":null}}`,
			failed, saysAccess, "does not have access to model `o9`"},
		{"OpenAI, a country", 403, `{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported","type":"request_forbidden"}}`,
			failed, saysAccess, "Country, region, or territory not supported"},
		{"OpenAI, too long", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9214 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
			failed, saysLong, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9214 tokens."},
		{"OpenAI, an account without money", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`,
			failed, saysCredit, "status 429, type insufficient_quota: You exceeded your current quota, please check your plan and billing details."},
		{"OpenAI, too many questions", 429, `{"error":{"message":"Rate limit reached for gpt-9 on requests per min (RPM): Limit 3, Used 3.","type":"requests","code":"rate_limit_exceeded"}}`,
			unavailable, saysLimited, "Rate limit reached for gpt-9"},
		{"OpenAI, a schema", 400, `{"error":{"message":"Invalid schema for function 'lookup': In context=(), object schema missing properties.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`,
			failed, saysRejected, "Invalid schema for function 'lookup': In context=(), object schema missing properties."},
		{"OpenAI, broken", 500, `{"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error","param":null,"code":null}}`,
			failed, saysBroken, "status 500, type server_error: The server had an error while processing your request. Sorry about that!"},
		{"Anthropic, wrong key", 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"}`,
			failed, saysKey, "status 401, type authentication_error: invalid x-api-key"},
		{"Anthropic, no such model", 404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}`,
			failed, saysModel, "status 404, type not_found_error: model: claude-9"},
		{"Anthropic, no money", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`,
			failed, saysCredit, "Your credit balance is too low"},
		{"Anthropic, too long", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}`,
			failed, saysLong, "prompt is too long: 208310 tokens > 200000 maximum"},
		{"Anthropic, overloaded", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			unavailable, saysBusy, "status 529, type overloaded_error: Overloaded"},
		{"Azure, wrong key", 401, `{"statusCode":401,"message":"Access denied due to invalid subscription key or wrong API endpoint."}`,
			failed, saysKey, "status 401, code 401: Access denied due to invalid subscription key or wrong API endpoint."},
		{"Azure, no such deployment", 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`,
			failed, saysModel, "status 404, code DeploymentNotFound: The API deployment for this resource does not exist."},
		{"Azure, content filter", 400, `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`,
			failed, saysFilter, "content management policy"},
		{"Gemini, wrong key with 400 in a list", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`,
			failed, saysKey, "status 400, type INVALID_ARGUMENT, code 400: API key not valid. Please pass a valid API key."},
		{"Gemini, no such model", 404, `[{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1main, or is not supported for generateContent.","status":"NOT_FOUND"}}]`,
			failed, saysModel, "models/gemini-9 is not found"},
		{"Ollama, no such model", 404, `{"error":{"message":"model \"missing\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`,
			failed, saysModel, `status 404, type api_error: model "missing" not found, try pulling it first`},
		{"Ollama, a bare text", 404, `{"error":"model 'missing' not found"}`, failed, saysModel, "status 404: model 'missing' not found"},
		{"Ollama, no room", 500, `{"error":"model requires more system memory (12.3 GiB) than is available (7.9 GiB)"}`,
			failed, saysBroken, "model requires more system memory (12.3 GiB) than is available (7.9 GiB)"},
		{"vLLM, no such model", 404, `{"object":"error","message":"The model ` + "`x`" + ` does not exist.","type":"NotFoundError","param":null,"code":404}`,
			failed, saysModel, "status 404, type NotFoundError, code 404: The model `x` does not exist."},
		{"vLLM, roles", 400, `{"object":"error","message":"Conversation roles must alternate user/assistant/user/assistant/...","type":"BadRequestError","param":null,"code":400}`,
			failed, saysRejected, "Conversation roles must alternate"},
		{"FastAPI, a field", 422, `{"detail":[{"loc":["body","messages"],"msg":"Field required","type":"missing","input":{"message":"what I said"}}]}`,
			failed, saysRejected, "status 422, type missing: Field required"},
		{"FastAPI, no such path", 404, `{"detail":"Not Found"}`, failed, saysAddress, "status 404: Not Found"},
		{"OpenRouter, what its provider said", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Function call is missing a thought_signature\",\"code\":400}}","provider_name":"Google"}}}`,
			failed, saysRejected, "status 400, code 400: Provider returned error: Function call is missing a thought_signature"},
		{"OpenRouter, no money", 402, `{"error":{"message":"Insufficient credits. Add more using https://openrouter.ai/credits","code":402}}`,
			failed, saysCredit, "status 402, code 402: Insufficient credits."},
		{"OpenRouter, moderation", 403, `{"error":{"message":"x requires moderation on OpenAI. Your input was flagged for \"harassment\".","code":403,"metadata":{"flagged_input":"what I said"}}}`,
			failed, saysFilter, "Your input was flagged for"},
		{"OpenRouter, no such model", 404, `{"error":{"message":"No endpoints found for nobody/none.","code":404}}`, failed, saysModel, "No endpoints found for nobody/none."},
		{"LiteLLM, an error in a sentence", 401, `{"error":{"message":"litellm.AuthenticationError: OpenAIException - {\"error\":{\"message\":\"Bad key\",\"code\":\"invalid_api_key\"}}","type":null,"code":"401"}}`,
			failed, saysKey, "status 401, code invalid_api_key: litellm.AuthenticationError: OpenAIException: Bad key"},
		{"LiteLLM, an error that Python printed", 400, `{"error":{"message":"litellm.BadRequestError: OpenAIException - Error code: 400 - {'error': {'message': 'Unknown parameter', 'type': 'x'}}","code":"400"}}`,
			failed, saysRejected, "litellm.BadRequestError: OpenAIException - Error code: 400: Unknown parameter"},
		{"LiteLLM, a model that the key may not ask", 401, `{"error":{"message":"key not allowed to access model. This key can only access models=['a']","type":"key_model_access_denied","param":"model","code":"401"}}`,
			failed, saysAccess, "key not allowed to access model."},
		{"OpenRouter, no model with tools", 404, `{"error":{"message":"No endpoints found that support tool use.","code":404}}`, failed, saysRejected, "No endpoints found that support tool use."},
		{"One API, no such model with 503", 503, `{"error":{"message":"no channel","type":"new_api_error","code":"model_not_found"}}`, failed, saysModel, "no channel"},
		{"DeepSeek, no money", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`, failed, saysCredit, "Insufficient Balance"},
		{"Mistral, a message that is an object", 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","x"],"msg":"Extra inputs are not permitted","input":"what I said"}]},"type":"invalid_request_message_error"}`,
			failed, saysRejected, "Extra inputs are not permitted"},
		{"Cloudflare", 403, `{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}`, failed, saysKey, "status 403, code 10000: Authentication error"},
		{"Bedrock", 403, `{"message":"The security token included in the request is invalid."}`, failed, saysAccess, "The security token included in the request is invalid."},
		{"a page", 502, "<html>\n<head><title>502 Bad\n Gateway</title></head><body>x</body>", failed, saysBroken, "status 502: 502 Bad Gateway"},
		{"a page with a heading", 404, "<!doctype html><h1>Nothing here</h1>", failed, saysAddress, "status 404: Nothing here"},
		{"a text", 503, "no healthy upstream\n", unavailable, saysBusy, "status 503: no healthy upstream"},
		{"a text of Go", 404, "404 page not found\n", failed, saysAddress, "status 404: 404 page not found"},
		{"a wrong scheme", 400, "Client sent an HTTP request to an HTTPS server.\n", failed, saysOther, "Client sent an HTTP request to an HTTPS server."},
		{"nothing", 401, "", failed, saysKey, "status 401"},
		{"nothing, too large", 413, "", failed, saysLong, "status 413"},
		{"nothing, a redirect", 302, "", failed, saysOther, "status 302"},
		{"an empty object", 400, `{}`, failed, saysRejected, "status 400"},
		{"an object of nulls", 500, `{"error":null,"message":null}`, failed, saysBroken, "status 500"},
		{"deep nesting", 500, strings.Repeat(`{"error":`, 5000) + `1` + strings.Repeat("}", 5000), failed, saysBroken, "status 500"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := newModel(t, refuses(test.status, test.body)).ask(t)
			failure := requireCode(t, test.code, got.err)
			require.True(t, strings.HasPrefix(failure.Message, test.message), "%s", failure.Message)
			require.ErrorContains(t, failure.Cause, test.cause)
			require.Equal(t, test.status, failure.ProviderStatus)
			require.NotContains(t, failure.Cause.Error(), "what I said")
			require.NotContains(t, failure.Cause.Error(), "\n")
		})
	}
}

// A gateway that has said 200 can only tell a failure in the stream, or in a body without one.
func TestAFailureWithStatus200IsToldByWhatItIs(t *testing.T) {
	t.Parallel()
	event := func(data string) step { return says(first(), "data: "+data+"\n\n", ends("stop")) }
	plain := func(body, media string) step { return refuses(200, body, "Content-Type", media) }
	failed, unavailable := wire.CodeProviderFailed, wire.CodeUnavailable
	tests := []struct {
		name                 string
		step                 step
		code, message, cause string
	}{
		{"OpenAI", event(`{"error":{"message":"The server had an error","type":"server_error","code":null}}`), failed, saysBroken, "error in event 2, type server_error: The server had an error"},
		{"Anthropic", says(first(), "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"), failed, saysBusy, "Overloaded"},
		{"Anthropic, wrong key", event(`{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`), failed, saysKey, "invalid x-api-key"},
		{"vLLM without a wrapping", event(`{"object":"error","message":"The model does not exist","type":"NotFoundError","code":404}`), failed, saysModel, "The model does not exist"},
		{"vLLM", event(`{"error":{"object":"error","message":"roles must alternate","type":"BadRequestError","param":null,"code":400}}`), failed, saysRejected, "roles must alternate"},
		{"Ollama", event(`{"error":"model 'x' not found"}`), failed, saysModel, "model 'x' not found"},
		{"Gemini", event(`[{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}]`), failed, saysLimited, "Resource has been exhausted"},
		{"OpenRouter beside a choice", event(`{"error":{"code":"server_error","message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`), failed, saysBroken, "Provider disconnected"},
		{"OpenRouter in a choice", event(`{"choices":[{"index":0,"delta":{"content":""},"error":{"code":502,"message":"Upstream idle"},"finish_reason":"error"}]}`), failed, saysBroken, "Upstream idle"},
		{"only a reason to finish", says(first(), ends("error")), failed, saysBroken, `finish reason "error"`},
		{"FastAPI", event(`{"detail":"Internal Server Error"}`), failed, saysBroken, "Internal Server Error"},
		{"a text", says("event: error\ndata: upstream timed out\n\n"), failed, saysBroken, "upstream timed out"},
		{"JSON and no stream", plain(`{"error":{"message":"Invalid API key","code":401}}`, "application/json"), failed, saysKey, "status 200 with an error, code 401: Invalid API key"},
		{"JSON called a stream", plain("\n"+`[{"error":{"message":"model 'x' not found"}}]`, "text/event-stream"), failed, saysModel, "model 'x' not found"},
		{"busy and no stream", plain(`{"error":{"message":"Slow down","code":429}}`, "application/json"), unavailable, saysLimited, "Slow down"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			failure := requireCode(t, test.code, newModel(t, test.step).ask(t).err)
			require.True(t, strings.HasPrefix(failure.Message, test.message), "%s", failure.Message)
			require.ErrorContains(t, failure.Cause, test.cause)
		})
	}
}

// Words such as error and message in an answer are no failure.
func TestAnAnswerAboutErrorsIsNone(t *testing.T) {
	t.Parallel()
	for _, event := range []string{
		piece(`"{\"error\":{\"message\":\"x\"}}"`),
		"data: {\"error\":false,\"errors\":[],\"message\":\"ok\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"error\":null}]}\n\n",
		"data: {\"type\":\"ping\",\"message\":\"still here\"}\n\n",
	} {
		require.NoError(t, newModel(t, says(event, piece(`"x"`), ends("stop"))).ask(t).err, event)
	}
}

// An account without money is not asked again, because nobody fills it up in a second.
func TestAnEmptyAccountIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	m := newModel(t, refuses(429, `{"error":{"code":"insufficient_quota"}}`))
	require.Error(t, m.ask(t).err)
	require.Len(t, m.asked(), 1)
}

// Providers repeat what they were sent: the question, earlier answers, memories, documents and the
// results of tools, whole or cut, quoted or not, and the key. None of it is in an error.
func TestAnErrorRepeatsNobodysWords(t *testing.T) {
	t.Parallel()
	const key = "sk-Zanzibar77secret"
	prompt := answering.Prompt{
		Model: "test-1", System: "The user is called Ottoline. Ärztin in Köln.",
		Messages: []answering.PromptMessage{
			{Role: wire.RoleUser, Text: "My doctor found a melanoma. Please send me the model key now"},
			{Role: wire.RoleAssistant, Text: "Oncologists in Leiden can help."},
			{Role: wire.RoleUser, Text: "我的医生说我有高血压。 My number is 0612345678."},
		},
		Rounds: []answering.Round{round("", outcome("c1", "lookup", `{"key":"Quillfeather"}`, "Dossier: bankrupt"))},
		Tools:  []answering.PromptTool{lookup},
	}
	echoes := []string{
		"Invalid value: My doctor found a melanoma", "cannot read 'melanoma'", "MELANOMA!", "melan", "…elanoma found", "melanoma.txt",
		"Oncologists in Leiden", "Ottoline", "Ärztin", "A\u0308rztin", "K\u00f6ln", "无效输入我的医生说我有高血压", "高血压", "0612345678", "Quillfeather", "bankrupt",
		`{"content":"melanoma"}`, `[{"role":"user","content":"melanoma"}, `, "`My doctor", "“My doctor found", "\\u006delanoma", "%6Delanoma", "&#109;elanoma",
		"send me the model key now", key, "sk-Zan****cret", "sk-other-9xYw8", "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x", "AIzaSyA0123456789abcdef", "zanzibar77secret",
	}
	banned := []string{
		"melanoma", "melan", "elanoma", "doctor", "oncolog", "leiden", "ottoline", "rztin", "köln", "医生", "血压", "0612345678", "quill", "bankrupt",
		"send me the model", "zan", "secret", "cret", "9xyw8", "eyjh", "aizasy",
	}
	for _, echo := range echoes {
		quoted := strings.ReplaceAll(strings.ReplaceAll(echo, `\`, `\\`), `"`, `\"`)
		for form, answer := range map[string]step{
			"an object":    refuses(400, fmt.Sprintf(`{"error":{"message":"Bad request: %s and so on"}}`, quoted)),
			"at the end":   refuses(422, fmt.Sprintf(`{"error":{"message":"Bad request near %s"}}`, quoted)),
			"a bare error": refuses(500, fmt.Sprintf(`{"error":"%s"}`, quoted)),
			"a text":       refuses(400, "Bad request: "+echo),
			"a page":       refuses(502, "<title>"+echo+"</title>"),
			"a detail":     refuses(422, fmt.Sprintf(`{"detail":[{"msg":"%s","input":"%s"}]}`, quoted, quoted)),
			"an event":     says("data: " + fmt.Sprintf(`{"error":{"message":"%s","type":"%s","code":"%s"}}`, quoted, quoted, quoted) + "\n\n"),
		} {
			p := newModel(t, answer).provider(t, withKey(key))
			err := read(t, p.Answer(t.Context(), prompt)).err
			require.Error(t, err)
			for ; err != nil; err = errors.Unwrap(err) {
				for _, word := range banned {
					require.NotContains(t, strings.ToLower(err.Error()), word, "%s, %s", form, echo)
				}
			}
		}
	}
}

// A sentence keeps the words with which providers speak of failures although they were sent too, and
// the names of models and tools, and ends somewhere.
func TestAReasonStaysReadable(t *testing.T) {
	t.Parallel()
	prompt := withTools()
	prompt.Messages[0].Text = "Which model is not found, and which tools does it support? Try lookup, the key and test-1"
	for text, want := range map[string]string{
		`model 'test-1' not found, try another`:            `model 'test-1' not found, try another`,
		"tools[0].function.name lookup is not a valid key": "tools[0].function.name lookup is not a valid key",
		strings.Repeat("so it failed; ", 99):               "status 400: " + strings.Repeat("so it failed; ", 22)[:299] + "…",
		"a\tb\u2028c\x1b[31m":                              "status 400: a b c …",
	} {
		body, err := newModel(t, refuses(400, text)), error(nil)
		err = read(t, body.provider(t).Answer(t.Context(), prompt)).err
		require.ErrorContains(t, requireCode(t, wire.CodeProviderFailed, err).Cause, want)
	}
}

func withKey(key string) func(*openai.Config) { return func(c *openai.Config) { c.APIKey = key } }
