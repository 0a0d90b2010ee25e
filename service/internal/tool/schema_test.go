package tool_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

func define(kind, schema string) tool.Definition {
	return tool.Definition{Kind: kind, Name: "refund", Description: "Pays money back.", Parameters: wire.JSON(schema)}
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, schema, want string }{
		{"the least", `{"type":"object"}`, ""},
		{"with its draft", `{"$schema":"https://json-schema.org/draft/2020-12/schema#","type":"object"}`, ""},
		{"with an id", `{"$id":"https://example.com/a.json","type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"string"}}}`, ""},
		{"a recursion", `{"type":"object","properties":{"left":{"$ref":"#"},"right":{"$ref":"#"}}}`, ""},
		{"an anchor", `{"type":"object","properties":{"a":{"$ref":"#here"}},"$defs":{"x":{"$anchor":"here"}}}`, ""},
		{"large numbers", `{"type":"object","properties":{"a":{"maximum":9223372036854775807}}}`, ""},
		{"properties with the names of keywords", `{"type":"object","properties":{"$ref":{"type":"string"},"$schema":{"type":"string"}}}`, ""},
		{"nothing", ``, `parameters: missing; want a JSON Schema such as {"type": "object"}`},
		{"not JSON", `{"type":`, "not JSON"},
		{"not a schema", `{"type":"object","properties":[]}`, "at /properties: got array, want object"},
		{"true", `true`, `want a JSON Schema with "type": "object"`},
		{"no type", `{"properties":{}}`, `want a JSON Schema with "type": "object"`},
		{"a list of types", `{"type":["object"]}`, `want a JSON Schema with "type": "object"`},
		{"another type", `{"type":"array"}`, `want a JSON Schema with "type": "object"`},
		{"an unknown type within", `{"type":"object","properties":{"a":{"type":"text"}}}`, "at /properties/a/type"},
		{"a name twice", `{"type":"object","type":"object"}`, "at /type: the name occurs twice"},
		{"another draft", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`, "$schema is not supported"},
		{"an unknown draft", `{"$schema":"https://example.com/schema","type":"object"}`, "$schema is not supported"},
		{"a remote reference", `{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json"}}}`, "$ref leads out"},
		{"a reference to a file", `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "$ref leads out"},
		{"a relative reference", `{"type":"object","properties":{"a":{"$ref":"other.json"}}}`, "$ref leads out"},
		{"a reference to nothing", `{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}}`, "not a JSON Schema: "},
		{"a draft within", `{"type":"object","properties":{"a":{"$id":"https://example.com/b","$schema":"https://example.com/schema"}}}`, "not a JSON Schema: "},
		{"a dynamic reference", `{"type":"object","properties":{"a":{"$dynamicRef":"#a"}}}`, "$dynamicRef is not supported"},
		{"a pattern that only ECMAScript accepts", `{"type":"object","properties":{"a":{"pattern":"^(?=x)"}}}`, "at /properties/a/pattern: it is not a regular expression that RE2 accepts"},
		{"an invalid pattern for names", `{"type":"object","patternProperties":{"(":{}}}`, "it is not a regular expression that RE2 accepts"},
		{"a pattern that is repeated a million times", `{"type":"object","properties":{"a":{"pattern":"((x{100}){100}){100}"}}}`, "too many repetitions"},
		{"many patterns", `{"type":"object","allOf":[` + strings.Repeat(`{"pattern":"x{1000}"},`, 40) + `{}]}`, "has too many repetitions"},
		{"a number beyond a double", `{"type":"object","properties":{"a":{"minimum":1e999999999}}}`, "too large"},
		{"a number that takes a gigabyte", `{"type":"object","properties":{"a":{"multipleOf":1e-999999999}}}`, "too small"},
		{"too deep", `{"type":"object","not":` + strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat("}", 70) + `}`, "deeper than 64 levels"},
		{"too many values", `{"type":"object","enum":[` + strings.Repeat("1,", 5000) + `1]}`, "more than 4000 values"},
		{"too long", `{"type":"object","description":"` + strings.Repeat("x", 64<<10) + `"}`, "want at most 65536"},
		{"invalid UTF-8", "{\"type\":\"object\",\"title\":\"\xff\"}", "not UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			made, err := tool.New(define(wire.ToolPage, test.schema), nil)
			if test.want == "" {
				require.NoError(t, err)
				require.NoError(t, made.Check(`{}`))
				return
			}
			told := refusal(t, err, "parameters")
			require.Contains(t, told, `tool "refund": parameters: `)
			require.Contains(t, told, test.want)
		})
	}
}

// An operator cannot change the schemas of MCP servers.
func TestSchemasOfServersMayNameAnOlderDraft(t *testing.T) {
	t.Parallel()
	for _, draft := range []string{"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"} {
		schema := `{"$schema":"` + draft + `","type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}],"additionalItems":false}}}`
		made, err := tool.New(define(wire.ToolMCP, schema), nil)
		require.NoError(t, err)
		require.NoError(t, made.Check(`{"a":["x"]}`))
		require.Contains(t, refusal(t, made.Check(`{"a":["x",1]}`), "arguments"), "/a")
	}
	_, err := tool.New(define(wire.ToolMCP, `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`), nil)
	require.Contains(t, refusal(t, err, "parameters"), "$schema is not supported")
}

func TestParametersAreKeptAsTheyAre(t *testing.T) {
	t.Parallel()
	made, err := tool.New(define(wire.ToolPage, "{ \"type\" : \"object\",\n\t\"b\": 1.0, \"a\": \"\\u00e9 <\" }"), nil)
	require.NoError(t, err)
	require.Equal(t, `{"type":"object","b":1.0,"a":"\u00e9 <"}`, string(made.Parameters))
}

func TestExpensiveChecksAreNotBegun(t *testing.T) {
	t.Parallel()
	doubling := `{"type":"object","$ref":"#/$defs/d0","$defs":{`
	for i := range 60 {
		doubling += fmt.Sprintf(`"d%d":{"not":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}},`, i, i+1, i+1)
	}
	doubling += `"d60":{"type":"string"}}}`
	for _, test := range []struct{ name, schema, arguments string }{
		{"an endless reference", `{"type":"object","allOf":[{"$ref":"#"}]}`, `{}`},
		{"ways that double at each reference", doubling, `{}`},
		{"ways that double at each level", `{"type":"object","additionalProperties":{"$ref":"#/$defs/a"},` +
			`"$defs":{"a":{"allOf":[{"items":{"$ref":"#/$defs/a"}},{"items":{"$ref":"#/$defs/a"}}]}}}`,
			`{"a":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}`},
		{"long texts against long patterns", `{"type":"object","additionalProperties":{"allOf":[` + strings.Repeat(`{"pattern":"(x+x+){20}y"},`, 50) + `{}]}}`,
			`{"a":"` + strings.Repeat("x", 60_000) + `"}`},
		{"long names against long patterns", `{"type":"object","patternProperties":{"(x+x+){500}y":{}}}`, `{"` + strings.Repeat("x", 60_000) + `":1}`},
		{"large values against large ones", `{"type":"object","additionalProperties":{"enum":[` + strings.Repeat(`[1,2,3,4,5,6,7,8,9],`, 300) + `0]}}`,
			`{"a":[` + strings.Repeat("1,", 20_000) + `1]}`},
		{"many names that are missing", `{"type":"object","additionalProperties":{"items":{"required":["` + strings.Join(manyNames(3000), `","`) + `"]}}}`,
			`{"a":[` + strings.Repeat("{},", 20_000) + `{}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			made := newTool(t, test.schema)
			ended := make(chan error, 1)
			go func() { ended <- made.Check(test.arguments) }()
			select {
			case err := <-ended:
				require.Contains(t, refusal(t, err, "arguments"), "takes too long")
			case <-time.After(time.Minute):
				t.Fatal("it takes more than a minute")
			}
		})
	}
}

func manyNames(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint("n", i)
	}
	return all
}

// Schemas that people write are far below the limit.
func TestLargeArgumentsOfACommonSchemaAreChecked(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","required":["id","name"],"additionalProperties":false,
		"properties":{"id":{"type":"integer","minimum":1},"name":{"type":"string","pattern":"^[a-z ]+$","maxLength":80},"kind":{"enum":["a","b","c"]}}}}}}`
	rows := strings.Repeat(`{"id":12,"name":"somebody or other","kind":"c"},`, 1300)
	require.NoError(t, newTool(t, schema).Check(`{"rows":[`+strings.TrimSuffix(rows, ",")+`]}`))
}

// FuzzNew finds no schema that ends the process.
func FuzzNew(f *testing.F) {
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#/type"}}}`, `{"type":"object","$defs":{"a":{"$anchor":"a"}},"$ref":"#a"}`, `{"type":"object","$id":"%zz"}`,
		`{"type":"object","patternProperties":{"^a":{"not":{}}},"dependentSchemas":{"a":false},"if":{},"then":{"const":1}}`, `{"type":"object","$vocabulary":{"x":true}}`,
		`{"type":"object","enum":[1,"a",{}],"propertyNames":{"pattern":"a{2,5}"},"minProperties":1e2,"unevaluatedProperties":{"type":"null"}}`,
	} {
		f.Add(schema, `{"a":1,"b":[{}]}`)
	}
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		made, err := tool.New(define(wire.ToolMCP, schema), nil)
		if err != nil {
			refusal(t, err, "parameters")
			return
		}
		if err := made.Check(arguments); err != nil {
			refusal(t, err, "arguments")
		}
	})
}
