package upstream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// told is what a provider says about a failure: in the body of a refusal, or in a stream whose
// status was 200.
type told struct {
	// kind and code are identifiers such as "invalid_request_error", or numbers; empty if there
	// are none.
	kind, code string
	// param is where in the request something is wrong, for example "tools[0].function.parameters"; empty if unknown.
	param string
	// text is the provider's sentence as it stands, which may quote the question and the key.
	text string
	// quota is "PerDay" if that of a day is used up, and after is when to try again, 0 if unknown. Google says both
	// beside the sentence.
	quota string
	after time.Duration
}

// Where the parts of a failure stand. OpenAI, Azure, Ollama, llama.cpp and gateways have an object
// or a text in "error"; Anthropic wraps it once more, Gemini puts it into a list, Cloudflare has
// "errors", vLLM and Bedrock no wrapping, and FastAPI "detail", a text or a list of objects.
var (
	wrappings = []string{"error", "errors"}
	kindKeys  = []string{"type", "error_type", "status"}
	codeKeys  = []string{"code", "status_code", "statusCode"}
	paramKeys = []string{"param", "loc"}
	textKeys  = []string{"message", "msg", "detail", "error_description", "reason", "title"}
)

// mostWrappings is how deep a failure is looked for: gateways put the text of one into another.
const mostWrappings = 6

// mostDetails is how many details of a failure are looked at.
const mostDetails = 16

// tell reads the body of a failure, in any form.
func tell(body []byte) told {
	var value any
	if json.Unmarshal(body, &value) == nil {
		return tellValue(value, mostWrappings)
	}
	text := strings.ToValidUTF8(string(body), "\uFFFD")
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return told{text: titleOf(text)}
	}
	return tellText(text, mostWrappings)
}

func tellValue(value any, depth int) (t told) {
	if depth == 0 {
		return t
	}
	switch value := value.(type) {
	case string:
		return tellText(value, depth-1)
	case []any:
		for _, one := range value {
			if t = tellValue(one, depth-1); t != (told{}) {
				break
			}
		}
	case map[string]any:
		t = tellObject(value, depth-1)
	}
	return t
}

// tellObject prefers what an inner object says.
func tellObject(object map[string]any, depth int) (t told) {
	for _, key := range wrappings {
		if inner := tellValue(object[key], depth); inner != (told{}) {
			t = inner
			break
		}
	}
	if inner := tellValue(object["choices"], depth); t == (told{}) { // OpenRouter: the error of a choice
		t = inner
	}
	t.kind = first(t.kind, object, kindKeys, Token)
	t.code = first(t.code, object, codeKeys, Token)
	t.param = first(t.param, object, paramKeys, pathOf)
	t.detail(object["details"])
	for _, key := range textKeys {
		if t.text == "" {
			inner := tellValue(object[key], depth)
			t.text = inner.text
			t.kind, t.code, t.param = cmp.Or(t.kind, inner.kind), cmp.Or(t.code, inner.code), cmp.Or(t.param, inner.param)
		}
	}
	// OpenRouter says "Provider returned error", and what that was stands beside it.
	if beside, ok := object["metadata"].(map[string]any); ok {
		if raw := tellValue(beside["raw"], depth); raw.text != "" {
			t.text = strings.TrimPrefix(t.text+": "+raw.text, ": ")
			t.param = cmp.Or(t.param, raw.param)
		}
	}
	return t
}

// detail reads the details of a google.rpc.Status.
func (t *told) detail(details any) {
	list, _ := details.([]any)
	for _, one := range list[:min(len(list), mostDetails)] {
		object, _ := one.(map[string]any)
		if delay, ok := object["retryDelay"].(string); ok {
			if after, err := time.ParseDuration(delay); err == nil {
				t.after = span(float64(after), time.Nanosecond)
			}
		}
		violations, _ := object["violations"].([]any)
		for _, violation := range violations[:min(len(violations), mostDetails)] {
			violation, _ := violation.(map[string]any)
			if id, _ := violation["quotaId"].(string); strings.Contains(id, "PerDay") {
				t.quota = "PerDay"
			}
		}
	}
}

// first returns known, or the first of the keys that holds something.
func first(known string, object map[string]any, keys []string, read func(any) string) string {
	for _, key := range keys {
		known = cmp.Or(known, read(object[key]))
	}
	return known
}

// pathOf returns a place in a request: a text, or a list of names and indices.
func pathOf(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case []any:
		var all []string
		for _, one := range value[:min(len(value), mostWrappings)] {
			if name := cmp.Or(Token(one), pathOf(one)); name != "" {
				all = append(all, name)
			}
		}
		return strings.Join(all, ".")
	}
	return ""
}

// pythonMessage is the message of an object that Python has printed.
var pythonMessage = regexp.MustCompile(`'message': (?:'([^']*)'|"([^"]*)")`)

// tellText reads a sentence, which may end with another failure as JSON or as Python prints it:
// "litellm.BadRequestError: OpenAIException - {"error": …}".
func tellText(text string, depth int) told {
	at := strings.IndexAny(text, "{[")
	if at < 0 || depth <= 0 {
		return told{text: text}
	}
	before := strings.TrimRight(text[:at], " \n:-")
	var value any
	if json.NewDecoder(strings.NewReader(text[at:])).Decode(&value) == nil && isFailure(value) {
		if t := tellValue(value, depth); t.text != "" {
			t.text = strings.TrimPrefix(before+": "+t.text, ": ")
			return t
		}
	}
	if found := pythonMessage.FindStringSubmatch(text[at:]); found != nil {
		return told{text: strings.TrimPrefix(before+": "+found[1]+found[2], ": ")}
	}
	return told{text: text}
}

// titleOf returns the title of a page, or its first heading.
func titleOf(page string) string {
	reader := html.NewTokenizer(strings.NewReader(page))
	for isTitle := false; ; {
		switch reader.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			name, _ := reader.TagName()
			isTitle = string(name) == "title" || string(name) == "h1"
		case html.TextToken:
			if text := strings.TrimSpace(string(reader.Text())); isTitle && text != "" {
				return text
			}
		}
	}
}

// tellEvent returns the failure that an event of a stream reports; ok is false if it reports none.
func tellEvent(event Event) (t told, ok bool) {
	isCalled := event.Kind == "error"
	if !isCalled && !mayFail(event.Data) {
		return t, false
	}
	var value any
	if err := json.Unmarshal(event.Data, &value); err != nil && !isCalled {
		return t, false
	}
	return tell(event.Data), isCalled || isFailure(value)
}

// mayFail is a quick look at each event of an answer.
func mayFail(data []byte) bool {
	return bytes.Contains(data, []byte(`rror`)) || bytes.Contains(data, []byte(`"detail"`)) || bytes.Contains(data, []byte(`"message"`))
}

// isFailure reports whether JSON that came with status 200 is a failure.
func isFailure(value any) bool {
	if list, ok := value.([]any); ok {
		return len(list) > 0 && isFailure(list[0])
	}
	object, ok := value.(map[string]any)
	if !ok {
		return false
	}
	for _, key := range wrappings {
		if IsSet(object[key]) {
			return true
		}
	}
	if object["object"] == "error" || object["type"] == "error" {
		return true
	}
	choices, answers := object["choices"].([]any)
	if answers && len(choices) > 0 {
		choice, _ := choices[0].(map[string]any)
		return IsSet(choice["error"])
	}
	_, hasCode := object["code"]
	return !answers && (object["detail"] != nil || object["message"] != nil && hasCode)
}

// IsSet reports whether a provider means something by the value of "error": an object counts if one of
// its values does.
func IsSet(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, one := range value {
			if IsSet(one) {
				return true
			}
		}
		return false
	case []any:
		return len(value) > 0
	}
	return value != nil && value != "" && value != false && value != 0.0
}
