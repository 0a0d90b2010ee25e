package tool

import (
	"encoding/json"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// checkCost is what the check of some arguments may cost, in about microseconds.
	checkCost  = 100_000
	checkDepth = 1000
)

// affordable tells whether a check of value against schema ends soon. References make a
// schema of some lines ask for 2^n checks of one value, and the library has no limit: so all
// checks that it could make are counted before, and the counting ends at the limit.
func affordable(schema *jsonschema.Schema, value any) bool {
	m := meter{left: checkCost}
	m.visit(schema, value, 0)
	return m.left > 0
}

// meter counts the schemas that are held against a value, all alternatives among them.
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

// inPlace visits what is held against the same value.
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
	list = append(list, s.PrefixItems...) // one of the two: they are of different drafts
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

// own is what a schema costs without those in it.
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
			cost += 20 // hundreds of digits when it is written out
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

// matching is what a match of a text costs.
func matching(re jsonschema.Regexp, text string) int {
	size := patternSize
	if known, ok := re.(pattern); ok {
		size = known.size
	}
	return 1 + size*(len(text)+1)/100
}

// weight is how many values a value has.
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
