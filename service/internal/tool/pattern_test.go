package tool_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// patternsOver are patterns of which more would be built than anybody sends.
var patternsOver = map[string]string{
	"kinds between nothings":     strings.Repeat(`\pL|`, 12_000) + "a",
	"kinds one after another":    strings.Repeat(`(\pL|)`, 9_000),
	"kinds in a class":           `[` + strings.Repeat(`\pL`, 16_000) + `]`,
	"kinds with long names":      strings.Repeat(`\p{Greek}`, 9),
	"kinds in few bytes":         strings.Repeat(`\PL`, 300),
	"a long text":                strings.Repeat("x", 1025),
	"many ranges":                `[` + strings.Repeat("a-b", 300) + `]`,
	"ranges of folded letters":   `(?i)` + strings.Repeat(`[\x{100}-\x{10FFF0}]`, 40),
	"folded within":              strings.Repeat(`(?s-m:(?Ui:[À-ￜ]))`, 20),
	"repetitions":                `((x{100}){100}){100}`,
	"a repetition":               `x{1001}`,
	"a kind that is repeated":    `(\pL{100}){5}`,
	"a lookahead":                `^(?!\.)(?!.*\.\.)[a-z]+@[a-z.]+$`, // as zod writes e-mail addresses
	"a kind of Unicode":          `^\p{Extended_Pictographic}+$`,
	"a character of JavaScript":  `^\u00e9+$`,
	"a name of a group":          `(?<year>[0-9]+)-\k<year>`,
	"nothing that anybody knows": `[`,
}

func patterned(pattern string) string {
	text, _ := json.Marshal(pattern)
	return fmt.Sprintf(`{"description":"x","parameters":{"type":"object","properties":{"a":{"type":"string","pattern":%s},"b":{"type":"integer"}}}}`, text)
}

// allocated is how many bytes of memory do takes from the heap, the next moment's garbage included.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// The memory is a measure of the work that does not depend on other work of the machine. Nothing runs
// beside this test.
func TestPatternsOverTheBoundsCostNothingAndAreNotChecked(t *testing.T) {
	for name, pattern := range patternsOver {
		t.Run(name, func(t *testing.T) {
			log := &logs{}
			shelf := tool.NewShelf(slog.New(slog.NewTextHandler(log, nil)))
			var made *tool.Tool
			cost := allocated(func() { made = pageTool(t, shelf, patterned(pattern)) })
			require.Less(t, cost, uint64(8<<20))
			require.NoError(t, made.Check(`{"a":"!","b":1}`), "the pattern is not checked")
			require.Contains(t, refusal(t, made.Check(`{"a":"!","b":"1"}`), "arguments"), "at /b", "everything else is")
			require.JSONEq(t, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`, string(made.Schema()), "no model gets it")
			require.Contains(t, string(made.Parameters), `"pattern":`, "it is a part of the definition")
			pageTool(t, shelf, patterned(pattern))
			require.Equal(t, 1, strings.Count(log.String(), "a pattern of a page's tool is not checked"), log)
			require.Regexp(t, "of at most|RE2 does not know it", log.String(), "it says which bound, and how far")
		})
	}
}

func TestPatternsWithinTheBoundsAreChecked(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		`^[A-Z]{2}-[0-9]{4}$`, `^(?i)[a-zäöüß-]+$`, `^\p{Lu}[\p{L}\p{M}' -]{0,30}$`, `^[[:alpha:]]+$`, `^x{1000}$`, `^` + strings.Repeat("x", 1000) + `$`, `^[^\]\\-]+\x41$`,
	} {
		log := &logs{}
		made := pageTool(t, tool.NewShelf(slog.New(slog.NewTextHandler(log, nil))), patterned(pattern))
		require.Contains(t, refusal(t, made.Check(`{"a":"!"}`), "arguments"), "at /a", pattern)
		require.Empty(t, log.String())
	}
}

func TestPatternsBeyondTheBoundOfASchemaAreNotChecked(t *testing.T) {
	t.Parallel()
	log := &logs{}
	made := pageTool(t, tool.NewShelf(slog.New(slog.NewTextHandler(log, nil))),
		`{"description":"x","parameters":{"type":"object","additionalProperties":{"allOf":[`+strings.Join(differing(30), ",")+`]}}}`)
	require.Contains(t, log.String(), "too many steps with the patterns before it")
	require.Equal(t, 5, strings.Count(string(made.Schema()), "pattern"), "the first ones stay")
	require.Error(t, made.Check(`{"a":"!"}`))
}

// differing are n schemas with patterns of 900 steps.
func differing(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf(`{"pattern":"x{900}%d"}`, i))
	}
	return all
}

// What is left out never makes a schema stricter: what fits the whole schema fits what is checked.
func TestASchemaWithoutItsPatternIsNeverStricter(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1100) + "|^yes$"
	for _, test := range []struct{ name, schema, fits, misfits string }{
		{"not", `"properties":{"a":{"not":{"pattern":"LONG"}},"b":{"type":"null"}}`, `{"a":"no"}`, `{"b":1}`},
		{"not what is referred to", `"properties":{"a":{"not":{"$ref":"#/$defs/p"}}},"$defs":{"p":{"pattern":"LONG"}},"required":["a"]`, `{"a":"no"}`, `{}`},
		{"if", `"properties":{"a":{"if":{"pattern":"LONG"},"then":{"maxLength":3},"else":{"minLength":4}}},"maxProperties":1`, `{"a":"longer"}`, `{"a":"","b":""}`},
		{"one of two", `"properties":{"a":{"oneOf":[{"pattern":"LONG"},{"pattern":"^n"}]}},"maxProperties":1`, `{"a":"no"}`, `{"a":"","b":""}`},
		{"one of two beside any", `"properties":{"a":{"oneOf":[{"pattern":"LONG"},{"pattern":"^n"}],"anyOf":[{"type":"string"}]}}`, `{"a":"no"}`, `{"a":1}`},
		{"at most so many", `"properties":{"a":{"contains":{"pattern":"LONG"},"maxContains":1,"maxItems":3}}`, `{"a":["yes","n","n"]}`, `{"a":[1,2,3,4]}`},
		{"names", `"patternProperties":{"LONG":{"type":"integer"},"^z":{"type":"null"}},"additionalProperties":false`, `{"yes":1}`, `{"z":1}`},
		{"names that nothing else has looked at", `"allOf":[{"patternProperties":{"LONG":{}}}],"unevaluatedProperties":false,"maxProperties":1`, `{"yes":1}`, `{"yes":1,"b":2}`},
		{"the names of names", `"propertyNames":{"pattern":"LONG"},"maxProperties":1`, `{"yes":1}`, `{"yes":1,"b":2}`},
		{"a value that looks like a schema", `"properties":{"a":{"const":{"pattern":"LONG"}}}`, `{"a":{"pattern":"LONG"}}`, `{"a":{}}`},
		{"names that look like keywords", `"properties":{"const":{"pattern":"LONG"},"pattern":{"type":"null"}}`, `{"const":"yes"}`, `{"pattern":"a"}`},
		{"under a keyword that nobody knows", `"properties":{"a":{"$ref":"#/x/y"},"b":{"type":"null"}},"x":{"y":{"pattern":"LONG"}}`, `{"a":"yes"}`, `{"b":1}`},
		{"deep", `"properties":{"a":{"items":{"properties":{"c":{"allOf":[{"pattern":"LONG"}]}}}},"b":{"type":"null"}}`, `{"a":[{"c":"yes"}]}`, `{"b":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			whole := func(text string) string { return strings.ReplaceAll(text, "LONG", long) }
			schema := whole(`{"type":"object",` + test.schema + `}`)
			strict := newTool(t, schema)
			require.NoError(t, strict.Check(whole(test.fits)), "the operator's patterns have no such bounds")
			require.Error(t, strict.Check(whole(test.misfits)))
			made := pageTool(t, nil, `{"description":"x","parameters":`+schema+`}`)
			require.NoError(t, made.Check(whole(test.fits)))
			require.Error(t, made.Check(whole(test.misfits)))
		})
	}
}

func TestAPagesToolIsCompiledOnce(t *testing.T) {
	wide := `{"description":"x","parameters":{"type":"object","allOf":[{}` + strings.Repeat(`,{}`, 3000) + `]}}`
	shelf := tool.NewShelf(slog.New(slog.DiscardHandler))
	first := allocated(func() { pageTool(t, shelf, wide) })
	again := allocated(func() { pageTool(t, shelf, wide) })
	require.Less(t, again, first/4)

	for i := range 100 { // other tools take its place
		pageTool(t, shelf, fmt.Sprintf(`{"description":"%d","parameters":{"type":"object","title":%q}}`, i, strings.Repeat("x", 9<<10)))
	}
	require.Greater(t, allocated(func() { pageTool(t, shelf, wide) }), 2*again, "what is kept is bounded")
}

// A claim brings a definition whose digest is compared, and nothing is compiled for it.
func TestTheDigestOfAClaimCostsNoSchema(t *testing.T) {
	wide := `{"description":"x","parameters":{"type":"object","allOf":[{}` + strings.Repeat(`,{}`, 3000) + `]}}`
	made := allocated(func() { pageTool(t, nil, wide) })
	require.Less(t, allocated(func() {
		_, err := tool.PageDigest("greet", wire.JSON(wide))
		require.NoError(t, err)
	}), made/8)
}

// An argument may have to be a pattern, which somebody else writes.
func TestArgumentsThatArePatterns(t *testing.T) {
	made, err := tool.New(define(wire.ToolMCP, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"format":"regex"}}}`), nil)
	require.NoError(t, err)
	require.NoError(t, made.Check(`{"a":"^a+$"}`))
	require.Contains(t, refusal(t, made.Check(`{"a":"("}`), "arguments"), "not a regular expression")
	for range 20 {
		require.NoError(t, made.Check(`{"a":"x{1000}"}`), "checks add nothing up")
	}
	text, _ := json.Marshal(map[string]string{"a": strings.Repeat(`(\pL|)`, 9_000)})
	require.Less(t, allocated(func() { require.NoError(t, made.Check(string(text))) }), uint64(8<<20))
}
