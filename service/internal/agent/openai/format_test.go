package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// knows is a provider that refuses all output formats except these.
func knows(t *testing.T, content string, forms ...string) *model {
	t.Helper()
	return perFormat(t, func(form string) step {
		if slices.Contains(forms, form) {
			return writes(t, content)
		}
		return refuses(http.StatusBadRequest, `{"error":{"message":"response_format.type '`+form+
			`' is not supported","type":"invalid_request_error"}}`)
	})
}

// perFormat is a provider whose answer depends on the requested output format.
func perFormat(t *testing.T, of func(form string) step) *model {
	t.Helper()
	return newModel(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		of(formatOf(string(body)))(w, r)
	})
}

// writes is the answer of a model that writes this text.
func writes(t *testing.T, content string) step {
	t.Helper()
	text, err := json.Marshal(content)
	require.NoError(t, err)
	return replies(completion(`{"role":"assistant","content":`+string(text)+`}`, "stop"))
}

// formatOf returns the output format that a request asks for, "" for none.
func formatOf(request string) string {
	var body struct {
		Format struct{ Type string } `json:"response_format"`
	}
	_ = json.Unmarshal([]byte(request), &body) // a body that is not JSON asks for no format
	return body.Format.Type
}

// formatsOf returns the output formats that a model was asked for.
func formatsOf(t *testing.T, m *model) (list []string) {
	t.Helper()
	for _, call := range m.asked() {
		list = append(list, formatOf(call.body))
	}
	return list
}

const hospital = `{"memories": [{"type":"fact","content":"User works at a hospital","confidence":0.9,"quote":"I work at a hospital"}]}`

// If a provider does not know an output format, it is asked for a looser one, and only for that one
// from then on.
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
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := knows(t, test.content, test.known...)
			detector := m.provider(t).Detector("test-1", answering.Parameters{})
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

// A provider may ignore the requested format. Its text is read anyway; only a text without a list
// leads to a request in another format.
func TestDetectorReadsTheListInAText(t *testing.T) {
	t.Parallel()
	list := strings.TrimSuffix(strings.TrimPrefix(hospital, `{"memories": `), "}")
	for name, text := range map[string]string{
		"a fence":                        "```json\n" + hospital + "\n```",
		"a sentence":                     "Here you are: " + hospital + " I hope this helps.",
		"a sentence with brackets":       "The {one} fact [of the message] that :-{ counts: " + hospital + " Is that [all]?",
		"only a list":                    list,
		"only a list, in a fence":        "Here:\n```\n" + list + "\n```\n",
		"a draft before it":              `<think>{"memories": []}? No, there is a hospital.</think>` + hospital,
		"brackets after it":              hospital + " This is the type of value[].",
		"another object before the list": `{"language": "en"}` + hospital,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, writes(t, text))
			detector := m.provider(t).Detector("test-1", answering.Parameters{})
			for range 2 {
				found, err := detector.Detect(t.Context(), told, types)
				require.NoError(t, err)
				require.Len(t, found, 1)
				require.Equal(t, "User works at a hospital", found[0].Content)
			}
			require.Equal(t, []string{"json_schema", "json_schema"}, formatsOf(t, m))
		})
	}
	for name, text := range map[string]string{"an empty list": "[]", "an empty list in a sentence": "Nothing: `[]`."} {
		found, err := newModel(t, writes(t, text)).provider(t).Detector("test-1", answering.Parameters{}).Detect(t.Context(), told, types)
		require.NoError(t, err, name)
		require.Empty(t, found, name)
	}
}

// A response that is not a list is a failure. It is never read in part.
func TestDetectorFindsNothingInATextWithoutAList(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a sentence":            "The user works at a hospital.",
		"a list that is cut":    hospital[:len(hospital)-2],
		"a list of sentences":   `["User works at a hospital"]`,
		"a list without quotes": `[{"content":"User works at a hospital"}]`,
		"a box to tick":         "- [ ] User works at a hospital",
		"no list in an object":  `{"memories": null}`,
		"only brackets":         strings.Repeat("[", 1<<19),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := newModel(t, writes(t, text)).provider(t).Detector("test-1", answering.Parameters{}).Detect(t.Context(), told, types)
			requireCode(t, wire.CodeProviderFailed, err)
			require.Empty(t, found)
		})
	}
}

// A provider that silently ignores a format is asked for the next one.
func TestDetectorGivesUpAnIgnoredFormat(t *testing.T) {
	t.Parallel()
	m := perFormat(t, func(form string) step {
		if form == "json_object" {
			return writes(t, hospital)
		}
		return writes(t, "The user works at a hospital.")
	})
	detector := m.provider(t).Detector("test-1", answering.Parameters{})
	for range 2 {
		found, err := detector.Detect(t.Context(), told, types)
		require.NoError(t, err)
		require.Len(t, found, 1)
	}
	require.Equal(t, []string{"json_schema", "json_object", "json_object"}, formatsOf(t, m))
}

// A failure that says nothing about the format does not change it.
func TestDetectorKeepsItsFormatWhenTheProviderFails(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusUnauthorized, http.StatusNotFound, http.StatusTooManyRequests, http.StatusInternalServerError} {
		m := newModel(t, refuses(status, `{"error":{"message":"no"}}`), writes(t, hospital))
		detector := m.provider(t).Detector("test-1", answering.Parameters{})
		detector.Fallback = func(string) { t.Error("no format was refused") }
		_, err := detector.Detect(t.Context(), told, types)
		require.Error(t, err, status)
		_, err = detector.Detect(t.Context(), told, types)
		require.NoError(t, err, status)
		require.Equal(t, []string{"json_schema", "json_schema"}, formatsOf(t, m), status)
	}
}

// Messages that are examined at the same time find the format together, and log it once.
func TestDetectorFallsBackOnceForConcurrentMessages(t *testing.T) {
	t.Parallel()
	m := knows(t, hospital, "json_object")
	detector := m.provider(t).Detector("test-1", answering.Parameters{})
	var times atomic.Int32
	detector.Fallback = func(string) { times.Add(1) }
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			found, err := detector.Detect(t.Context(), told, types)
			assert.NoError(t, err)
			assert.Len(t, found, 1)
		})
	}
	all.Wait()
	require.EqualValues(t, 1, times.Load())
	before := len(m.asked())
	_, err := detector.Detect(t.Context(), told, types)
	require.NoError(t, err)
	require.Len(t, m.asked(), before+1)
}

// If no format helps, the call fails, and no format is remembered.
func TestDetectorWhoseFormatsAreAllRefused(t *testing.T) {
	t.Parallel()
	m := knows(t, hospital)
	detector := m.provider(t).Detector("test-1", answering.Parameters{})
	detector.Fallback = func(string) { t.Error("nothing works") }
	for range 2 {
		_, err := detector.Detect(t.Context(), told, types)
		requireCode(t, wire.CodeProviderFailed, err)
	}
	require.Equal(t, []string{"json_schema", "json_object", "", "json_schema", "json_object", ""}, formatsOf(t, m))
}

// The provider's reason is reported without words of the message and without the key.
func TestDetectorReportsTheProvidersReason(t *testing.T) {
	t.Parallel()
	const format = "response_format.type 'json_schema' is not supported by this model"
	tests := []struct{ name, body, want string }{
		{"its own words", `{"error":{"message":"` + format + `","type":"invalid_request_error"}}`, "status 403, type invalid_request_error: " + format},
		{"a bare text", `{"error":"` + format + `"}`, "status 403: " + format},
		{"a detail", `{"detail":"` + format + `"}`, "status 403: " + format},
		{"only a message", `{"message":"` + format + `"}`, "status 403: " + format},
		{"words of the message", `{"error":{"message":"Cannot read hospital, Hospital's or hospi here"}}`, "status 403: Cannot read … … or … here"},
		{"a quotation", `{"error":{"message":"Cannot read 'I like to work' here"}}`, "status 403: Cannot read … here"},
		{"JSON in it", `{"error":{"message":"Bad body {\"message\": \"any\"} end"}}`, "status 403: Bad body … end"},
		{"the key", `{"error":{"message":"Incorrect API key provided: sk-test. And sk-te***."}}`, "status 403: Incorrect API key provided: … And …"},
		{"escapes", `{"error":{"message":"Cannot read \\u0068ospital"}}`, "status 403: Cannot read …"},
		{"a page", `<html>hospital</html>`, "status 403"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, refuses(http.StatusForbidden, test.body))
			_, err := m.provider(t).Detector("test-1", answering.Parameters{}).Detect(t.Context(), told, types)
			failure := requireCode(t, wire.CodeProviderFailed, err)
			require.EqualError(t, failure.Cause, test.want)
			require.NotContains(t, fmt.Sprintf("%+v %#v", err, failure.Cause), "hospital")
		})
	}
}

// The model is told if only some types are wanted.
func TestDetectorIsToldTheTypes(t *testing.T) {
	t.Parallel()
	m := newModel(t, lists(t, `[]`))
	_, err := m.provider(t).Detector("test-1", answering.Parameters{}).Detect(t.Context(), told, []string{wire.MemoryFact})
	require.NoError(t, err)
	_, err = m.provider(t).Detector("test-1", answering.Parameters{}).Detect(t.Context(), told, types)
	require.NoError(t, err)
	const narrow = "List memories of these types alone: fact."
	require.Contains(t, m.asked()[0].body, narrow)
	require.Contains(t, m.asked()[0].body, `"enum":["fact"]`)
	require.NotContains(t, m.asked()[1].body, "these types alone")
}

// A quotation is first searched for as whole words.
func TestDetectorQuotesWholeWords(t *testing.T) {
	t.Parallel()
	m := newModel(t, lists(t, `[{"type":"fact","content":"User has a cat","confidence":0.9,"quote":"cat"}]`))
	found, err := m.provider(t).Detector("test-1", answering.Parameters{}).Detect(t.Context(), "The category is: my cat, my catalogue.", types)
	require.NoError(t, err)
	require.Equal(t, []int{20, 23}, []int{found[0].Start, found[0].End})
}
