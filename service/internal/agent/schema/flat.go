package schema

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// flat returns an object's schema without references and choices of its own: it has the members of all choices, and
// requires those that all require. What the choices require says its description.
func (w *writer) flat(s map[string]any) map[string]any {
	if w.left--; w.left < 0 {
		return map[string]any{}
	}
	if ref, has := s["$ref"].(string); has {
		return w.followed(s, ref, w.flat)
	}
	own := maps.Clone(s)
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := own[keyword].([]any)
		delete(own, keyword)
		var parts []map[string]any
		for _, one := range list {
			if part, isSchema := one.(map[string]any); isSchema {
				parts = append(parts, w.flat(part))
			}
		}
		if keyword == "allOf" {
			for _, part := range parts {
				own = together(part, own)
			}
			continue
		}
		own = together(choice(parts), own)
		if told := sets(parts); told != "" {
			own["description"] = strings.TrimSpace(fmt.Sprint(textOr(own["description"], ""), " ", told))
		}
	}
	return own
}

func textOr(value any, other string) string {
	if text, ok := value.(string); ok {
		return text
	}
	return other
}

// together returns the schema of what fits both. What only one of two keywords can say is the second's.
func together(one, other map[string]any) map[string]any {
	both := maps.Clone(one)
	for keyword, value := range other {
		before, has := both[keyword]
		switch {
		case !has:
			both[keyword] = value
		case slices.Contains(byName, keyword):
			both[keyword] = namedTogether(before, value)
		case keyword == "required":
			both[keyword] = union(listOf(before), listOf(value))
		default:
			both[keyword] = value
		}
	}
	return both
}

func namedTogether(one, other any) map[string]any {
	all := map[string]any{}
	first, _ := one.(map[string]any)
	second, _ := other.(map[string]any)
	maps.Copy(all, first)
	for name, value := range second {
		before, isFirst := first[name].(map[string]any)
		after, isSecond := value.(map[string]any)
		if isFirst && isSecond {
			all[name] = together(before, after)
		} else {
			all[name] = value
		}
	}
	return all
}

// choice returns a schema that each of some fits.
func choice(parts []map[string]any) map[string]any {
	if len(parts) == 0 {
		return map[string]any{}
	}
	all := maps.Clone(parts[0])
	properties, _ := all["properties"].(map[string]any)
	properties = maps.Clone(properties)
	required := listOf(all["required"])
	for _, part := range parts[1:] {
		maps.DeleteFunc(all, func(keyword string, value any) bool { return !reflect.DeepEqual(part[keyword], value) })
		more, _ := part["properties"].(map[string]any)
		for name, value := range more {
			if properties == nil {
				properties = map[string]any{}
			}
			if before, has := properties[name]; has && !reflect.DeepEqual(before, value) {
				value = either(before, value)
			}
			properties[name] = value
		}
		also := listOf(part["required"])
		required = slices.DeleteFunc(slices.Clone(required), func(name any) bool { return !slices.Contains(also, name) })
	}
	delete(all, "required")
	delete(all, "properties")
	if len(required) > 0 {
		all["required"] = required
	}
	if properties != nil {
		all["properties"] = properties
	}
	return all
}

// either returns the choice of two schemas: constants become a list of what is allowed.
func either(one, other any) any {
	if values, ok := constants(one); ok {
		if more, ok := constants(other); ok {
			joined := map[string]any{"enum": union(values, more)}
			if kind, has := one.(map[string]any)["type"]; has && reflect.DeepEqual(kind, other.(map[string]any)["type"]) {
				joined["type"] = kind
			}
			return joined
		}
	}
	if before, ok := one.(map[string]any); ok && len(before) == 1 && before["anyOf"] != nil {
		return map[string]any{"anyOf": union(listOf(before["anyOf"]), []any{other})}
	}
	return map[string]any{"anyOf": []any{one, other}}
}

// constants returns the only values that a schema allows.
func constants(value any) ([]any, bool) {
	s, _ := value.(map[string]any)
	if only, has := s["const"]; has {
		return []any{only}, true
	}
	list, has := s["enum"].([]any)
	return list, has
}

func listOf(value any) []any {
	list, _ := value.([]any)
	return list
}

func union(one, other []any) []any {
	all := slices.Clone(one)
	for _, value := range other {
		if !slices.ContainsFunc(all, func(before any) bool { return reflect.DeepEqual(before, value) }) {
			all = append(all, value)
		}
	}
	return all
}

// sets tells which members the choices require, empty if all require the same.
func sets(parts []map[string]any) string {
	var all []string
	for _, part := range parts {
		var names []string
		for _, name := range listOf(part["required"]) {
			names = append(names, fmt.Sprint(name))
		}
		slices.Sort(names)
		if text := strings.Join(names, ", "); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if len(all) < 2 {
		return ""
	}
	return "Wanted is one of these sets of members: " + strings.Join(all, "; or ") + "."
}
