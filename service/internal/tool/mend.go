package tool

import (
	"encoding/json"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/chatsdk/chatsdk/service/internal/strictjson"
)

var (
	// behind is what small models leave behind a name: a token of a format, the number of the call, brackets.
	behind = regexp.MustCompile(`(<\|.*|:\d+|\(\))\s*$`)
	// before are the names under which providers show tools to models.
	before = regexp.MustCompile(`^(functions?|tools?|default_api)[.:]`)
	// around is what may stand around arguments: tags, tokens of a format and fences.
	around = regexp.MustCompile("^(\\s|</?[A-Za-z_][\\w:.-]*>|<\\|[\\w/ -]+\\|>|```[a-z]*)*$")
)

// PlainName returns the name of a tool without what a model adds to it.
func PlainName(name string) string {
	return before.ReplaceAllString(behind.ReplaceAllString(strings.TrimSpace(name), ""), "")
}

// Mend returns the arguments that Check accepts in place of what a model wrote. If there are none, it returns what
// the model wrote, with Check's error. It changes only what has one meaning: what stands around the object, a text
// that holds it, null for an optional member, and a number, a boolean, an object or a list as text where the schema
// wants it otherwise.
func (t *Tool) Mend(arguments string) (fit string, err error) {
	if err = t.Check(arguments); err == nil || len(arguments) > ArgumentBytes {
		return arguments, err
	}
	object := bare(arguments)
	if object != arguments && t.Check(object) == nil {
		return object, nil
	}
	if fit, ok := t.asTheSchemaWants(object); ok && t.Check(fit) == nil {
		return fit, nil
	}
	return arguments, err
}

// asTheSchemaWants returns an object with the values that the schema wants in place of others that mean the same.
func (t *Tool) asTheSchemaWants(object string) (fit string, ok bool) {
	if strictjson.Check(object, argumentLimits) != nil {
		return "", false
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(object))
	if err != nil {
		return "", false
	}
	var schema any
	if json.Unmarshal(t.Parameters, &schema) != nil {
		return "", false
	}
	text, err := plainJSON(mended(value, schema))
	return string(text), err == nil
}

// bare returns the object that arguments are around, or hold as text. An empty object before another,
// and a second copy, say nothing.
func bare(arguments string) string {
	text := strings.TrimSpace(arguments)
	for range 2 { // a text within a text
		var inner string
		if json.Unmarshal([]byte(text), &inner) != nil {
			break
		}
		text = strings.TrimSpace(inner)
	}
	if text == "" || text == "null" {
		return "{}"
	}
	start := strings.IndexByte(text, '{')
	if start < 0 || !around.MatchString(text[:start]) {
		return arguments
	}
	var found []string
	decoder := json.NewDecoder(strings.NewReader(text[start:]))
	for {
		var value json.RawMessage
		at := decoder.InputOffset()
		err := decoder.Decode(&value)
		if err == io.EOF {
			break
		}
		if err != nil {
			if len(found) == 0 || !around.MatchString(text[start:][at:]) {
				return arguments
			}
			break
		}
		if one := string(value); one != "{}" && !slices.Contains(found, one) {
			found = append(found, one)
		} else if len(found) == 0 {
			found = append(found, one)
		}
	}
	if len(found) == 2 && found[0] == "{}" {
		found = found[1:]
	}
	if len(found) != 1 {
		return arguments
	}
	return found[0]
}

// mended returns a value as a schema wants it, where the schema says so in plain words.
func mended(value, schema any) any {
	wanted, _ := schema.(map[string]any)
	if text, isText := value.(string); isText {
		value = read(text, typesOf(wanted))
	}
	switch value := value.(type) {
	case map[string]any:
		properties, _ := wanted["properties"].(map[string]any)
		required, _ := wanted["required"].([]any)
		for name, one := range value {
			property, isKnown := properties[name]
			if one == nil && isKnown && !slices.Contains(required, any(name)) && refusesNull(property) {
				delete(value, name)
				continue
			}
			value[name] = mended(one, property)
		}
	case []any:
		for i := range value {
			value[i] = mended(value[i], wanted["items"])
		}
	}
	return value
}

// typesOf returns the types that a schema allows, nil if it does not say.
func typesOf(schema map[string]any) (types []any) {
	switch named := schema["type"].(type) {
	case string:
		return []any{named}
	case []any:
		return named
	}
	return nil
}

// refusesNull reports whether a schema says that a value is not null.
func refusesNull(schema any) bool {
	wanted, _ := schema.(map[string]any)
	types := typesOf(wanted)
	return len(types) > 0 && !slices.Contains(types, any("null"))
}

// read returns the value that a text stands for where no text is allowed, else the text.
func read(text string, types []any) any {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil || len(types) == 0 || slices.Contains(types, any("string")) || strictjson.Check(text, argumentLimits) != nil {
		return text
	}
	kinds := map[reflect.Kind][]any{reflect.Bool: {"boolean"}, reflect.Map: {"object"}, reflect.Slice: {"array"}, reflect.String: {"number", "integer"}}
	if _, isText := value.(string); isText || value == nil {
		return text
	}
	for _, one := range kinds[reflect.TypeOf(value).Kind()] { // a json.Number is a string
		if slices.Contains(types, one) {
			return value
		}
	}
	return text
}
