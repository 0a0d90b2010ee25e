package apitest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
)

// description is the service's OpenAPI document.
type description struct {
	doc     *openapi3.T
	schemas *schemas
}

// descriptions caches what readDescription returned, by the text: reading one
// takes longer than most tests.
var descriptions sync.Map

// readDescription reads an OpenAPI document and refuses one that is not valid.
func readDescription(status int, text []byte) (*description, error) {
	if status != http.StatusOK {
		return nil, fmt.Errorf("GET /openapi.yaml answered %d, want 200", status)
	}
	if known, ok := descriptions.Load(string(text)); ok {
		return known.(*description), nil
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("openapi.yaml is not valid: %w", err)
	}
	schemas, err := newSchemas(doc)
	if err != nil {
		return nil, fmt.Errorf("read the schemas of openapi.yaml: %w", err)
	}
	known, _ := descriptions.LoadOrStore(string(text), &description{doc, schemas})
	return known.(*description), nil
}

// find returns the operation of a request, with its responses. Responses that
// any path may have are named components of the description.
func (d *description) find(r *http.Request) *routers.Route {
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		return d.anyPath(map[int]string{204: "Preflight", 404: "NotFound", 405: "MethodNotAllowed"})
	}
	path := strings.Split(r.URL.EscapedPath(), "/")
	for _, template := range d.doc.Paths.InMatchingOrder() {
		if !matches(strings.Split(template, "/"), path) {
			continue
		}
		item := d.doc.Paths.Value(template)
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if operation := item.GetOperation(method); operation != nil {
			return &routers.Route{Spec: d.doc, Path: template, PathItem: item, Method: method, Operation: operation}
		}
		// Where DEMO is off, its paths are unknown.
		return d.anyPath(map[int]string{404: "NotFound", 405: "MethodNotAllowed"})
	}
	return d.anyPath(map[int]string{404: "NotFound"})
}

// anyPath is an operation with the named components as its responses.
func (d *description) anyPath(names map[int]string) *routers.Route {
	responses := openapi3.NewResponsesWithCapacity(len(names) + 2)
	names[403], names[500] = "Forbidden", "Internal"
	for status, name := range names {
		responses.Set(fmt.Sprint(status), d.doc.Components.Responses[name])
	}
	return &routers.Route{Spec: d.doc, Operation: &openapi3.Operation{Responses: responses}}
}

func matches(template, path []string) bool {
	if len(template) != len(path) {
		return false
	}
	for i, segment := range template {
		value, err := url.PathUnescape(path[i])
		if variable := strings.HasPrefix(segment, "{"); err != nil || variable && value == "" || !variable && value != segment {
			return false
		}
	}
	return true
}

// eventSchemas reads the x-events of a media type: the schema of the data of
// each event.
func eventSchemas(doc *openapi3.T, media *openapi3.MediaType) (map[string]*openapi3.SchemaRef, error) {
	named, _ := media.Extensions["x-events"].(map[string]any)
	schemas := map[string]*openapi3.SchemaRef{}
	for event, value := range named {
		reference, _ := value.(map[string]any)
		address, _ := reference["$ref"].(string)
		schema := doc.Components.Schemas[strings.TrimPrefix(address, "#/components/schemas/")]
		if schema == nil {
			return nil, fmt.Errorf("x-events of openapi.yaml names no schema for the event %s", event)
		}
		schemas[event] = schema
	}
	return schemas, nil
}
