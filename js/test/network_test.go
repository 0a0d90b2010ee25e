package test_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

func TestTheServiceIsGone(t *testing.T) {
	t.Parallel()
	gone := suite.Fake(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Fake(t, http.NotFound)
		p := suite.SDKPage(t, service.Origin, path, gone.Config(), `globalThis.warned = []; console.warn = (...texts) => warned.push(texts.join(" "));`)
		got := test.Eval[failure](p, `return kit.failure(sdk.listChats())`)
		requireAPIError(t, got, 0, "NETWORK")
		require.Equal(t, "listChats: "+gone.URL+" could not be reached, or the connection was lost", got.Message)
		require.Equal(t, gone.URL+": if it runs, its ALLOWED_ORIGINS must list "+service.URL, got.Advice)
		require.NotEmpty(t, got.Cause)
		requireStreamFails(t, p, "hi", nil, 0, "NETWORK")
		requireRejects(t, p, "hi", nil, 0, "NETWORK")
		require.Equal(t, []string{"APIError: " + got.Message + "; " + got.Advice}, test.Eval[[]string](p, `return warned`), "the advice is written once")
	})
}

// Answers that only a proxy, or another service, would send.
func TestStrangeAnswers(t *testing.T) {
	t.Parallel()
	page := "<!doctype html><title>Bad gateway</title><h1>502</h1>"
	tests := []struct {
		name, contentType, body string
		sent, status            int
		message                 string
	}{
		{"an HTML page of a proxy", "text/html", page, 502, 502, "web page"},
		{"an HTML page that claims success", "text/html", page, 200, 200, "web page"},
		{"no body", "", "", 503, 503, "503"},
		{"malformed JSON", "application/json", `{"chats": [`, 200, 200, "cannot be read"},
		{"JSON that is not an object", "application/json", `[1]`, 200, 200, "cannot be read"},
		{"an empty success", "application/json", "", 200, 0, "connection was lost"},
		{"an error of another service", "application/json", `{"detail": "Not authenticated"}`, 401, 401, "Not authenticated"},
		{"an error with a list of details", "application/json", `{"detail": [{"loc": ["body", "name"], "msg": "too long", "type": "x"}]}`, 422, 422, "too long"},
		{"an error with malformed JSON", "application/json", `{"detail": `, 500, 500, "500"},
	}
	service := suite.Fake(t, http.NotFound)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := p.For(t)
			code := ""
			if tt.status == 0 {
				code = "NETWORK"
			}
			service.Play(func(w http.ResponseWriter, r *http.Request) { test.Reply(w, tt.sent, tt.contentType, tt.body) })
			for _, call := range []string{"listChats()", `getChatHistory("c1")`, "createChat()", "listAgents()", `sendMessage("hi")`} {
				got := test.Eval[failure](p, `return kit.failure(sdk.`+call+`)`)
				requireAPIError(t, got, tt.status, code)
				require.Contains(t, got.Message, tt.message)
				require.Equal(t, "req_scripted", got.RequestID)
				require.NotContains(t, got.Message, "<h1>")
			}
			got := requireStreamFails(t, p, "hi", nil, tt.status, code)
			require.Contains(t, got.Message, tt.message)
		})
	}
}

// A connection that breaks while a JSON answer arrives.
func TestAnAnswerThatIsCut(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		test.Reply(w, 200, "application/json", `{"chats": [`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	requireAPIError(t, test.Eval[failure](p, `return kit.failure(sdk.listChats())`), 0, "NETWORK")
}

// If a stream ends too early in any way (TestTheServiceDiesDuringAStream covers a reset), the
// answer must not look finished.
func TestStreamsThatBreak(t *testing.T) {
	t.Parallel()
	chunk := "id: 9\nevent: chunk\ndata: {\"text\":\"more\"}\n\n"
	tests := []struct {
		name   string
		heard  []string
		finish func(s *test.Stream)
	}{
		{"a polite close", []string{"onChunk"}, func(s *test.Stream) {}},
		{"a close inside an event", []string{"onChunk"}, func(s *test.Stream) { s.Raw(chunk[:len(chunk)-1]) }},
		{"an end without an answer", []string{"onChunk"}, func(s *test.Stream) { s.Event("end", struct{}{}) }},
		{"malformed JSON", []string{"onChunk"}, func(s *test.Stream) { s.Raw("id: 3\nevent: chunk\ndata: {\"text\n\n").Complete() }},
		{"a completion without a message", []string{"onChunk"}, func(s *test.Stream) { s.CompleteWith(map[string]any{"message": nil}) }},
		{"a line without an end", []string{"onChunk"}, func(s *test.Stream) {
			for range 180 {
				s.Raw(fmt.Sprintf("%0100000d", 0))
			}
		}},
	}
	service := suite.Fake(t, http.NotFound)
	config := service.Config()
	config["resumeTimeout"] = 0
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, config)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := p.For(t)
			service.Play(func(w http.ResponseWriter, r *http.Request) { tt.finish(test.NewStream(w).Chunk("part")) })
			got := requireStreamFails(t, p, "hi", nil, 0, "STREAM_CUT", tt.heard...)
			require.Equal(t, "req_scripted", got.RequestID)
			requireRejects(t, p, "hi", nil, 0, "STREAM_CUT", tt.heard...)
		})
	}
}

// An error inside a stream is reported with the service's text.
func TestAnErrorInAStream(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		test.NewStream(w).Chunk("part").Event("error", map[string]any{
			"status_code": 503, "error": map[string]any{"code": "UNAVAILABLE", "message": "Back soon"}, "detail": "maintenance",
		}).Event("end", struct{}{})
	})
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	got := requireStreamFails(t, p, "hi", nil, 503, "UNAVAILABLE", "onChunk")
	require.Equal(t, "Back soon", got.Message)
	require.Equal(t, "maintenance", got.Detail)
}

// A stream that cannot be resumed within resumeTimeout ends with an error.
func TestTheServiceDiesDuringAStream(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	model.On("hi", func(a *test.Answer) { a.Text("part").Wait(nil) })
	service := suite.Service(t, model.Env()...)
	config := service.Config(t, "ada")
	config["resumeTimeout"] = 500
	p := suite.SDKPage(t, service.Origin, test.ModulePage, config)
	p.Do(`
		const first = kit.deferred();
		globalThis.outcome = kit.stream(sdk, "hi", { onChunk: first.resolve });
		await first.promise;`)
	service.Kill()
	got := test.Eval[streamed](p, `return outcome`)
	require.Equal(t, "resolved", got.Outcome)
	require.Equal(t, []string{"onChunk", "onError", "onMessageEnd"}, got.Names)
	requireAPIError(t, got.failed(t), 0, "STREAM_CUT")
}

// The received text is compared with the proof. If they differ, the stored message is the answer.
func TestAnAnswerThatDiffersFromItsProof(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		proof map[string]any
	}{
		{"another checksum", map[string]any{"crc32": "00000000"}},
		{"another number of chunks", map[string]any{"chunks": 7}},
		{"another length", map[string]any{"bytes": 7}},
		{"another text", map[string]any{"message": test.Answered("other")}},
	}
	service := suite.Fake(t, http.NotFound)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	for _, tt := range tests {
		play := func(stored http.HandlerFunc) {
			service.Play(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					stored(w, r)
					return
				}
				test.NewStream(w).Chunk("what ").Chunk("came").CompleteWith(tt.proof)
			})
		}
		t.Run(tt.name+", stored", func(t *testing.T) {
			p := p.For(t)
			play(func(w http.ResponseWriter, r *http.Request) {
				test.Reply(w, 200, "application/json", `{"id":"m1","chat_id":"c1","role":"assistant","content":"what is stored","created_at":1,"finish_reason":"stop"}`)
			})
			before := len(service.Calls())
			got := test.Eval[streamed](p, `return kit.stream(sdk, "hi")`)
			require.Equal(t, []string{"onChunk", "onChunk", "onComplete", "onMessageEnd"}, got.Names)
			require.Equal(t, "what is stored", heardAs[message](t, got, 2).Content)
			require.Equal(t, []string{"POST /v3/chat/message", "GET /project/demo/chat/c1/message/m1"}, service.Calls()[before:])
		})
		t.Run(tt.name+", not stored", func(t *testing.T) {
			play(http.NotFound)
			requireStreamFails(t, p.For(t), "hi", nil, 0, "STREAM_CUT", "onChunk", "onChunk")
		})
	}
}
