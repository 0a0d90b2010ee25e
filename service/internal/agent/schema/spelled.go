package schema

import (
	"regexp"
	"slices"
)

// anthropicNames are the names of members that Anthropic accepts.
var anthropicNames = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// spelled returns a schema in which objects have properties, lists have one schema for their items, and true and false
// are written as objects.
func spelled(s map[string]any, checksNames bool) map[string]any {
	s = each(s, func(one any) any {
		if within, ok := one.(map[string]any); ok {
			return spelled(within, checksNames)
		}
		return one
	})
	properties, has := s["properties"].(map[string]any)
	if !has && slices.Contains(typesOf(s), "object") {
		properties = map[string]any{}
	}
	for name, one := range properties {
		if one == true {
			properties[name] = map[string]any{}
		}
		if one == false || checksNames && !anthropicNames.MatchString(name) {
			delete(properties, name)
			s["required"] = slices.DeleteFunc(slices.Clone(listOf(s["required"])), func(other any) bool { return other == name })
		}
	}
	if properties != nil {
		s["properties"] = properties
	}
	if required, has := s["required"].([]any); has && len(required) == 0 {
		delete(s, "required")
	}
	if slices.Contains(typesOf(s), "array") || s["items"] != nil {
		s["items"] = itemsOf(s)
		delete(s, "additionalItems")
	}
	return s
}

// itemsOf returns one schema for the items of a list. Items that stand in a list of schemas, one after another, may have any
// of these in any place.
func itemsOf(s map[string]any) any {
	switch items := s["items"].(type) {
	case map[string]any:
		return items
	case []any:
		var all []any
		for _, one := range items {
			if _, isSchema := one.(map[string]any); isSchema {
				all = union(all, []any{one})
			}
		}
		if len(all) == 1 {
			return all[0]
		}
		if len(all) > 1 {
			return map[string]any{"anyOf": all}
		}
	}
	return map[string]any{}
}
