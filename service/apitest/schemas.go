package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schemas compiles each schema of a description once. kin-openapi compiles a schema
// for every value that it checks, which took a third of the time of the service's tests.
type schemas struct {
	components any // what a $ref names

	mu       sync.Mutex
	compiled map[*openapi3.SchemaRef]*jsonschema.Schema
}

func newSchemas(doc *openapi3.T) (*schemas, error) {
	components, err := plain(map[string]any{"schemas": doc.Components.Schemas})
	return &schemas{components: components, compiled: map[*openapi3.SchemaRef]*jsonschema.Schema{}}, err
}

// check checks a value, as jsonschema.UnmarshalJSON reads it, against a schema.
func (s *schemas) check(ref *openapi3.SchemaRef, value any) error {
	schema, err := s.schema(ref)
	if err != nil {
		return fmt.Errorf("a schema of openapi.yaml does not compile: %w", err)
	}
	return explain(schema.Validate(value))
}

func (s *schemas) schema(ref *openapi3.SchemaRef) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.compiled[ref]; ok {
		return known, nil
	}
	schema, err := s.compile(ref)
	if err == nil {
		s.compiled[ref] = schema
	}
	return schema, err
}

// compile puts the schema into a document in which each $ref finds its target.
func (s *schemas) compile(ref *openapi3.SchemaRef) (*jsonschema.Schema, error) {
	const address = "https://openapi.invalid/schema"
	schema, err := plain(ref)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	document := map[string]any{"allOf": []any{schema}, "components": s.components}
	if err := compiler.AddResource(address, document); err != nil {
		return nil, err
	}
	return compiler.Compile(address)
}

// plain returns a part of a description as JSON values.
func plain(part any) (any, error) {
	text, err := json.Marshal(part)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
}

// explain says where a value does not match its schema, and why.
func explain(err error) error {
	var fault *jsonschema.ValidationError
	if !errors.As(err, &fault) {
		return err
	}
	return errors.New(strings.Join(reasons(fault), "; "))
}

func reasons(fault *jsonschema.ValidationError) []string {
	if len(fault.Causes) == 0 {
		text := fault.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		return []string{fmt.Sprintf("at /%s: %s", strings.Join(fault.InstanceLocation, "/"), text)}
	}
	var all []string
	for _, cause := range fault.Causes {
		all = append(all, reasons(cause)...)
	}
	return all
}
