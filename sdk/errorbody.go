package sdk

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

// errorFromBody makes an APIError of any answer that is no success: this
// service's errors, FastAPI's two forms of "detail", other JSON, a proxy's web
// page, or nothing at all.
func errorFromBody(operation string, response *Response, body []byte) *APIError {
	failure := &APIError{Status: response.Status, RequestID: response.Header("x-request-id"), RetryAfter: retryAfter(response)}
	if v, err := parse(new(fastjson.Parser), body); err == nil {
		failure.read(v)
	}
	if failure.Message == "" {
		failure.Message = fmt.Sprintf("%s: the server answered %d%s", operation, response.Status, shape(response, body))
	}
	return failure
}

// errorFromEvent makes an APIError of the data of an error event.
func errorFromEvent(operation string, v *fastjson.Value, requestID string) *APIError {
	failure := &APIError{Status: v.GetInt("status_code"), RequestID: requestID}
	failure.read(v)
	if failure.Message == "" {
		failure.Message = operation + ": the service ended the answer with an error"
	}
	return failure
}

// read takes what the JSON of an error says.
func (e *APIError) read(v *fastjson.Value) {
	info := v.Get("error")
	e.Code, e.Message, e.InvalidFields = text(info, "code"), text(info, "message"), texts(info, "invalid_fields")
	if e.Message == "" && info != nil && info.Type() == fastjson.TypeString {
		e.Message = string(info.GetStringBytes())
	}
	if e.Message == "" {
		e.Message = text(v, "message")
	}
	e.Detail = detail(v.Get("detail"))
	if e.Message == "" {
		e.Message = e.Detail
	}
}

// detail reads a text or a list of {loc, msg, type}.
func detail(v *fastjson.Value) string {
	if v == nil {
		return ""
	}
	if v.Type() != fastjson.TypeArray {
		return string(v.GetStringBytes())
	}
	var problems []string
	for _, item := range v.GetArray() {
		problem := text(item, "msg")
		if at := location(item.GetArray("loc")); at != "" {
			problem = at + ": " + problem
		}
		problems = append(problems, problem)
	}
	return strings.Join(problems, "; ")
}

func location(parts []*fastjson.Value) string {
	var path []string
	for _, part := range parts {
		if part.Type() == fastjson.TypeNumber {
			path = append(path, strconv.Itoa(part.GetInt()))
		} else {
			path = append(path, string(part.GetStringBytes()))
		}
	}
	return strings.Join(path, ".")
}

// shape says in a few words what came instead of JSON.
func shape(response *Response, body []byte) string {
	name := mediaType(response)
	switch {
	case len(body) == 0:
		return " without a body"
	case name == "text/html" || strings.HasPrefix(strings.TrimSpace(string(body[:min(len(body), 64)])), "<"):
		return " with a web page instead of JSON; check baseUrl and what stands between"
	case utf8.Valid(body) && name == "text/plain" && len(body) <= 200 && !strings.ContainsAny(strings.TrimSpace(string(body)), "\r\n"):
		return ": " + strings.TrimSpace(string(body))
	case name == "" || name == "application/json":
		return " with a body that is no JSON of this service"
	}
	return " with " + name + " instead of JSON"
}

// unreadable is a success whose body is not what was asked for.
func unreadable(operation string, response *Response, body []byte) *APIError {
	return &APIError{
		Message: fmt.Sprintf("%s: the server answered %d%s", operation, response.Status, shape(response, body)),
		Status:  response.Status, RequestID: response.Header("x-request-id"),
	}
}
