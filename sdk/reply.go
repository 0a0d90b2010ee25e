package sdk

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
)

// reply is the JSON of a successful call.
type reply struct {
	operation string
	response  *Response
	value     jsontext.Value
}

// readReply reads the body of a success.
func (c *Client) readReply(ctx context.Context, operation string, response *Response, want jsontext.Kind) (*reply, error) {
	body, err := c.readAll(ctx, operation, response)
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		failure := c.network(operation, errPart)
		failure.RequestID = response.Header("x-request-id")
		return nil, failure
	}
	a := &reply{operation: operation, response: response}
	if !isJSON(response) {
		return nil, a.failure(strange(operation, response, body))
	}
	if a.value, err = parseAs(wellFormed(body), want); err != nil {
		return nil, a.unreadable(err.Error())
	}
	return a, nil
}

// errPart is the error for a response that the service never sends: a success without a body, or a
// status with fewer than three digits. If plain HTTP is cut inside the head of a response, browsers
// take the part that arrived as the whole head.
var errPart = errors.New("the response is incomplete")

var errNoObject = errors.New("it is not a JSON object")

// parse reads a JSON object.
func parse(text []byte) (jsontext.Value, error) { return parseAs(text, jsontext.Object) }

// parseAs reads an object, or any JSON if want is Absent.
func parseAs(text []byte, want jsontext.Kind) (jsontext.Value, error) {
	value, err := jsontext.Parse(bytes.TrimPrefix(text, []byte("\ufeff"))) // a byte order mark, as response.json() takes it
	if err == nil && want == jsontext.Object && value.Kind() != want {
		err = errNoObject
	}
	return value, err
}

// unreadable is the error for a successful response whose body is not what was asked for.
func (a *reply) unreadable(problem string) *APIError {
	return a.failure(a.operation + ": the answer cannot be read: " + problem)
}

// fits checks the answer against a shape.
func (a *reply) fits(shape string) error {
	if problem := misfit(a.value, shape); problem != "" {
		return a.unreadable(problem)
	}
	return nil
}

func (a *reply) failure(message string) *APIError {
	return &APIError{Message: message, Status: a.response.Status, RequestID: a.response.Header("x-request-id")}
}

// maxAnswer is the largest size, in bytes, of a response that is read as a whole, and of an event. An answer of 8 MiB, the most that a service
// writes by default, is up to six times as large in JSON.
const maxAnswer = 64 << 20

// readAll reads the body. If it returns an error, it also returns what it had read.
func (c *Client) readAll(ctx context.Context, operation string, response *Response) ([]byte, error) {
	var body []byte
	var err error
	if whole, ok := response.Body.(interface{ All() ([]byte, error) }); ok {
		body, err = whole.All()
	} else {
		body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	}
	if err != nil {
		failure := c.network(operation, err)
		failure.RequestID = response.Header("x-request-id")
		return body, lost(ctx, operation, err, failure)
	}
	if len(body) > maxAnswer {
		return body[:maxAnswer], &APIError{
			Message: tooLarge(operation), Advice: "ask for less: getChatHistory and the lists take a limit, getDocument takes start and end",
			Status: response.Status, RequestID: response.Header("x-request-id"),
		}
	}
	return body, nil
}

func tooLarge(operation string) string {
	return operation + ": the answer has more than " + strconv.Itoa(maxAnswer) + " bytes"
}

// wellFormed replaces invalid UTF-8 in the text by U+FFFD.
func wellFormed(body []byte) []byte {
	if utf8.Valid(body) {
		return body
	}
	return bytes.ToValidUTF8(body, []byte("\uFFFD"))
}

func mediaType(response *Response) string {
	name, _, _ := strings.Cut(response.Header("content-type"), ";")
	return lower(strings.TrimSpace(name))
}

func isJSON(response *Response) bool {
	name := mediaType(response)
	return name == "application/json" || strings.HasSuffix(name, "+json") || name == ""
}
