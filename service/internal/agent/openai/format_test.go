package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// knows is a provider that refuses all forms of output but those.
func knows(t *testing.T, content string, forms ...string) *model {
	t.Helper()
	text, err := json.Marshal(content)
	require.NoError(t, err)
	var m *model
	m = newModel(t, func(w http.ResponseWriter, r *http.Request) {
		asked := formatsOf(t, m)
		form := asked[len(asked)-1]
		if slices.Contains(forms, form) {
			replies(completion(`{"role":"assistant","content":`+string(text)+`}`, "stop"))(w, r)
			return
		}
		refuses(http.StatusBadRequest, `{"error":{"message":"response_format.type '`+form+
			`' is not supported","type":"invalid_request_error"}}`)(w, r)
	})
	return m
}

// formatsOf are the forms of output that a model was asked for.
func formatsOf(t *testing.T, m *model) (list []string) {
	t.Helper()
	for _, call := range m.asked() {
		var body struct {
			Format struct{ Type string } `json:"response_format"`
		}
		_ = json.Unmarshal([]byte(call.body), &body) // a body that is not JSON asks for no form
		list = append(list, body.Format.Type)
	}
	return list
}

const hospital = `{"memories": [{"type":"fact","content":"User works at a hospital","confidence":0.9,"quote":"I work at a hospital"}]}`

// A provider that does not know a form of output is asked for a looser one, and
// for that one alone from then on.
func TestDetectorFallsBackToAFormatThatIsKnown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, content string
		known         []string
		asked         []string // of the first message
		fallback      []string
	}{
		{"strict schema", hospital, []string{"json_schema"}, []string{"json_schema"}, nil},
		{"JSON", hospital, []string{"json_object", ""}, []string{"json_schema", "json_object"}, []string{"json_object"}},
		{"plain text", hospital, []string{""}, []string{"json_schema", "json_object", ""}, []string{"text"}},
		{"a fence", "```json\n" + hospital + "\n```", []string{""}, []string{"json_schema", "json_object", ""}, []string{"text"}},
		{"a sentence", "Here you are: " + hospital + " I hope this helps.", []string{""}, []string{"json_schema", "json_object", ""}, []string{"text"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := knows(t, test.content, test.known...)
			detector := m.provider(t).Detector("test-1")
			var fallback []string
			detector.Fallback = func(format string) { fallback = append(fallback, format) }
			for range 2 {
				found, err := detector.Detect(t.Context(), told, types)
				require.NoError(t, err)
				require.Len(t, found, 1)
				require.Equal(t, "User works at a hospital", found[0].Content)
			}
			require.Equal(t, append(test.asked, test.asked[len(test.asked)-1]), formatsOf(t, m))
			require.Equal(t, test.fallback, fallback)
		})
	}
}

// What no form helps against is a failure, and no form is remembered.
func TestDetectorThatIsRefusedWhateverItAsksFor(t *testing.T) {
	t.Parallel()
	m := knows(t, hospital)
	detector := m.provider(t).Detector("test-1")
	detector.Fallback = func(string) { t.Error("nothing works") }
	for range 2 {
		_, err := detector.Detect(t.Context(), told, types)
		requireCode(t, wire.CodeProviderFailed, err)
	}
	require.Equal(t, []string{"json_schema", "json_object", "", "json_schema", "json_object", ""}, formatsOf(t, m))
}

// The provider's reason is told as far as it holds nothing of the message, and
// nothing of the key.
func TestDetectorTellsTheProvidersReason(t *testing.T) {
	t.Parallel()
	const format = "response_format.type 'json_schema' is not supported by this model"
	tests := []struct{ name, body, want string }{
		{"its own words", `{"error":{"message":"` + format + `","type":"invalid_request_error"}}`, "status 403, type invalid_request_error: " + format},
		{"a bare text", `{"error":"` + format + `"}`, "status 403: " + format},
		{"a detail", `{"detail":"` + format + `"}`, "status 403: " + format},
		{"a message beside nothing", `{"message":"` + format + `"}`, "status 403: " + format},
		{"words of the message", `{"error":{"message":"Cannot read hospital, Hospital's or hospi here"}}`, "status 403: Cannot read … … or … here"},
		{"a quotation", `{"error":{"message":"Cannot read 'I like to work' here"}}`, "status 403: Cannot read … here"},
		{"JSON in it", `{"error":{"message":"Bad body {\"message\": \"any\"} end"}}`, "status 403: Bad body … end"},
		{"the key", `{"error":{"message":"Incorrect API key provided: sk-test. And sk-te***."}}`, "status 403: Incorrect API key provided: … And …"},
		{"escapes", `{"error":{"message":"Cannot read \\u0068ospital"}}`, "status 403"},
		{"a page", `<html>hospital</html>`, "status 403"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, refuses(http.StatusForbidden, test.body))
			_, err := m.provider(t).Detector("test-1").Detect(t.Context(), told, types)
			failure := requireCode(t, wire.CodeProviderFailed, err)
			require.EqualError(t, failure.Cause, test.want)
			require.NotContains(t, fmt.Sprintf("%+v %#v", err, failure.Cause), "hospital")
		})
	}
}

// A narrower set of types is told to the model.
func TestDetectorIsToldTheTypes(t *testing.T) {
	t.Parallel()
	m := newModel(t, lists(t, `[]`))
	_, err := m.provider(t).Detector("test-1").Detect(t.Context(), told, []string{wire.MemoryFact})
	require.NoError(t, err)
	_, err = m.provider(t).Detector("test-1").Detect(t.Context(), told, types)
	require.NoError(t, err)
	const narrow = "List memories of these types alone: fact."
	require.Contains(t, m.asked()[0].body, narrow)
	require.Contains(t, m.asked()[0].body, `"enum":["fact"]`)
	require.NotContains(t, m.asked()[1].body, "these types alone")
}

// A quotation is looked for as whole words first.
func TestDetectorQuotesWholeWords(t *testing.T) {
	t.Parallel()
	m := newModel(t, lists(t, `[{"type":"fact","content":"User has a cat","confidence":0.9,"quote":"cat"}]`))
	found, err := m.provider(t).Detector("test-1").Detect(t.Context(), "The category is: my cat, my catalogue.", types)
	require.NoError(t, err)
	require.Equal(t, []int{20, 23}, []int{found[0].Start, found[0].End})
}
