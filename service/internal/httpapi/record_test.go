package httpapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The log has a line for each request. No line holds a credential, a user, a chat or a text.
func TestLog(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	sent := s.newChat("ann")
	token := s.token(wire.AccessTokenRequest{UserID: "ann"})
	s.do("GET", "/project/demo/chat/"+sent.ChatID+"/all?note=hunter2", token.with("x-request-id", "mine"), "")
	s.do("GET", "/project/demo/chat?limit=hunter2", as("ann"), "")
	s.do("POST", "/chat/create", as("ann").json(), `{"project_id":"demo","name":"hunter2"}`)
	s.do("POST", "/chat/create", headers{"x-api-key": "hunter2", "x-api-secret": "hunter2"}, "")
	s.do("HUNTER2", "/hunter2", headers{"authorization": "Bearer hunter2"}, "")
	s.send(as("ann"), field{name: "chat_id", value: "hunter2"})

	lines := s.log.lines("request")
	require.Len(t, lines, 8, "openapi.yaml among them")
	history := lines[2]
	require.Equal(t, "mine", history["request_id"])
	require.Equal(t, "/project/{project_id}/chat/{chat_id}/all", history["route"])
	require.Equal(t, "GET", history["method"])
	require.EqualValues(t, 200, history["status"])
	require.Greater(t, history["bytes"], float64(100))
	require.Contains(t, history, "seconds")
	require.Equal(t, "", lines[6]["route"])
	require.Equal(t, "other", lines[6]["method"])
	for _, secret := range []string{secret, "hunter2", "HUNTER2", `"ann"`, sent.ChatID, sent.MessageID, strings.TrimPrefix(token["authorization"], "Bearer "), "Hello", `"Hi"`} {
		require.NotContains(t, s.log.String(), secret)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	require.JSONEq(t, `{"status":"ok","version":"test"}`, s.do("GET", "/healthz", nil, "").Body.String())
	require.JSONEq(t, `{"status":"ready"}`, s.do("GET", "/readyz", nil, "").Body.String())

	ill := start(t, func(up *setup) {
		up.http.Ready = func(context.Context) error { return errors.New("the disk is full") }
		up.http.Version = ""
	})
	require.JSONEq(t, `{"status":"ok"}`, ill.do("GET", "/healthz", nil, "").Body.String())
	w := ill.do("GET", "/readyz", headers{"x-request-id": "mine"}, "")
	refusal(t, w, 503, wire.CodeUnavailable)
	require.Contains(t, w.Body.String(), `"Not ready: the database cannot be used; the log has the reason under the request id"`)
	require.NotContains(t, w.Body.String(), "disk")
	line := ill.log.line("request failed")
	require.Equal(t, "mine", line["request_id"])
	require.Contains(t, line["error"], "the disk is full")

	stalled := start(t, func(up *setup) {
		up.http.Ready = func(context.Context) error {
			return &fault.Error{Code: wire.CodeUnavailable, Message: "The disk of the database is full", Cause: errors.New("hunter2")}
		}
	})
	w = stalled.do("GET", "/readyz", nil, "")
	refusal(t, w, 503, wire.CodeUnavailable)
	require.Contains(t, w.Body.String(), `"Not ready: The disk of the database is full"`)
	require.NotContains(t, w.Body.String(), "hunter2")
	require.Equal(t, "2", w.Header().Get("Retry-After"))

	ending := start(t, nil)
	ending.chat.Close(t.Context())
	w = ending.do("GET", "/readyz", nil, "")
	refusal(t, w, 503, wire.CodeUnavailable)
	require.Contains(t, w.Body.String(), `"Not ready: the service is shutting down"`)
	require.Equal(t, 200, ending.do("GET", "/healthz", nil, "").Code)
}
