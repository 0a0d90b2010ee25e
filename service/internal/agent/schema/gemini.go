package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// kept are the keywords that Gemini knows for each type, besides those that hold schemas.
var kept = map[any][]string{
	"string":  {"minLength", "maxLength", "pattern"},
	"number":  {"minimum", "maximum"},
	"integer": {"minimum", "maximum"},
	"boolean": {},
	"array":   {"minItems", "maxItems"},
	"object":  {"minProperties", "maxProperties"},
}

// formats are the formats that Gemini knows for each type.
var formats = map[any][]any{
	"string": {"date-time", "enum"}, "number": {"float", "double"}, "integer": {"int32", "int64"},
}

// gemini returns a schema without references as one of Gemini's subset of OpenAPI.
func gemini(value any) map[string]any {
	s, _ := value.(map[string]any)
	if list, has := s["allOf"].([]any); has {
		s = maps.Clone(s)
		delete(s, "allOf")
		for _, one := range list {
			if part, isSchema := one.(map[string]any); isSchema {
				s = together(part, s)
			}
		}
	}
	types := slices.Clone(typesOf(s))
	isNullable := slices.Contains(types, any("null")) || s["nullable"] == true
	types = slices.DeleteFunc(types, func(one any) bool { return one == "null" })
	var choices []any
	for _, keyword := range []string{"anyOf", "oneOf"} {
		choices = append(choices, listOf(s[keyword])...)
	}
	if len(choices) == 0 && len(types) > 1 {
		for _, one := range types {
			part := maps.Clone(s)
			part["type"] = one
			choices = append(choices, part)
		}
	}
	if len(choices) > 0 {
		return chosen(s, choices, isNullable)
	}
	kind := any("string")
	switch {
	case len(types) == 1:
		kind = types[0]
	case s["properties"] != nil:
		kind = "object"
	case s["items"] != nil || s["prefixItems"] != nil:
		kind = "array"
	}
	return typed(s, kind, isNullable)
}

// chosen returns a choice between schemas, beside which Gemini accepts nothing.
func chosen(s map[string]any, choices []any, isNullable bool) map[string]any {
	var all []any
	for _, one := range choices {
		part, _ := one.(map[string]any)
		if kinds := typesOf(part); len(kinds) == 1 && kinds[0] == "null" {
			isNullable = true
			continue
		}
		written := gemini(part)
		if text, has := s["description"].(string); has && written["description"] == nil && written["anyOf"] == nil {
			written["description"] = text
		}
		all = union(all, []any{written})
	}
	if len(all) == 0 {
		return typed(s, "string", isNullable)
	}
	first := all[0].(map[string]any)
	if isNullable && first["anyOf"] == nil {
		first["nullable"] = true
	}
	if len(all) == 1 {
		return first
	}
	return map[string]any{"anyOf": all}
}

// typed returns a schema of one type. An object whose members nobody knows is asked for as a text, which is read as an
// object again: Gemini refuses it otherwise.
func typed(s map[string]any, kind any, isNullable bool) map[string]any {
	written := map[string]any{"type": kind}
	if isNullable {
		written["nullable"] = true
	}
	described := []string{textOr(s["description"], "")}
	for _, keyword := range kept[kind] {
		if value, has := s[keyword]; has {
			written[keyword] = value
		}
	}
	if slices.Contains(formats[kind], s["format"]) {
		written["format"] = s["format"]
	}
	if values, has := constants(s); has {
		described = append(described, enum(written, kind, values))
	}
	switch kind {
	case "array":
		written["items"] = gemini(itemsOf(map[string]any{"items": first(s["items"], s["prefixItems"])}))
	case "object":
		if members := members(s); len(members) > 0 {
			written["properties"] = members
			required := slices.DeleteFunc(slices.Clone(listOf(s["required"])), func(name any) bool { return members[fmt.Sprint(name)] == nil })
			if len(required) > 0 {
				written["required"] = required
			}
		} else {
			written = map[string]any{"type": "string"}
			described = append(described, "A JSON object, as text.")
		}
	}
	if text := strings.TrimSpace(strings.Join(described, " ")); text != "" {
		written["description"] = text
	}
	return written
}

// enum adds the only values that are allowed. Gemini knows this of texts; otherwise it returns a sentence.
func enum(written map[string]any, kind any, values []any) string {
	var texts []any
	var told []string
	for _, value := range values {
		text, isText := value.(string)
		if isText && text != "" {
			texts = append(texts, text)
		}
		if one, err := json.Marshal(value); err == nil && value != nil {
			told = append(told, string(one))
		}
	}
	if kind == "string" && len(texts) == len(told) && len(texts) > 0 {
		written["enum"] = texts
		return ""
	}
	return "One of: " + strings.Join(told, ", ") + "."
}

// members returns the schemas of an object's members.
func members(s map[string]any) map[string]any {
	members := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	for name, one := range properties {
		if one != false {
			members[name] = gemini(one)
		}
	}
	return members
}

// first returns the first value that is there.
func first(values ...any) any {
	for _, one := range values {
		if one != nil && one != false && one != true {
			return one
		}
	}
	return nil
}
