package tool_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// testdata/signed.json has a call as it reaches its tool. js/test/signature.test.mjs reads it
// too: a receiver in another language checks the same signature.
func TestTheCallThatReceiversCheck(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/signed.json")
	require.NoError(t, err)
	var want struct {
		Secret            string
		Now               int64
		Method, URL, Body string
		Headers           map[string]string
	}
	require.NoError(t, json.Unmarshal(text, &want))
	require.Equal(t, []any{secret, at.Unix()}, []any{want.Secret, want.Now})
	server, calls := endpoint(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = tool.Verify(r, body, want.Secret, at)
		}
		got := map[string]string{}
		for name := range want.Headers {
			got[name] = r.Header.Get(name)
		}
		if err != nil || want.Method != r.Method || want.URL != r.RequestURI || want.Body != string(body) {
			t.Errorf("got %s %s %s: %v", r.Method, r.RequestURI, body, err)
		}
		for name, value := range want.Headers {
			if got[name] != value {
				t.Errorf("%s is %q, want %q", name, got[name], value)
			}
		}
	})
	newHTTP(t, server.URL+want.URL, time.Minute).Carry(t.Context(), aCall)
	require.EqualValues(t, 1, calls.Load())
}
