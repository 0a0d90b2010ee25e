package schema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/schema"
)

var dialects = []schema.Dialect{schema.OpenAI, schema.Anthropic, schema.Gemini}

// same stands for parameters that a dialect takes as they are.
const same = "same"

func TestDialects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, parameters, openAI, anthropic, gemini string }{
		{"no parameters", `{"type":"object"}`, `{"type":"object","properties":{}}`, `{"type":"object","properties":{}}`, ""},
		{"an empty list of parameters", `{"type":"object","properties":{}}`, same, same, ""},
		{"what all take", `{"type":"object","properties":{"b":{"type":"string","minLength":1},"a":{"type":"integer"}},"required":["b"]}`, same, same, same},
		{"bounds of names", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"}`,
			same, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		{"a choice at the root", `{"type":"object","properties":{"x":{"type":"string"}},"anyOf":[{"required":["a"],"properties":{"a":{"type":"string"}}},{"required":["b"],"properties":{"b":{"type":"integer"}}}]}`,
			`{"type":"object","description":"Wanted is one of these sets of members: a; or b.","properties":{"x":{"type":"string"},"a":{"type":"string"},"b":{"type":"integer"}}}`, "", ""},
		{"one of two kinds at the root",
			`{"type":"object","oneOf":[{"type":"object","required":["k","a"],"properties":{"k":{"const":"f"},"a":{"type":"string"}}},{"$ref":"#/$defs/d"}],"$defs":{"d":{"type":"object","required":["k"],"properties":{"k":{"const":"d"}}}}}`,
			`{"type":"object","description":"Wanted is one of these sets of members: a, k; or k.","required":["k"],"properties":{"k":{"enum":["f","d"]},"a":{"type":"string"}},"$defs":{"d":{"type":"object","required":["k"],"properties":{"k":{"const":"d"}}}}}`, "",
			`{"type":"object","description":"Wanted is one of these sets of members: a, k; or k.","required":["k"],"properties":{"k":{"type":"string","enum":["f","d"]},"a":{"type":"string"}}}`},
		{"all of two", `{"type":"object","allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"a":{"minLength":2},"b":{"type":"null"}},"required":["b"]}]}`,
			`{"type":"object","properties":{"a":{"type":"string","minLength":2},"b":{"type":"null"}},"required":["b","a"]}`, "",
			`{"type":"object","properties":{"a":{"type":"string","minLength":2},"b":{"type":"string","nullable":true}},"required":["b","a"]}`},
		{"a list without items", `{"type":"object","properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`, "",
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`},
		{"items one after another", `{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"},{"type":"integer"},true],"additionalItems":false}}}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}}`, "",
			`{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}}`},
		{"an object of anything", `{"type":"object","properties":{"a":{"type":"object","description":"Any."}}}`,
			`{"type":"object","properties":{"a":{"type":"object","description":"Any.","properties":{}}}}`, "",
			`{"type":"object","properties":{"a":{"type":"string","description":"Any. A JSON object, as text."}}}`},
		{"anything, and nothing", `{"type":"object","properties":{"a":true,"b":false},"required":["b"]}`, `{"type":"object","properties":{"a":{}}}`, "",
			`{"type":"object","properties":{"a":{"type":"string"}}}`},
		{"a reference to a definition", `{"type":"object","properties":{"a":{"$ref":"#/$defs/p","description":"Where to."}},"$defs":{"p":{"type":"string"}}}`,
			same, "",
			`{"type":"object","properties":{"a":{"type":"string","description":"Where to."}}}`},
		{"a reference to a place", `{"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"},"c":{"$ref":"#p"},"d":{"$ref":"#/nothing"}},"$defs":{"p":{"$anchor":"p","type":"number"}}}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"$anchor":"p","type":"number"},"d":{}},"$defs":{"p":{"$anchor":"p","type":"number"}}}`, "",
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"number"},"d":{"type":"string"}}}`},
		{"a list in a list", `{"type":"object","properties":{"v":{"type":"string"},"in":{"type":"array","items":{"$ref":"#"}}}}`,
			`{"type":"object","properties":{"v":{"type":"string"},"in":{"type":"array","items":{"type":"object","properties":{"v":{"type":"string"},"in":{"type":"array","items":` +
				`{"type":"object","properties":{"v":{"type":"string"},"in":{"type":"array","items":{"type":"object","properties":{}}}}}}}}}}}`, "",
			`{"type":"object","properties":{"v":{"type":"string"},"in":{"type":"array","items":{"type":"object","properties":{"v":{"type":"string"},"in":{"type":"array","items":` +
				`{"type":"object","properties":{"v":{"type":"string"},"in":{"type":"array","items":{"type":"string","description":"A JSON object, as text."}}}}}}}}}}`},
		{"no null", `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"integer"},{"type":"null"}],"description":"How many."},"c":{"type":["string","integer"]}}}`, same, same,
			`{"type":"object","properties":{"a":{"type":"string","nullable":true},"b":{"type":"integer","nullable":true,"description":"How many."},"c":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`},
		{"formats and values", `{"type":"object","properties":{"a":{"type":"string","format":"date-time"},"b":{"type":"string","format":"email","default":"x"},"c":{"enum":[1,2],"type":"integer"},"d":{"enum":["","x"]},"e":{"const":"y"}}}`, same, same,
			`{"type":"object","properties":{"a":{"type":"string","format":"date-time"},"b":{"type":"string"},"c":{"type":"integer","description":"One of: 1, 2."},"d":{"type":"string","description":"One of: \"\", \"x\"."},"e":{"type":"string","enum":["y"]}}}`},
		{"names that one refuses", `{"type":"object","properties":{"größe":{"type":"string"},"a":{"type":"string"}},"required":["a","größe"]}`, same,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, same},
		{"what is not at the root", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}},"not":{"required":["b"]},"enum":[{}]}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}}}`, "", `{"type":"object","properties":{"a":{"type":"string"}}}`},
		{"exact numbers and signs", `{"type":"object","properties":{"a":{"type":"number","maximum":1.50,"description":"<b>"}},"$schema":"https://json-schema.org/draft/2020-12/schema","oneOf":[]}`,
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"description":"<b>","maximum":1.50,"type":"number"}},"type":"object"}`,
			`{"properties":{"a":{"description":"<b>","maximum":1.50,"type":"number"}},"type":"object"}`,
			`{"properties":{"a":{"description":"<b>","maximum":1.50,"type":"number"}},"type":"object"}`},
	} {
		if test.anthropic == "" {
			test.anthropic = test.openAI
		}
		if test.gemini == "" && !strings.Contains(test.name, "parameters") {
			test.gemini = test.openAI
		}
		for i, want := range []string{test.openAI, test.anthropic, test.gemini} {
			t.Run(fmt.Sprint(test.name, " ", dialects[i]), func(t *testing.T) {
				t.Parallel()
				fit, changed := schema.For(dialects[i], wire.JSON(test.parameters))
				require.Equal(t, want != same, changed)
				switch want {
				case same:
					require.Equal(t, test.parameters, string(fit))
				case "":
					require.Nil(t, fit)
				default:
					require.JSONEq(t, want, string(fit))
					require.Equal(t, strings.Contains(test.parameters, "1.50"), strings.Contains(string(fit), "1.50"))
				}
			})
		}
	}
}

// A short schema can lead to any number of schemas.
func TestReferencesThatDoubleEnd(t *testing.T) {
	t.Parallel()
	all := `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"allOf":[{"$ref":"#"},{"$ref":"#/$defs/d0"}],"$defs":{`
	for i := range 60 {
		all += fmt.Sprintf(`"d%d":{"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	all += `"d60":{"type":"string"}}}`
	for _, dialect := range dialects {
		fit, changed := schema.For(dialect, wire.JSON(all))
		require.True(t, changed)
		require.Less(t, len(fit), 200_000)
		require.Empty(t, refused(dialect, fit))
	}
}

// FuzzFor finds no schema that a provider refuses.
func FuzzFor(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","properties":{"a":{"type":"array"},"b":{"$ref":"#"}},"anyOf":[{"$ref":"#/$defs/x"},{"required":["a"]}],"$defs":{"x":{"type":["object","null"]}}}`,
		`{"type":"object","allOf":[{"allOf":[{"oneOf":[{"properties":{"a":{"const":1}}},{"properties":{"a":{"enum":[2]}}}]}]}],"items":[true,{}]}`,
		`{"type":"object","properties":{"a":{"oneOf":[{"type":"null"}]},"b":{"prefixItems":[{}],"items":false},"c":{"type":"object","additionalProperties":{"type":"array"}}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, parameters string) {
		root, err := jsonschema.UnmarshalJSON(strings.NewReader(parameters))
		compiler := jsonschema.NewCompiler()
		if err != nil || compiler.AddResource("a:", root) != nil {
			return
		}
		if _, err := compiler.Compile("a:"); err != nil {
			return
		}
		if object, _ := root.(map[string]any); object["type"] != "object" {
			return
		}
		for _, dialect := range dialects {
			fit, _ := schema.For(dialect, wire.JSON(parameters))
			if why := refused(dialect, fit); why != "" {
				t.Fatalf("%s: %s: %s: %s", dialect, parameters, fit, why)
			}
		}
	})
}

// refused says why a provider refuses a schema, empty for nothing. The rules are those of the messages of their errors.
func refused(dialect schema.Dialect, fit wire.JSON) string {
	if fit == nil && dialect == schema.Gemini {
		return ""
	}
	var root map[string]any
	if json.Unmarshal(fit, &root) != nil || root["type"] != "object" {
		return "want an object"
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "not", "enum", "$ref"} {
		if _, has := root[keyword]; has {
			return "there is " + keyword + " at the root"
		}
	}
	if dialect == schema.Gemini {
		return refusedByGemini(root)
	}
	if _, has := root["properties"].(map[string]any); !has {
		return "object schema missing properties"
	}
	return withoutItems(root["properties"])
}

func withoutItems(properties any) string {
	all, _ := properties.(map[string]any)
	for name, one := range all {
		s, ok := one.(map[string]any)
		if !ok {
			return name + " is not a schema"
		}
		if _, has := s["items"].(map[string]any); s["type"] == "array" && !has {
			return name + ": array schema missing items"
		}
		if why := withoutItems(s["properties"]); why != "" {
			return why
		}
	}
	return ""
}

func refusedByGemini(s map[string]any) string {
	known := []string{
		"type", "format", "description", "nullable", "enum", "minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength",
		"pattern", "anyOf", "items", "minimum", "maximum", "properties", "required",
	}
	for keyword := range s {
		if !slices.Contains(known, keyword) {
			return "unknown name " + keyword
		}
	}
	if all, has := s["anyOf"].([]any); has {
		if len(s) > 1 {
			return "any_of must be the only field"
		}
		for _, one := range all {
			if why := refusedByGemini(one.(map[string]any)); why != "" {
				return why
			}
		}
		return ""
	}
	if _, isOne := s["type"].(string); !isOne {
		return "type is missing"
	}
	if s["type"] == "object" {
		properties, _ := s["properties"].(map[string]any)
		if len(properties) == 0 {
			return "properties: should be non-empty for OBJECT type"
		}
		for _, one := range properties {
			if why := refusedByGemini(one.(map[string]any)); why != "" {
				return why
			}
		}
	}
	if s["type"] == "array" {
		items, has := s["items"].(map[string]any)
		if !has {
			return "items: missing field"
		}
		return refusedByGemini(items)
	}
	return ""
}
