package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

func TestErrorBody(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		err    error
		status int
		code   string
		fields []string
	}{
		{"a refusal", &fault.Error{Code: wire.CodeValidation, Message: "No", Fields: []string{"a"}}, 400, wire.CodeValidation, []string{"a"}},
		{"a refusal, wrapped", fmt.Errorf("send: %w", &fault.Error{Code: wire.CodeProviderFailed, Message: "No"}), 502, wire.CodeProviderFailed, nil},
		{"a failure and another",
			errors.Join(&fault.Error{Code: wire.CodeProviderTimeout, Message: "No"}, errors.New("disk")), 504, wire.CodeProviderTimeout, nil},
		{"a feature", chat.Disabled("images", "none"), 400, wire.CodeFeatureDisabled, []string{"images"}},
		{"no chat", fmt.Errorf("chat: %w", fault.ErrNotFound), 404, wire.CodeNotFound, []string{"chat_id"}},
		{"no message", fmt.Errorf("rate: %w", fault.NotFound("Message", "message_id")), 404, wire.CodeNotFound, []string{"message_id"}},
		{"a memory that is already decided", errors.Join(&fault.Error{Code: wire.CodeConflict, Message: "No"}), 409, wire.CodeConflict, nil},
		{"a refusal about memories",
			&fault.Error{Code: wire.CodePermissionDenied, Message: "No", Fields: []string{"user_id"}}, 403, wire.CodePermissionDenied, []string{"user_id"}},
		{"not an answer", chat.ErrNotAnswer, 400, wire.CodeValidation, []string{"message_id"}},
		{"cancelled", context.Canceled, 503, wire.CodeUnavailable, nil},
		{"timed out", fmt.Errorf("query: %w", context.DeadlineExceeded), 503, wire.CodeUnavailable, nil},
		{"unexpected", errors.New("password of the disk is hunter2"), 500, wire.CodeInternal, nil},
		{"an unknown code", &fault.Error{Code: "ODD", Message: "hunter2"}, 500, wire.CodeInternal, nil},
		{"none", nil, 500, wire.CodeInternal, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			body := httpapi.BodyOf(test.err, nil)
			require.Equal(t, test.status, body.StatusCode)
			require.Equal(t, test.code, body.Error.Code)
			require.Equal(t, test.fields, body.Error.InvalidFields)
			require.NotEmpty(t, body.Error.Message)
			require.NotContains(t, body.Error.Message, "hunter2")
		})
	}
}

// A 404 names the missing thing from the path.
func TestThePathSaysWhatWasNotFound(t *testing.T) {
	t.Parallel()
	for variable, message := range map[string]string{
		"stream_id": "Stream not found", "image_id": "Image not found", "memory_id": "Memory not found",
		"document_key": "Document not found", "agent_id": "Agent not found", "chat_id": "Chat not found",
	} {
		body := httpapi.BodyOf(fmt.Errorf("read: %w", fault.ErrNotFound), map[string]string{"project_id": "p", variable: "x"})
		require.Equal(t, []any{404, message, []string{variable}}, []any{body.StatusCode, body.Error.Message, body.Error.InvalidFields})
	}
}

// The status of a JSON answer says how the model failed.
func TestFailedAnswersInJSON(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		code   string
		status int
		after  time.Duration
		retry  string
	}{
		{wire.CodeProviderFailed, 502, 0, ""}, {wire.CodeProviderTimeout, 504, 0, ""},
		{wire.CodeUnavailable, 503, 0, ""}, {wire.CodeUnavailable, 503, 1100 * time.Millisecond, "2"}, {wire.CodeUnavailable, 503, time.Millisecond, "1"},
	} {
		t.Run(fmt.Sprint(test.code, test.after), func(t *testing.T) {
			t.Parallel()
			failure := &fault.Error{
				Code: test.code, Message: "The model failed", Reason: wire.ProviderBroken, RetryAfter: test.after, Cause: errors.New("upstream said hunter2"),
			}
			s := start(t, func(up *setup) { up.provider = failing(failure) })
			w := s.send(as("ann"))
			refusal(t, w, test.status, test.code)
			require.Equal(t, test.retry, w.Header().Get("Retry-After"))
			require.NotContains(t, w.Body.String(), "hunter2")
			require.Contains(t, w.Body.String(), `"reason":"broken"`)
			w = s.send(as("ann").with("accept", "text/event-stream"))
			require.Contains(t, w.Body.String(), `"code":"`+test.code+`"`)
			require.Contains(t, w.Body.String(), `"reason":"broken"`)
			require.NotContains(t, w.Body.String(), "retry_after", "it is only a header; see docs/protocol.md, Errors")
			require.Contains(t, s.everything(), `"finish_reason":"error"`, "the text so far is kept")
			require.Equal(t, 2, s.log.count("answer failed"), "and each is logged once")
			require.Zero(t, s.log.count("request failed"))
		})
	}
}

func TestPanicsAreAnswered(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) {
		up.http.Ready = func(context.Context) error { panic("the disk is on fire") }
	})
	w := s.do("GET", "/readyz", headers{"x-request-id": "mine"}, "")
	refusal(t, w, 500, wire.CodeInternal)
	require.Equal(t, "mine", w.Header().Get("X-Request-Id"))
	require.NotContains(t, w.Body.String(), "fire")
	line := s.log.line("request panicked")
	require.Equal(t, "mine", line["request_id"])
	require.Equal(t, "a value of type string", line["error"], "a value may hold somebody's words")
	require.NotContains(t, fmt.Sprint(s.log.lines("request panicked")), "fire")
	require.EqualValues(t, 500, s.log.lines("request")[1]["status"], "after the line about openapi.yaml")
}

// A request that fails because its client left is not a failure of the service. It
// doesn't count as 5xx in the metrics.
func TestClientsThatLeave(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{"its context ended": context.Canceled, "a query was interrupted": errors.New("interrupted")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, leave := context.WithCancel(t.Context())
			s := newService(t, func(up *setup) {
				up.http.Ready = func(context.Context) error { leave(); return failure }
			})
			httpapi.New(s.config).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/readyz", nil))
			require.Zero(t, s.log.count("request failed"))
			require.Equal(t, "INFO", s.log.line("client left")["level"])
			require.EqualValues(t, 499, s.log.line("request")["status"])
			require.NotContains(t, s.log.String(), "ERROR")
		})
	}
	t.Run("a client that waits is told", func(t *testing.T) {
		t.Parallel()
		s := newService(t, func(up *setup) { up.http.Ready = func(context.Context) error { return context.Canceled } })
		httpapi.New(s.config).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/readyz", nil))
		require.Equal(t, "ERROR", s.log.line("request failed")["level"])
		require.EqualValues(t, 503, s.log.line("request")["status"])
	})
}

// A panic in the middle of an answer breaks the connection, so that the answer doesn't look
// complete.
func TestPanicsDuringAnAnswerCutIt(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	w := panicking{httptest.NewRecorder()}
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		httpapi.New(s.config).ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
	})
	require.Equal(t, 200, w.Code)
	require.Equal(t, 1, s.log.count("request panicked"))
}

// panicking takes a status and panics at the first byte.
type panicking struct{ *httptest.ResponseRecorder }

func (panicking) Write([]byte) (int, error) { panic("no room") }

func TestAbortsPass(t *testing.T) {
	t.Parallel()
	s := newService(t, func(up *setup) {
		up.http.Ready = func(context.Context) error { panic(http.ErrAbortHandler) }
	})
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		httpapi.New(s.config).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/readyz", nil))
	})
	require.Zero(t, s.log.count("request panicked"))
}
