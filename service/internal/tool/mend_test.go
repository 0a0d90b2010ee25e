package tool_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/tool"
)

const mendable = `{"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}, "yes": {"type": "boolean"},
	"tags": {"type": "array", "items": {"type": "number"}}, "at": {"type": "object",
		"properties": {"x": {"type": "number"}, "note": {"type": ["string", "null"]}}},
	"either": {"type": ["string", "integer"]}}, "required": ["q"], "additionalProperties": false}`

func TestArgumentsThatHaveOneMeaningAreMended(t *testing.T) {
	t.Parallel()
	one := newTool(t, mendable)
	for _, test := range []struct{ name, arguments, want string }{
		{"null for an optional member", `{"q":"a","n":null}`, `{"q":"a"}`},
		{"null for an optional member further in", `{"q":"a","at":{"x":null,"note":null}}`, `{"q":"a","at":{"note":null}}`},
		{"a number as text", `{"q":"a","n":"5"}`, `{"q":"a","n":5}`},
		{"a long number as text", `{"q":"a","tags":["12.50","3"]}`, `{"q":"a","tags":[12.50,3]}`},
		{"a boolean as text", `{"q":"a","yes":"true"}`, `{"q":"a","yes":true}`},
		{"a list as text", `{"q":"a","tags":"[1, 2]"}`, `{"q":"a","tags":[1,2]}`},
		{"an object as text, with a number as text", `{"q":"a","at":"{\"x\": \"1\"}"}`, `{"q":"a","at":{"x":1}}`},
		{"the object as text", `"{\"q\": \"a\"}"`, `{"q": "a"}`},
		{"a text in a text", `"\"{\\\"q\\\": \\\"a\\\"}\""`, `{"q": "a"}`},
		{"a fence", "```json\n{\"q\": \"a\"}\n```", `{"q": "a"}`},
		{"a tag behind", `{"q": "a"}</tool_call>`, `{"q": "a"}`},
		{"tags around", "<tool_call>\n{\"q\": \"a\"}\n</tool_call><|im_end|>", `{"q": "a"}`},
		{"an empty object before", `{}{"q": "a"}`, `{"q": "a"}`},
		{"twice", `{"q": "a"}{"q": "a"}`, `{"q": "a"}`},
		{"signs of HTML stay", `{"q":"<b> & co","n":null}`, `{"q":"<b> & co"}`},
	} {
		fit, err := one.Mend(test.arguments)
		require.NoError(t, err, test.name)
		require.JSONEq(t, test.want, fit, test.name)
		require.NoError(t, one.Check(fit), test.name)
	}
}

func TestWhatChangesTheMeaningIsNotMended(t *testing.T) {
	t.Parallel()
	one := newTool(t, mendable)
	for _, arguments := range []string{
		`{"q": "a"}`, `{"q":"5"}`, `{"q":"a","either":"5"}`, // they fit
		`{"q":null}`, `{"n":5}`, `{"q":5}`, `{"q":"a","n":"five"}`, `{"q":"a","n":"5.5"}`, `{"q":"a","n":" 5 apples"}`, `{"q":"a","yes":"yes"}`, `{"q":"a","yes":1}`,
		`{"q":"a","tags":"1, 2"}`, `{"q":"a","tags":1}`, `{"q":"a","extra":null}`, `{"q": "a"}{"q": "b"}`, `{"q": "a"}{"q": "a"`,
		`{"q": "a"} and more`, `Call it with {"q": "a"}`,
		`{"q":"a","q":"b","n":null}`, `{"q": "a"`, `["a"]`, `{"q":"a","at":"{\"x\":1,\"x\":2}"}`, "", "null",
	} {
		fit, err := one.Mend(arguments)
		require.Equal(t, arguments, fit)
		require.Equal(t, one.Check(arguments), err)
	}
}

func TestNothingIsNoArguments(t *testing.T) {
	t.Parallel()
	one := newTool(t, `{"type": "object"}`)
	for _, arguments := range []string{"", " ", "null", `"{}"`, "``````"} {
		fit, _ := one.Mend(arguments)
		require.Contains(t, []string{"{}", arguments}, fit)
	}
	fit, err := one.Mend("null")
	require.NoError(t, err)
	require.Equal(t, "{}", fit)
}

// What is mended fits, and mending it again changes nothing.
func FuzzMend(f *testing.F) {
	for _, seed := range []string{`{"q":"a","n":"5"}`, `"{\"q\": \"a\"}"`, "```json\n{\"q\":\"a\",\"n\":null}\n```", `{}{"q":"a"}</tool_call>`} {
		f.Add(seed)
	}
	one := newTool(f, mendable)
	f.Fuzz(func(t *testing.T, arguments string) {
		mended, err := one.Mend(arguments)
		require.Equal(t, one.Check(mended), err)
		if mended != arguments {
			require.NoError(t, one.Check(mended))
			require.Error(t, one.Check(arguments))
		}
		again, _ := one.Mend(mended)
		require.Equal(t, mended, again)
	})
}

func TestNamesAreReadWithoutWhatModelsAdd(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"look": "look", "functions.look": "look", "tools.look": "look", "default_api:look": "look", "look<|channel|>commentary": "look", " look\n": "look",
		"functions.look:0": "look", "look()": "look", "server_look": "server_look", "": "",
	} {
		require.Equal(t, want, tool.PlainName(name), name)
	}
}
