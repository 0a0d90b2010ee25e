package main_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// The parameters of a provider, a model and an agent reach the model, the later ones over the earlier.
func TestParametersOfFiles(t *testing.T) {
	t.Parallel()
	type request struct {
		header http.Header
		query  string
		body   string
	}
	asked := make(chan request, 1)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- request{r.Header, r.URL.RawQuery, string(body)}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"Well."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer model.Close()
	folder := writeFiles(t, map[string]string{
		"providers.yaml": `providers:
- name: azure
  kind: openai
  url: ` + model.URL + `/openai/deployments/d
  headers: {api-key: {env: AZURE_KEY}, x-team: blue}
  query: {api-version: "2024-10-21"}
  parameters: {temperature: 0.1, seed: 0, body: {user_tier: free, provider: {order: [a, b], max: 10000000000000001}}}
  models:
  - name: d
    max_output_tokens: 1000
    parameters: {temperature: 0.2, max_output_tokens: 900, headers: {x-team: green}, body: {user_tier: paid}}
`,
		"agents.yaml": `agents:
- id: a
  parameters: {max_output_tokens: 2000, top_p: 0.9, stop: [END]}
`,
	})
	p := startIn(t, folder, env{"PROVIDERS": "providers.yaml", "AGENTS": "agents.yaml", "AZURE_KEY": openaiKey})
	require.Equal(t, "Well.", p.ask("Hi").Message.Content)
	r := <-asked
	require.Equal(t, openaiKey, r.header.Get("api-key"))
	require.Equal(t, "green", r.header.Get("x-team"))
	require.Empty(t, r.header.Values("Authorization"))
	require.Equal(t, "api-version=2024-10-21", r.query)
	for _, member := range []string{
		`"temperature":0.2`, `"seed":0`, `"max_tokens":1000`, `"top_p":0.9`, `"stop":["END"]`, `"user_tier":"paid"`,
		`"provider":{"max":10000000000000001,"order":["a","b"]}`,
	} {
		require.Contains(t, r.body, member)
	}
}
