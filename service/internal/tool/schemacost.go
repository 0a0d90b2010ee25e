package tool

import (
	"encoding/json"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// checkCost is how expensive the check of some arguments may be, in about microseconds.
	checkCost  = 100_000
	checkDepth = 1000
)

// affordable reports whether a check of value against schema ends soon. With references, a short
// schema can require 2^n checks of one value, and the library has no limit. So this counts all
// checks that the library could make, and stops at the limit.
func affordable(schema *jsonschema.Schema, value any) bool {
	m := meter{left: checkCost}
	m.visit(schema, value, 0)
	return m.left > 0
}

// meter counts the checks of values against schemas, including all alternatives.
type meter struct{ left int }

func (m *meter) visit(s *jsonschema.Schema, value any, depth int) {
	if s == nil || m.left <= 0 {
		return
	}
	if depth > checkDepth {
		m.left = 0
		return
	}
	m.left -= own(s, value)
	m.inPlace(s, value, depth+1)
	switch value := value.(type) {
	case map[string]any:
		m.members(s, value, depth+1)
	case []any:
		m.items(s, value, depth+1)
	}
}

// inPlace visits the schemas that apply to the same value.
func (m *meter) inPlace(s *jsonschema.Schema, value any, depth int) {
	for _, list := range [][]*jsonschema.Schema{{s.Ref, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf} {
		for _, one := range list {
			m.visit(one, value, depth)
		}
	}
	object, _ := value.(map[string]any)
	for name, one := range s.DependentSchemas {
		if _, has := object[name]; has {
			m.visit(one, value, depth)
		}
	}
	for name, one := range s.Dependencies {
		schema, _ := one.(*jsonschema.Schema)
		if _, has := object[name]; has {
			m.visit(schema, value, depth)
		}
	}
}

func (m *meter) members(s *jsonschema.Schema, object map[string]any, depth int) {
	for name, value := range object {
		if m.left--; m.left <= 0 {
			return
		}
		one, evaluated := s.Properties[name]
		m.visit(one, value, depth)
		for re, one := range s.PatternProperties {
			m.left -= matching(re, name)
			if m.left > 0 && re.MatchString(name) {
				evaluated = true
				m.visit(one, value, depth)
			}
		}
		if !evaluated {
			additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
			m.visit(additional, value, depth)
			m.visit(s.UnevaluatedProperties, value, depth)
		}
		m.visit(s.PropertyNames, name, depth)
	}
}

func (m *meter) items(s *jsonschema.Schema, items []any, depth int) {
	list, _ := s.Items.([]*jsonschema.Schema)
	all, _ := s.Items.(*jsonschema.Schema)
	additional, _ := s.AdditionalItems.(*jsonschema.Schema)
	list = append(list, s.PrefixItems...) // only one of the two is set: they are from different drafts
	for i, value := range items {
		if m.left--; m.left <= 0 {
			return
		}
		if i < len(list) {
			m.visit(list[i], value, depth)
		} else {
			m.visit(s.Items2020, value, depth)
			m.visit(additional, value, depth)
		}
		m.visit(all, value, depth)
		m.visit(s.Contains, value, depth)
		m.visit(s.UnevaluatedItems, value, depth)
	}
}

// own returns the cost of a schema without the schemas inside it.
func own(s *jsonschema.Schema, value any) int {
	cost := 1 + len(s.Required)/8
	for _, names := range s.DependentRequired {
		cost += 1 + len(names)/8
	}
	switch value := value.(type) {
	case string:
		cost += len(value) / 64
		if s.Pattern != nil {
			cost += matching(s.Pattern, value)
		}
	case json.Number:
		if strings.ContainsAny(value.String(), "eE") {
			cost += 20 // a number can have hundreds of digits
		}
	}
	compared := 0
	if s.Enum != nil {
		compared += len(s.Enum.Values)
	}
	if s.Const != nil {
		compared++
	}
	if s.UniqueItems {
		compared += 20
	}
	if compared > 0 {
		cost += compared * weight(value)
	}
	return cost
}

// matching returns the cost of matching a text.
func matching(re jsonschema.Regexp, text string) int {
	size := patternSize
	if known, ok := re.(pattern); ok {
		size = known.size
	}
	return 1 + size*(len(text)+1)/100
}

// weight returns how many values a value contains.
func weight(value any) int {
	sum := 1
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			sum += weight(item)
		}
	case map[string]any:
		for _, item := range value {
			sum += weight(item)
		}
	}
	return sum
}
