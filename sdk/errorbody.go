package sdk

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
)

// errorFromBody makes an APIError from any unsuccessful response: an error of this service,
// FastAPI's two forms of "detail", other JSON, the web page of a proxy, or an empty body.
func errorFromBody(operation string, response *Response, body []byte) *APIError {
	failure := &APIError{Status: response.Status, RequestID: response.Header("x-request-id"), RetryAfter: retryAfter(response)}
	if v, err := parse(wellFormed(body)); err == nil {
		failure.read(v)
	}
	if failure.Message == "" {
		failure.Message = strange(operation, response, body)
	}
	return failure
}

// errorFromEvent makes an APIError from the data of an error event.
func errorFromEvent(operation string, v jsontext.Value, requestID string) *APIError {
	failure := &APIError{Status: int(v.Get("status_code").Int()), RequestID: requestID}
	failure.read(v)
	if failure.Message == "" {
		failure.Message = operation + ": the service ended the answer with an error"
	}
	return failure
}

// read reads the fields of an error's JSON.
func (e *APIError) read(v jsontext.Value) {
	info := v.Get("error")
	e.Code, e.Reason = text(info, "code"), text(info, "reason")
	e.InvalidFields, e.Detail = info.Get("invalid_fields").Texts(), detail(v.Get("detail"))
	if webPage(e.Detail) {
		e.Detail = ""
	}
	for _, said := range []string{text(info, "message"), info.Text(), text(v, "message"), e.Detail} {
		if e.Message = sentence(said); e.Message != "" {
			return
		}
	}
}

// maxMessage is how many bytes an error's message has at most.
const maxMessage = 500

// sentence returns text that is fit for people: no whitespace around it, no web page, not too long.
func sentence(said string) string {
	said = strings.TrimSpace(said)
	if webPage(said) {
		return ""
	}
	if len(said) <= maxMessage {
		return said
	}
	return strings.ToValidUTF8(said[:maxMessage], "") + "…"
}

func webPage(said string) bool {
	lower := lower(said)
	return strings.Contains(lower, "<html") || strings.Contains(lower, "<!doctype")
}

// detail reads a text or a list of {loc, msg, type}.
func detail(v jsontext.Value) string {
	if v.Kind() != jsontext.Array {
		return v.Text()
	}
	var problems []string
	v.Elements(func(item jsontext.Value) {
		if problem := problem(item); problem != "" {
			problems = append(problems, problem)
		}
	})
	return strings.Join(problems, "; ")
}

func problem(v jsontext.Value) string {
	at, said := location(v.Get("loc")), text(v, "msg")
	switch {
	case said == "" && at == "":
		return v.Text()
	case said == "":
		return at
	case at == "":
		return said
	}
	return at + ": " + said
}

// location reads the path to a field, which has names and numbers.
func location(v jsontext.Value) string {
	var path []string
	v.Elements(func(part jsontext.Value) {
		name := part.Text()
		if part.Kind() == jsontext.Number {
			name = string(part)
		}
		path = append(path, name)
	})
	return strings.Join(path, ".")
}

// strange is the message for a response that this service did not write.
func strange(operation string, response *Response, body []byte) string {
	return operation + ": the server answered " + strconv.Itoa(response.Status) + arrived(response, body)
}

// arrived says in a few words what arrived instead of JSON. It quotes short texts, but not those of a
// successful response, which may be part of a conversation.
func arrived(response *Response, body []byte) string {
	name := mediaType(response)
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return " without a body"
	case name == "text/html" || strings.HasPrefix(strings.TrimSpace(string(body[:min(len(body), 64)])), "<"):
		return " with a web page instead of JSON; check baseUrl and any proxy in between"
	case response.Status >= 300 && name == "text/plain" && oneLine(body):
		return ": " + strings.TrimSpace(string(body))
	case name == "" || name == "application/json":
		return " with a body that is not JSON of this service"
	}
	return " with " + name + " instead of JSON"
}

func oneLine(body []byte) bool {
	return utf8.Valid(body) && len(body) <= 200 && !bytes.ContainsAny(bytes.TrimSpace(body), "\r\n")
}
