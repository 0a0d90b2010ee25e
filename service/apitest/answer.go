package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// answer notes what passes through.
type answer struct {
	http.ResponseWriter
	checker *checker
	route   *routers.Route
	r       *http.Request

	status int
	header http.Header
	body   bytes.Buffer
	// events checks the body of an event stream as it comes.
	events *events
	// left tells that the client took no more.
	left bool
}

func newAnswer(c *checker, route *routers.Route, w http.ResponseWriter, r *http.Request) *answer {
	return &answer{ResponseWriter: w, checker: c, route: route, r: r}
}

// Unwrap lets an http.ResponseController flush, and set deadlines.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader notes the status and the headers.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.begin(status)
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write notes a part of the body.
func (a *answer) Write(part []byte) (int, error) {
	if a.status == 0 {
		a.begin(http.StatusOK)
	}
	n, err := a.ResponseWriter.Write(part)
	a.left = a.left || err != nil
	switch {
	case a.events == nil:
		a.body.Write(part)
	default:
		if err := a.events.feed(part); err != nil {
			a.errorf("%v", err)
		}
	}
	return n, err
}

func (a *answer) begin(status int) {
	a.status, a.header = status, a.Header().Clone()
	mediaType, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	if mediaType != "text/event-stream" {
		return
	}
	a.events = &events{doc: a.route.Spec}
	if after, err := strconv.ParseInt(a.r.Header.Get(wire.HeaderLastEventID), 10, 64); err == nil && after > 0 {
		a.events.lastID, a.events.resumed = after, true
	}
	if err := a.beginStream(); err != nil {
		a.events.failed = true
		a.errorf("%v", err)
	}
}

func (a *answer) beginStream() error {
	if a.header.Get("X-Accel-Buffering") != "no" || a.header.Get("Cache-Control") != "no-store, no-transform" {
		return fmt.Errorf("an event stream without no-transform or X-Accel-Buffering: no")
	}
	response := a.route.Operation.Responses.Status(a.status)
	if response == nil {
		return nil // finish says so
	}
	media := response.Value.Content["text/event-stream"]
	if media == nil {
		return nil
	}
	schemas, err := eventSchemas(a.route.Spec, media)
	a.events.schemas = schemas
	return err
}

func (a *answer) errorf(format string, values ...any) {
	where := fmt.Sprintf("%s %s: %d: ", a.r.Method, a.r.URL.Path, a.status)
	a.checker.errorf("%s", where+fmt.Sprintf(format, values...))
}

// finish checks the answer, whole or as far as it came.
func (a *answer) finish(whole bool) {
	cut := !whole || a.left || a.r.Context().Err() != nil
	if a.status == 0 {
		if cut {
			return
		}
		a.begin(http.StatusOK)
	}
	if err := a.check(cut); err != nil {
		a.errorf("%v", err)
	}
	if a.events != nil && !cut && a.r.Method != http.MethodHead {
		if err := a.events.finish(); err != nil {
			a.errorf("%v", err)
		}
	}
}

var requestIDs = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

// check checks all but events. The body of an answer that was cut is not looked at.
func (a *answer) check(cut bool) error {
	if sent := a.r.Header.Get("X-Request-Id"); requestIDs.MatchString(sent) && a.header.Get("X-Request-Id") != sent {
		return fmt.Errorf("x-request-id is not the client's own, %q", sent)
	}
	response := a.route.Operation.Responses.Status(a.status)
	if response == nil {
		return fmt.Errorf("the status is not in openapi.yaml; the body is %.300q", a.body.String())
	}
	contentType := a.header.Get("Content-Type")
	if len(response.Value.Content) == 0 && (contentType != "" || a.body.Len() > 0) {
		return fmt.Errorf("there is a body, and openapi.yaml has none")
	}
	if len(response.Value.Content) > 0 && response.Value.Content.Get(contentType) == nil {
		return fmt.Errorf("the content type %q is not in openapi.yaml", contentType)
	}
	skipBody := cut || a.events != nil || a.r.Method == http.MethodHead
	if contentType == "application/json" && !skipBody && !(json.Valid(a.body.Bytes()) && utf8.Valid(a.body.Bytes())) {
		return fmt.Errorf("the body is not one JSON value in UTF-8: %.300q", a.body.String())
	}
	return a.validate(skipBody)
}

// validate holds headers and body against their schemas.
func (a *answer) validate(skipBody bool) error {
	request := a.r.Clone(a.r.Context())
	request.Method = http.MethodGet // the library looks at nothing after HEAD
	return explain(openapi3filter.ValidateResponse(a.r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: request, Route: a.route},
		Status:                 a.status,
		Header:                 a.header,
		Body:                   io.NopCloser(bytes.NewReader(a.body.Bytes())),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: skipBody},
	}))
}

// explain takes from an error its innermost reason, without the schemas and the
// values that it drags along.
func explain(err error) error {
	var fault *openapi3.SchemaError
	if !errors.As(err, &fault) {
		return err
	}
	for inner := fault; errors.As(fault.Origin, &inner); {
		fault = inner
	}
	return fmt.Errorf("at /%s: %s", strings.Join(fault.JSONPointer(), "/"), fault.Reason)
}
