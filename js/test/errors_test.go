package test_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// requireStreamFails streams a message and checks that onError gets the failure once.
func requireStreamFails(t *testing.T, p *test.Page, message string, options map[string]any, status int, code string, before ...string) failure {
	t.Helper()
	got := test.Eval[streamed](p, `return kit.stream(sdk, $1, $2)`, message, options)
	require.Equal(t, "resolved", got.Outcome)
	require.Equal(t, append(before, "onError", "onMessageEnd"), got.Names)
	requireAPIError(t, got.failed(t), status, code)
	requireHeardNothing(t, got, len(got.Names)-1)
	return got.failed(t)
}

// requireRejects does the same as requireStreamFails without an onError.
func requireRejects(t *testing.T, p *test.Page, message string, options map[string]any, status int, code string, before ...string) {
	t.Helper()
	got := test.Eval[struct {
		Names   []string `json:"names"`
		Outcome failure  `json:"outcome"`
	}](p, `return kit.stream(sdk, $1, {...$2, onError: null})`, message, options)
	requireAPIError(t, got.Outcome, status, code)
	require.Equal(t, append(before, "onMessageEnd"), got.Names)
}

func TestErrorsOfTheService(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 32_001)
	tests := []struct {
		name    string
		message string
		options map[string]any
		status  int
		code    string
		fields  []string
	}{
		{"unknown agent type", "hi", map[string]any{"agentType": "poet"}, 400, "VALIDATION_ERROR", []string{"agent_type"}},
		{"unknown model", "hi", map[string]any{"modelName": "other"}, 400, "VALIDATION_ERROR", []string{"model_name"}},
		{"feature that is not set up", "hi", map[string]any{"googleSearch": true}, 400, "FEATURE_DISABLED", []string{"google_search"}},
		{"unknown chat", "hi", map[string]any{"chatId": "nowhere"}, 404, "ENTITY_NOT_FOUND", []string{"chat_id"}},
		{"unknown agent", "hi", map[string]any{"agentId": "nobody"}, 404, "ENTITY_NOT_FOUND", []string{"agent_id"}},
		{"message that is too long", long, map[string]any{}, 413, "PAYLOAD_TOO_LARGE", []string{"message"}},
	}
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Service(t)
		p := suite.SDKPage(t, service.Origin, path, service.Config(t, "ada"))
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				p := p.For(t)
				got := test.Eval[failure](p, `return kit.failure(sdk.sendMessage($1, $2))`, tt.message, tt.options)
				requireAPIError(t, got, tt.status, tt.code)
				require.NotEmpty(t, got.RequestID)
				require.Equal(t, tt.fields, got.InvalidFields)
				streamed := requireStreamFails(t, p, tt.message, tt.options, tt.status, tt.code)
				require.Equal(t, got.Message, streamed.Message)
				require.NotEmpty(t, streamed.RequestID)
				requireRejects(t, p, tt.message, tt.options, tt.status, tt.code)
			})
		}
	})
}

func TestEveryOperationRejectsWithAnAPIError(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	for _, call := range []string{
		`sdk.getChatHistory("nowhere")`, `sdk.deleteChat("nowhere")`, `sdk.updateChatName("nowhere", "n")`,
		`sdk.sendFeedback("nothing", "nowhere", true)`, `sdk.sendMessage("hi", {chatId: "nowhere"})`,
		`sdk.sendMessageStream("hi", {chatId: "nowhere"})`,
		`new ChatSDK({...config, projectId: "other"}).createChat()`, `new ChatSDK({...config, projectId: "other"}).listChats()`,
		`new ChatSDK({...config, projectId: "other"}).listAgents()`,
		`(async () => { for await (const chat of new ChatSDK({...config, projectId: "other"}).allChats()); })()`,
	} {
		t.Run(call, func(t *testing.T) {
			p := p.For(t)
			got := test.Eval[failure](p, `return kit.failure(`+call+`)`)
			require.Contains(t, []int{401, 404}, got.Status)
			requireAPIError(t, got, got.Status, got.Code)
			require.NotEmpty(t, got.RequestID)
		})
	}
}

func TestFeedbackOnAQuestionIsRefused(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	got := test.Eval[failure](p, `
		const { chat_id } = await sdk.sendMessage("hi");
		const { messages } = await sdk.getChatHistory(chat_id);
		return kit.failure(sdk.sendFeedback(messages[0].id, chat_id, true));`)
	requireAPIError(t, got, 400, "VALIDATION_ERROR")
	require.Equal(t, []string{"message_id"}, got.InvalidFields)
}

func TestErrorsOfCredentials(t *testing.T) {
	t.Parallel()
	hour := time.Hour
	claims := func(change func(jwt.MapClaims)) string {
		c := jwt.MapClaims{
			"iss": test.APIKey, "sub": "ada", "aud": test.Project,
			"iat": time.Now().Add(-2 * hour).Unix(), "exp": time.Now().Add(hour).Unix(),
		}
		change(c)
		token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString([]byte(test.APISecret))
		require.NoError(t, err)
		return token
	}
	tests := []struct {
		name, token, code string
	}{
		{"not a token", "nonsense", "INVALID_BEARER_TOKEN"},
		{"another project", claims(func(c jwt.MapClaims) { c["aud"] = "other" }), "INVALID_BEARER_TOKEN"},
		{"expired", claims(func(c jwt.MapClaims) { c["exp"] = time.Now().Add(-hour).Unix() }), "TOKEN_EXPIRED"},
		{"another signature", claims(func(jwt.MapClaims) {}) + "x", "INVALID_BEARER_TOKEN"},
	}
	service := suite.Service(t)
	p := suite.Page(t, service.URL+test.ScriptPage)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := p.For(t)
			p.Do(`globalThis.sdk = new ChatSDK($1)`, test.Config{"baseUrl": service.URL, "projectId": test.Project, "accessToken": tt.token})
			requireAPIError(t, test.Eval[failure](p, `return kit.failure(sdk.listChats())`), 401, tt.code)
			requireStreamFails(t, p, "hi", nil, 401, tt.code)
			requireRejects(t, p, "hi", nil, 401, tt.code)
		})
	}
	t.Run("right", func(t *testing.T) {
		p := p.For(t)
		p.Do(`globalThis.sdk = new ChatSDK($1)`, test.Config{
			"baseUrl": service.URL, "projectId": test.Project, "accessToken": claims(func(jwt.MapClaims) {}),
		})
		p.Do(`await sdk.listChats()`)
	})
}

func TestTooManyMessagesSayWhenToComeBack(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, append(test.NewModel(t).Env(), "SENDS_PER_MINUTE=1")...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	p.Do(`await sdk.sendMessage("one")`)
	got := test.Eval[failure](p, `return kit.failure(sdk.sendMessage("two"))`)
	requireAPIError(t, got, 429, "RATE_LIMITED")
	require.Positive(t, got.RetryAfter)
	require.Positive(t, requireStreamFails(t, p, "three", nil, 429, "RATE_LIMITED").RetryAfter)
}

func TestErrorsOfTheModel(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	model.On("500", func(a *test.Answer) { a.Refuse(http.StatusInternalServerError) })
	model.On("429", func(a *test.Answer) { a.Refuse(http.StatusTooManyRequests) })
	model.On("503", func(a *test.Answer) { a.Refuse(http.StatusServiceUnavailable) })
	model.On("cut", func(a *test.Answer) { a.Text("part").Cut() })
	model.On("polite cut", func(a *test.Answer) { a.Text("part") })
	tests := []struct {
		question, text string
		status         int
		code           string
	}{
		{"500", "", 502, "PROVIDER_FAILED"},
		{"429", "", 503, "UNAVAILABLE"},
		{"503", "", 503, "UNAVAILABLE"},
		{"cut", "part", 502, "PROVIDER_FAILED"},
		{"polite cut", "part", 502, "PROVIDER_FAILED"},
	}
	service := suite.Service(t, model.Env()...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	for _, tt := range tests {
		t.Run(tt.question, func(t *testing.T) {
			p := p.For(t)
			chatID := test.Eval[string](p, `return (await sdk.createChat("c")).chat_id`)
			options := map[string]any{"chatId": chatID}
			requireAPIError(t, test.Eval[failure](p, `return kit.failure(sdk.sendMessage($1, $2))`, tt.question, options), tt.status, tt.code)
			var before []string
			if tt.text != "" {
				before = []string{"onChunk"}
			}
			requireStreamFails(t, p, tt.question, options, tt.status, tt.code, before...)

			messages := historyOf(p, chatID).Messages
			require.Len(t, messages, 4)
			for _, answer := range []message{messages[1], messages[3]} {
				require.Equal(t, tt.text, answer.Content)
				require.Equal(t, "error", answer.FinishReason)
			}
		})
	}
}

// A model that goes silent is given up after a while.
func TestASilentModel(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	model.On("silent", func(a *test.Answer) { a.Wait(nil) })
	model.On("falls silent", func(a *test.Answer) { a.Text("part").Wait(nil) })
	service := suite.Service(t, append(model.Env(), "PROVIDER_TIMEOUT=3s")...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	got := test.Eval[struct {
		Streams  []streamed `json:"streams"`
		Failures []failure  `json:"failures"`
	}](p, `
		const questions = ["silent", "falls silent"];
		const streams = questions.map((question) => kit.stream(sdk, question));
		const failures = questions.map((question) => kit.failure(sdk.sendMessage(question)));
		return { streams: await Promise.all(streams), failures: await Promise.all(failures) };`)
	for _, f := range append(got.Failures, got.Streams[0].failed(t), got.Streams[1].failed(t)) {
		requireAPIError(t, f, 504, "PROVIDER_TIMEOUT")
	}
	require.Equal(t, []string{"onError", "onMessageEnd"}, got.Streams[0].Names)
	require.Equal(t, []string{"onChunk", "onError", "onMessageEnd"}, got.Streams[1].Names)
}
