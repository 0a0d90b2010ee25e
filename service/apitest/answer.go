package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// answer records a response as it passes through.
type answer struct {
	http.ResponseWriter
	checker *checker
	schemas *schemas
	route   *routers.Route
	r       *http.Request

	status int
	header http.Header
	body   bytes.Buffer
	// events checks the body of an event stream while it arrives.
	events *events
	// left says that the client has left.
	left bool
}

func newAnswer(c *checker, d *description, w http.ResponseWriter, r *http.Request) *answer {
	return &answer{ResponseWriter: w, checker: c, schemas: d.schemas, route: d.find(r), r: r}
}

// Unwrap lets an http.ResponseController flush, and set deadlines.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader records the status and the headers.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.begin(status)
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write records a part of the body.
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
	a.events = &events{check: a.schemas.check}
	if after, err := strconv.ParseInt(a.r.Header.Get(wire.HeaderLastEventID), 10, 64); err == nil && after > 0 {
		a.events.lastID, a.events.resumed = after, true
	}
	if err := a.beginStream(); err != nil {
		a.events.failed = true
		a.errorf("%v", err)
	}
}

func (a *answer) beginStream() error {
	caching := a.header.Get("Cache-Control")
	isStored := caching != "no-store, no-transform" && (caching != "no-cache, no-transform" || a.r.Method != http.MethodPost)
	if a.header.Get("X-Accel-Buffering") != "no" || isStored {
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

// check checks everything but events. It skips the body of an answer that was cut.
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
	if err := a.checkHeaders(response.Value.Headers); err != nil {
		return err
	}
	if cut || a.events != nil || a.r.Method == http.MethodHead {
		return nil
	}
	return a.checkBody(response.Value.Content.Get(contentType))
}

func (a *answer) checkHeaders(described openapi3.Headers) error {
	for _, name := range slices.Sorted(maps.Keys(described)) {
		header := described[name].Value
		switch given := a.header.Values(name); {
		case len(given) > 0:
			if err := a.schemas.check(header.Schema, headerValue(header.Schema.Value, given[0])); err != nil {
				return fmt.Errorf("header %q: %w", name, err)
			}
		case header.Required:
			return fmt.Errorf("header %q missing", name)
		}
	}
	return nil
}

// headerValue reads a number where the schema wants one.
func headerValue(schema *openapi3.Schema, text string) any {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil && schema.Type.Is(openapi3.TypeInteger) {
		return json.Number(text)
	}
	return text
}

func (a *answer) checkBody(media *openapi3.MediaType) error {
	if media == nil || media.Schema == nil {
		return nil
	}
	value, err := readBody(a.header.Get("Content-Type"), a.body.Bytes())
	if err != nil {
		return err
	}
	return a.schemas.check(media.Schema, value)
}

// readBody decodes a body. A body that is neither JSON nor YAML is a string.
func readBody(contentType string, body []byte) (any, error) {
	text := body
	switch mediaType, _, _ := mime.ParseMediaType(contentType); mediaType {
	case "application/json":
	case "application/yaml":
		var err error
		if text, err = yaml.YAMLToJSON(body); err != nil {
			return nil, fmt.Errorf("the body is not YAML: %w", err)
		}
	default:
		return string(body), nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil || !utf8.Valid(text) {
		return nil, fmt.Errorf("the body is not one JSON value in UTF-8: %.300q", body)
	}
	return value, nil
}
