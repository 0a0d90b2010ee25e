package tool_test

import (
	"strings"
	"testing"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// FuzzLooser finds no schema that is stricter without its patterns over the bounds, which L stands for.
func FuzzLooser(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"a":{"not":{"pattern":"L"}}}}`, `{"a":"x"}`},
		{`{"type":"object","patternProperties":{"L":{"not":{"$ref":"#/$defs/a"}}},"$defs":{"a":{"pattern":"L"}}}`, `{"L":"x"}`},
		{`{"type":"object","oneOf":[{"propertyNames":{"pattern":"L"}},{"minProperties":9}],"unevaluatedProperties":false}`, `{}`},
		{`{"type":"object","if":{"properties":{"a":{"pattern":"L"}}},"then":{"properties":{"a":true}},"else":{"maxProperties":0}}`, `{"a":"x"}`},
		{`{"type":"object","dependentSchemas":{"a":{"properties":{"b":{"contains":{"pattern":"L"},"minContains":0,"maxContains":0}}}}}`, `{"a":1,"b":["x"]}`},
	} {
		f.Add(seed[0], seed[1])
	}
	long := "^L?$|" + strings.Repeat("x", 1100)
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		schema, arguments = strings.ReplaceAll(schema, "L", long), strings.ReplaceAll(arguments, "L", long)
		strict, err := tool.New(define(wire.ToolPage, schema), nil)
		if err != nil || strict.Check(arguments) != nil {
			return
		}
		var set *tool.Set
		all, err := set.Offer(nil, wire.JSON(`{"a":{"description":"x","parameters":`+schema+`}}`))
		if err != nil {
			return // a pattern stands where no keyword is known
		}
		if err := all[0].Check(arguments); err != nil {
			t.Fatalf("%s: %s: %v", schema, arguments, err)
		}
	})
}
