package httpapi_test

import (
	"context"
	"iter"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// keyed returns a user's headers with a key.
func keyed(user, key string) headers { return as(user).with("idempotency-key", key) }

// counting is a model that counts its calls.
func counting(calls *atomic.Int64, next script) script {
	return func(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
		calls.Add(1)
		return next(ctx, prompt)
	}
}

func TestKeysAreChecked(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	before := s.everything()
	for _, key := range []string{"", " ", "a b", "é", "a\tb", "\x7f", strings.Repeat("k", 256)} {
		for _, do := range []func(h headers) *httptest.ResponseRecorder{
			func(h headers) *httptest.ResponseRecorder { return s.send(h) },
			func(h headers) *httptest.ResponseRecorder {
				return s.do("POST", "/chat/create", h.json(), `{"project_id":"demo"}`)
			},
			func(h headers) *httptest.ResponseRecorder {
				return s.do("POST", "/v3/chat/message/regenerate", h.json(), `{"project_id":"demo","chat_id":"c","message_id":"m"}`)
			},
			func(h headers) *httptest.ResponseRecorder {
				return s.do("POST", "/memory-approvals/m/action", h.json(), `{"action":"approve"}`)
			},
			func(h headers) *httptest.ResponseRecorder { return s.do("POST", "/v3/chat/stop", h, "") },
		} {
			refusal(t, do(keyed("ann", key)), 400, wire.CodeValidation, "idempotency-key")
		}
	}
	require.Equal(t, before, s.everything())
	r := httptest.NewRequest("POST", "/v3/chat/stop", nil)
	r.Header["Idempotency-Key"] = []string{"a", "b"}
	refusal(t, s.serve(r, as("ann")), 400, wire.CodeValidation, "idempotency-key")
	refusal(t, s.do("POST", "/v3/chat/stop", as("ann"), ""), 400, wire.CodeValidation, "idempotency-key")
	for _, key := range []string{"!", "~", strings.Repeat("k", 255)} {
		require.Equal(t, 200, s.send(keyed("ann", key)).Code)
	}
}

// A repeat gets the same answer, in JSON and as a stream, whichever came first.
func TestRepeatsAreAnsweredAlike(t *testing.T) {
	t.Parallel()
	models := map[string]struct {
		model  script
		status int
	}{
		"complete": {say(answering.Piece{Text: "Hello", FinishReason: wire.FinishStop}), 200},
		"failed":   {failing(&fault.Error{Code: wire.CodeProviderTimeout, Message: "The model fell silent"}), 504},
		"odd":      {failing(context.DeadlineExceeded), 503},
	}
	for name, test := range models {
		for _, first := range []string{"application/json", "text/event-stream"} {
			t.Run(name+" "+first, func(t *testing.T) {
				t.Parallel()
				var calls atomic.Int64
				s := start(t, func(up *setup) { up.provider = counting(&calls, test.model) })
				require.Empty(t, s.send(keyed("ann", "k").with("accept", first)).Header().Get("Idempotent-Replayed"))
				texts := map[string]string{}
				for range 3 {
					for _, accept := range []string{"application/json", "text/event-stream"} {
						w := s.send(keyed("ann", "k").with("accept", accept))
						require.Equal(t, "true", w.Header().Get("Idempotent-Replayed"))
						if texts[accept] == "" {
							texts[accept] = w.Body.String()
						}
						require.Equal(t, texts[accept], w.Body.String())
						if accept == "application/json" {
							require.Equal(t, test.status, w.Code)
						}
					}
				}
				require.EqualValues(t, 1, calls.Load())
				require.Equal(t, 1, s.count(t))
			})
		}
	}
}

func TestWhatMakesARequestTheSame(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	base := []field{{name: "message", value: "a\nb"}, {name: "project_id", value: project}, {name: "x", value: "1"}, {name: "f", value: "bytes", file: "n.txt"}}
	require.Equal(t, 200, s.post(keyed("ann", "k"), form(t, base...)).Code)
	replace := func(i int, with field) []field {
		changed := append([]field{}, base...)
		changed[i] = with
		return changed
	}
	tests := []struct {
		name string
		form []field
		same bool
	}{
		{"the same", base, true},
		{"another order", []field{base[3], base[1], base[2], base[0]}, true},
		{"line ends of a browser", replace(0, field{name: "message", value: "a\r\nb"}), true},
		{"line ends of an old system", replace(0, field{name: "message", value: "a\rb"}), true},
		{"with skip_stream", append(append([]field{}, base...), field{name: "skip_stream", value: "true"}), true},
		{"another message", replace(0, field{name: "message", value: "a\nc"}), false},
		{"another unknown field", replace(2, field{name: "x", value: "2"}), false},
		{"one field more", append(append([]field{}, base...), field{name: "is_test", value: "false"}), false},
		{"an unknown field twice", append(append([]field{}, base...), base[2]), false},
		{"one field less", base[:3], false},
		{"another file name", replace(3, field{name: "f", value: "bytes", file: "m.txt"}), false},
		{"other bytes in the file", replace(3, field{name: "f", value: "Bytes", file: "n.txt"}), false},
		{"line ends in the file", replace(3, field{name: "f", value: "bytes\r\n", file: "n.txt"}), false},
		{"text instead of the file", replace(3, field{name: "f", value: "bytes"}), false},
		{"two values swapped", replace(2, field{name: "1", value: "x"}), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := s.post(keyed("ann", "k"), form(t, test.form...))
			if test.same {
				require.Equal(t, 200, w.Code, w.Body)
				require.Equal(t, "true", w.Header().Get("Idempotent-Replayed"))
				return
			}
			refusal(t, w, 422, wire.CodeKeyReused, "idempotency-key")
			require.Empty(t, w.Header().Get("Idempotent-Replayed"))
		})
	}
	require.Equal(t, 1, s.count(t))
	other := strings.ReplaceAll(form(t, base...).text, "border", "edge")
	w := s.do("POST", "/v3/chat/message", keyed("ann", "k").with("content-type", "multipart/form-data; boundary=edge"), other)
	require.Equal(t, "true", w.Header().Get("Idempotent-Replayed"), "the boundary doesn't count")
}

func TestWhatMakesAJSONRequestTheSame(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	create := func(body string) *httptest.ResponseRecorder {
		return s.do("POST", "/chat/create", keyed("ann", "k").json(), body)
	}
	first := create(`{"project_id":"demo","name":"N","metadata":{"a":1,"b":[1,2]},"more":12345678901234567890}`)
	require.Equal(t, 200, first.Code)
	for _, body := range []string{
		`{"project_id":"demo","name":"N","metadata":{"a":1,"b":[1,2]},"more":12345678901234567890}`,
		` { "more": 12345678901234567890, "metadata" : {"b":[1, 2],"a":1},"name":"\u004e","project_id":"demo"}`,
	} {
		w := create(body)
		require.Equal(t, "true", w.Header().Get("Idempotent-Replayed"))
		require.Equal(t, first.Body.String(), w.Body.String())
	}
	for _, body := range []string{
		`{"project_id":"demo","name":"N","metadata":{"a":1,"b":[2,1]},"more":12345678901234567890}`,
		`{"project_id":"demo","name":"N","metadata":{"a":1,"b":[1,2]},"more":12345678901234567891}`,
		`{"project_id":"demo","name":"N","metadata":{"a":1,"b":[1,2]}}`,
		`{"project_id":"demo","name":"n","metadata":{"a":1,"b":[1,2]},"more":12345678901234567890}`,
	} {
		refusal(t, create(body), 422, wire.CodeKeyReused, "idempotency-key")
	}
	refusal(t, s.send(keyed("ann", "k")), 422, wire.CodeKeyReused, "idempotency-key")
	require.Equal(t, 1, s.count(t))

	created := decode[wire.Chat](t, first)
	require.Equal(t, 200, s.do("DELETE", "/chat/delete", as("ann").json(), `{"project_id":"demo","chat_id":"`+created.ChatID+`"}`).Code)
	refusal(t, create(`{"project_id":"demo","name":"N","metadata":{"a":1,"b":[1,2]},"more":12345678901234567890}`), 404, wire.CodeNotFound)
}

// The path is part of a request's fingerprint, and a decision is reported again.
func TestActionTakesAKey(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	one, other := pending("m1"), pending("m2")
	s.remember("assistant", "ann", one, other)
	act := func(id, action string) *httptest.ResponseRecorder {
		return s.do("POST", "/memory-approvals/"+id+"/action", keyed("ann", "k").json(), `{"action":"`+action+`"}`)
	}
	first := act(one.ID, "approve")
	require.Equal(t, 200, first.Code, first.Body)
	again := act(one.ID, "approve")
	require.Equal(t, "true", again.Header().Get("Idempotent-Replayed"))
	require.Equal(t, first.Body.String(), again.Body.String())
	refusal(t, act(other.ID, "approve"), 422, wire.CodeKeyReused, "idempotency-key")
	refusal(t, act(one.ID, "reject"), 422, wire.CodeKeyReused, "idempotency-key")
}
