// Package schema writes the schema of a tool's parameters in the dialect of a provider: each refuses some of JSON Schema,
// and with it the whole request. What a dialect cannot say is left out: it says less, never something else, and the
// arguments are checked against the tool's own schema in any case. Begin with For.
package schema

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Dialect is what a kind of provider accepts.
type Dialect string

// The dialects.
const (
	// OpenAI is what chat completions and responses take: a root that is an object with properties and is no choice between
	// schemas, and lists with one schema for their items.
	OpenAI Dialect = "openai"
	// Anthropic is draft 2020-12 without a choice at the root, and with members whose names it knows.
	Anthropic Dialect = "anthropic"
	// Gemini is a subset of OpenAPI's schemas: a type for each value, and no references.
	Gemini Dialect = "gemini"
)

// For returns canonical parameters of a tool in a dialect, and whether they are others. Gemini gets nil for a tool without
// parameters, because it refuses an object without properties.
func For(dialect Dialect, parameters wire.JSON) (fit wire.JSON, changed bool) {
	before, isObject := decoded(parameters).(map[string]any)
	after, _ := decoded(parameters).(map[string]any)
	if !isObject {
		return parameters, false
	}
	w := writer{root: after, left: maxSchemas, open: map[string]int{}, keeps: dialect != Gemini}
	after = w.flat(after)
	after["type"] = "object"
	delete(after, "not")
	delete(after, "enum")
	delete(after, "const")
	switch dialect {
	case Gemini:
		delete(after, "$defs")
		delete(after, "definitions")
		if after = gemini(w.schema(after)); after["type"] != "object" {
			return nil, true
		}
	case Anthropic:
		delete(after, "$schema")
		after = spelled(w.schema(after).(map[string]any), true)
	default:
		after = spelled(w.schema(after).(map[string]any), false)
	}
	if reflect.DeepEqual(before, after) {
		return parameters, false
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(after) != nil {
		return parameters, false
	}
	return bytes.TrimSpace(text.Bytes()), true
}

func decoded(text wire.JSON) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&value)
	return value
}

var (
	// byName hold schemas by names, which are no keywords.
	byName = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
	// asSchemas hold a schema or a list of schemas.
	asSchemas = []string{
		"items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "unevaluatedProperties", "propertyNames",
		"not", "if", "then", "else", "allOf", "anyOf", "oneOf", "contentSchema",
	}
)

// each returns a copy of a schema in which do has replaced the schemas within.
func each(s map[string]any, do func(any) any) map[string]any {
	other := map[string]any{}
	for keyword, value := range s {
		other[keyword] = value
	}
	for _, keyword := range byName {
		if all, ok := s[keyword].(map[string]any); ok {
			named := map[string]any{}
			for name, one := range all {
				named[name] = do(one)
			}
			other[keyword] = named
		}
	}
	for _, keyword := range asSchemas {
		switch value := s[keyword].(type) {
		case map[string]any, bool:
			other[keyword] = do(value)
		case []any:
			list := make([]any, len(value))
			for i, one := range value {
				list[i] = do(one)
			}
			other[keyword] = list
		}
	}
	return other
}

// typesOf returns the types that a schema names.
func typesOf(s map[string]any) []any {
	switch named := s["type"].(type) {
	case string:
		return []any{named}
	case []any:
		return named
	}
	return nil
}
