package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// writeFiles writes files into a new folder.
func writeFiles(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}

// badProviders are files of providers, each with what the error line must have.
var badProviders = []struct {
	name, yaml string
	want       []string
}{
	{"an empty file", "", []string{"no providers"}},
	{"an unknown field", "providers:\n- {name: a, kind: openai, window: 5}", []string{"[2:27]", `unknown field "window"`}},
	{"no name", "providers:\n- {kind: openai}", []string{`provider 1: name is ""`, "such as openai"}},
	{"a name with a slash", "providers:\n- {name: a/b, kind: openai}", []string{`[2:10] provider 1: name is "a/b"`}},
	{"a name twice", "providers:\n- {name: a, kind: openai}\n- {name: a, kind: openai}", []string{`[3:10] provider 2: name "a" occurs twice`}},
	{"an unknown kind", "providers:\n- {name: a, kind: bard}", []string{`[2:19] provider 1: kind is "bard", want `, "openai"}},
	{"an address without a scheme", "providers:\n- {name: a, kind: openai, url: api.example.com/v1, models: [{name: m}]}",
		[]string{"[2:32] provider 1: url", "want http"}},
	{"a password in the address", "providers:\n- {name: a, kind: openai, url: 'https://me:hunter2@a/v1', models: [{name: m}]}",
		[]string{"[2:32] provider 1: url", "credentials"}},
	{"a variable that is not set", "providers:\n- {name: a, kind: openai, key_env: NOT_SET}",
		[]string{"[2:36] provider 1: key_env: the environment variable NOT_SET is not set"}},
	{"the key itself", "providers:\n- {name: a, kind: openai, key_env: sk-hunter2}",
		[]string{"[2:36] provider 1: key_env: want the name of an environment variable"}},
	{"a key with a space", "providers:\n- {name: a, kind: openai, key_env: SPACED}", []string{"[2:36] provider 1: key_env: the key holds a space"}},
	{"two keys", "providers:\n- {name: a, kind: openai, key_env: KEY, key_file: k}", []string{"[2:51] provider 1: key_env and key_file are both set"}},
	{"a file that is not there", "providers:\n- {name: a, kind: openai, key_file: gone}",
		[]string{"[2:37] provider 1: key_file: want a file that holds the key", "gone"}},
	{"an empty key file", "providers:\n- {name: a, kind: openai, key_file: empty}",
		[]string{"[2:37] provider 1: key_file: want a file that holds the key"}},
	{"the key as a header", "providers:\n- name: a\n  kind: openai\n  headers: {Authorization: Bearer hunter2}",
		[]string{`[4:13] provider 1: headers: "Authorization" is set by the service`, "key_env"}},
	{"a header that is none", "providers:\n- {name: a, kind: openai, headers: {'a b': c}}",
		[]string{`provider 1: headers: "a b" is not the name of a header`}},
	{"a header of two lines", "providers:\n- {name: a, kind: openai, headers: {x-a: \"hunter2\\nb\"}}",
		[]string{"provider 1: headers: x-a: want a text of 1 to"}},
	{"a header from nowhere", "providers:\n- {name: a, kind: openai, headers: {x-a: {env: NOT_SET}}}",
		[]string{"headers: x-a: the environment variable NOT_SET is not set"}},
	{"a header that is a list", "providers:\n- {name: a, kind: openai, headers: {x-a: [b]}}", []string{"headers: x-a: want a text, or {env: NAME}"}},
	{"a query parameter that is none", "providers:\n- {name: a, kind: openai, query: {'a&b': c}}",
		[]string{`query: "a&b" is not the name of a parameter`}},
	{"a body that is a text", "providers:\n- {name: a, kind: openai, parameters: {body: text}}", []string{"[2:46] provider 1: body: want a mapping"}},
	{"messages in the body", "providers:\n- {name: a, kind: openai, parameters: {body: {messages: []}}}",
		[]string{`provider 1: body: "messages" is set by the service`}},
	{"a model without a name", "providers:\n- name: a\n  kind: openai\n  models:\n  - {window: 5}",
		[]string{`[5:6] provider 1: model 1: the model is ""`}},
	{"a model twice", "providers:\n- {name: a, kind: openai, models: [{name: m}, {name: m}]}",
		[]string{`[2:54] provider 1: model 2: name "m" occurs twice`}},
	{"a window of 0", "providers:\n- {name: a, kind: openai, models: [{name: m, window: 0}]}",
		[]string{"[2:54] provider 1: model 1: window is 0, want a number of tokens"}},
	{"answers longer than the window", "providers:\n- {name: a, kind: openai, models: [{name: m, window: 10, max_output_tokens: 10}]}",
		[]string{"model 1: max_output_tokens is 10, want less than the window of 10"}},
	{"images in words", "providers:\n- {name: a, kind: openai, models: [{name: m, images: many}]}", []string{"[2:54]"}},
	{"a vocabulary that nobody knows", "providers:\n- {name: a, kind: openai, models: [{name: m, vocabulary: o100k}]}",
		[]string{`model 1: vocabulary is "o100k", want one of o200k, cl100k, `}},
	{"images below 0", "providers:\n- {name: a, kind: openai, models: [{name: m, images: -1}]}", []string{"model 1: images is -1, want 0 for none"}},
	{"image bytes of 0", "providers:\n- {name: a, kind: openai, models: [{name: m, image_bytes: 0}]}", []string{"model 1: image_bytes is 0"}},
	{"a price below 0", "providers:\n- {name: a, kind: openai, models: [{name: m, prices: {input: -1}}]}",
		[]string{"model 1: prices: input is -1, want what a million"}},
	{"a top_p of 0", "providers:\n- {name: a, kind: openai, models: [{name: m, parameters: {top_p: 0}}]}",
		[]string{"[2:66] provider 1: model 1: top_p is 0"}},
	{"more tokens than the model has", "providers:\n- {name: a, kind: openai, models: [{name: m, max_output_tokens: 5, parameters: {max_output_tokens: 6}}]}",
		[]string{"model 1: parameters: max_output_tokens is 6, and the model has at most 5"}},
	{"effort of a model that does not reason", "providers:\n- {name: a, kind: openai, models: [{name: m, reasoning: false, parameters: {reasoning_effort: low}}]}",
		[]string{"model 1: parameters: reasoning_effort is set for a model with reasoning: false"}},
	{"an effort of two words", "providers:\n- {name: a, kind: openai, parameters: {reasoning_effort: very high}}",
		[]string{`reasoning_effort is "very high"`}},
	{"an empty stop text", "providers:\n- {name: a, kind: openai, parameters: {stop: [a, '']}}", []string{"provider 1: stop: text 2 has 0 bytes"}},
	{"no model to ask", "providers:\n- {name: a, kind: openai}", []string{"MODEL is not set", "PROVIDERS lists no models"}},
}

func TestBadProviders(t *testing.T) {
	t.Parallel()
	for _, test := range badProviders {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := writeFiles(t, map[string]string{"providers.yaml": test.yaml, "empty": "\n"})
			line := fails(t, folder, env{"KEY": "hunter2", "SPACED": "hunter2 b"}, "-addr", "127.0.0.1:0", "-providers", "providers.yaml")
			for _, want := range append(test.want, "PROVIDERS") {
				require.Contains(t, line, want)
			}
			require.NotContains(t, line, "hunter2")
			require.NoDirExists(t, filepath.Join(folder, "data"))
		})
	}
	two := map[string]string{"providers.yaml": "providers: [{name: a, kind: openai, models: [{name: m}]}]"}
	p := env{"PROVIDERS": "providers.yaml"}
	require.Contains(t, fails(t, writeFiles(t, two), p.with(env{"OPENAI_BASE_URL": "http://a"})), "PROVIDERS and OPENAI_BASE_URL are both set")
	require.Contains(t, fails(t, writeFiles(t, two), p.with(env{"MODEL": "a/n"})), `MODEL: the model "a/n" is not listed: provider "a" has no "n", want one of m`)
	two["agents.yaml"] = "agents:\n- {id: a, model: m, fallback_models: [a/m, other/n]}"
	require.Contains(t, fails(t, writeFiles(t, two), p.with(env{"AGENTS": "agents.yaml"})),
		`AGENTS: agents.yaml: [2:44] agent 1: fallback_models: the model "other/n" is not listed: provider "a" has no "other/n", want one of m`)
}

// twoProviders are a file of two providers, one of which has a model whose name begins like a provider, and agents.
func twoProviders(one, two *model) map[string]string {
	return map[string]string{
		"key": "sk-two\n",
		"providers.yaml": `providers:
- name: one
  kind: openai
  url: ` + one.URL + `/v1
  key_env: ONE
  models: [{name: small}, {name: meta-llama/Llama-3}]
- name: two
  kind: openai
  url: ` + two.URL + `/v1
  key_file: key
`,
		"agents.yaml": `agents:
- id: helper
- {id: clerk, model: two/large, models: [two/large, one/small, meta-llama/Llama-3]}
- {id: backed, model: two/large, models: [two/large], fallback_models: [small]}
`,
	}
}

func startTwo(t *testing.T, one, two *model) *process {
	return startIn(t, writeFiles(t, twoProviders(one, two)), env{"PROVIDERS": "providers.yaml", "AGENTS": "agents.yaml", "ONE": "sk-one"})
}

func TestModelsOfSeveralProviders(t *testing.T) {
	t.Parallel()
	one, two := newModel(t), newModel(t)
	p := startTwo(t, one, two)
	list := decode[wire.ListAgentsResponse](t, p.do(http.MethodGet, "/project/demo/agents", nil, ""), http.StatusOK)
	require.Equal(t, wire.ListAgentsResponse{
		Agents: []wire.Agent{
			{ID: "helper", Name: "helper", Type: wire.AgentChat, Models: []string{"one/small", "two/large", "meta-llama/Llama-3"}},
			{ID: "clerk", Name: "clerk", Type: wire.AgentChat, Model: "two/large", Models: []string{"two/large", "one/small", "meta-llama/Llama-3"}},
			{ID: "backed", Name: "backed", Type: wire.AgentChat, Model: "two/large", Models: []string{"two/large"}},
		},
		Models: []string{"one/small", "two/large", "meta-llama/Llama-3"},
	}, list)
	for _, test := range []struct {
		agent, named  string
		model         *model
		key, its, had string
	}{
		{"helper", "", one, "sk-one", "small", "one/small"},
		{"clerk", "", two, "sk-two", "large", "two/large"},
		{"clerk", "meta-llama/Llama-3", one, "sk-one", "meta-llama/Llama-3", "meta-llama/Llama-3"},
		{"clerk", "small", one, "sk-one", "small", "one/small"}, // a name of before PROVIDERS
	} {
		fields := []string{"agent_id", test.agent}
		if test.named != "" {
			fields = append(fields, "model_name", test.named)
		}
		s := p.stream("Hi", fields...)
		c := <-test.model.calls
		require.Equal(t, test.its, c.asked.Model)
		require.Equal(t, "Bearer "+test.key, c.header.Get("Authorization"))
		c.finish()
		require.Equal(t, test.had, s.complete().Message.ModelName)
	}
	refused := p.send("Hi", "agent_id", "backed", "model_name", "small")
	requireError(t, refused, http.StatusBadRequest, wire.CodeValidation)
	require.Contains(t, string(refused.body), "want one of two/large")
}

// Without PROVIDERS no name has a provider in it, also if it begins with that of the short form.
func TestNamesOfTheShortForm(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	p := start(t, model.env().with(env{"MODEL": "openai/gpt-oss"}))
	s := p.stream("Hi")
	c := <-model.calls
	require.Equal(t, "openai/gpt-oss", c.asked.Model)
	c.finish()
	require.Equal(t, "openai/gpt-oss", s.complete().Message.ModelName)
}

// A model that takes no more questions is replaced before anything is shown, and the operator can see it.
func TestAnotherModelTakesOver(t *testing.T) {
	t.Parallel()
	one, two := newModel(t), newModel(t)
	p := startTwo(t, one, two)
	s := p.stream("Hi", "agent_id", "backed")
	c := <-two.calls
	c.do(func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "busy", http.StatusServiceUnavailable)
	})
	close(c.steps)
	c = <-one.calls
	require.Equal(t, "small", c.asked.Model)
	c.say("Hello")
	c.finish()
	answer := s.complete().Message
	require.Equal(t, "Hello", answer.Content)
	require.Equal(t, "small", answer.ModelName, "the one that answered")
	p.untilCounted(`chatsdk_model_requests_total{model="large",outcome="broken",provider="two"} 1`)
	p.untilCounted(`chatsdk_model_requests_total{model="small",outcome="done",provider="one"} 1`)
	require.Contains(t, p.stderr.String(), `"model":"two/large","takes_over":"small"`)
}
