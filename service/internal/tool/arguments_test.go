package tool_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// newTool makes a tool with this schema, to check arguments with.
func newTool(t testing.TB, schema string) *tool.Tool {
	t.Helper()
	made, err := tool.New(tool.Definition{Kind: wire.ToolHTTP, Name: "refund", Description: "Pays money back.", Parameters: wire.JSON(schema)}, nil)
	require.NoError(t, err)
	return made
}

// refusal requires a fault.Error about a field, and returns its message.
func refusal(t testing.TB, err error, field string) string {
	t.Helper()
	var told *fault.Error
	require.ErrorAs(t, err, &told)
	require.Equal(t, wire.CodeValidation, told.Code)
	require.Equal(t, []string{field}, told.Fields)
	require.True(t, utf8.ValidString(told.Message))
	require.Less(t, utf8.RuneCountInString(told.Message), 1200)
	return told.Message
}

func TestArgumentsMeanTheSameToEveryReader(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	for _, test := range []struct{ name, arguments, want string }{
		{"an object", `{"a": 1}`, ""},
		{"an empty one", `{}`, ""},
		{"space around it", " {\"a\":\t1}\r\n", ""},
		{"all kinds of values", `{"a":[null,true,false,"x",-0.5e-3,{"b":[]}],"c":""}`, ""},
		{"nothing", "", "not JSON"},
		{"an array", `[1]`, "one JSON object"},
		{"a string", `"{}"`, "one JSON object"},
		{"null", `null`, "one JSON object"},
		{"two objects", `{}{}`, "not JSON"},
		{"text after it", `{} and so on`, "not JSON"},
		{"a comment", `{"a":1} // b`, "not JSON"},
		{"a trailing comma", `{"a":1,}`, "not JSON: invalid character '}'"},
		{"a name without quotes", `{a:1}`, "not JSON"},
		{"NaN", `{"a":NaN}`, "not JSON"},
		{"a leading zero", `{"a":01}`, "not JSON"},
		{"a byte-order mark", "\ufeff{}", "not JSON"},
		{"a raw control character", "{\"a\":\"\n\"}", "not JSON"},
		{"a name twice", `{"a":1,"a":1}`, "at /a: the name occurs twice"},
		{"a name twice, once with an escape", `{"a":1,"\u0061":2}`, "at /a: the name occurs twice"},
		{"a name twice, deep", `{"x":[0,{"a~/b":{"c":1,"d":2,"c":3}}]}`, "at /x/1/a~0~1b/c: the name occurs twice"},
		{"one name in two objects", `{"a":{"a":1},"b":{"a":1}}`, ""},
		{"a value that is a name", `{"a":"b","b":"a"}`, ""},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "not UTF-8"},
		{"a surrogate in UTF-8", "{\"a\":\"\xed\xa0\x80\"}", "not UTF-8"},
		{"a lone high surrogate", `{"a":"\ud83d"}`, `lone surrogate (\ud83d)`},
		{"a lone low surrogate", `{"a":"\uDE00x"}`, `lone surrogate (\ude00)`},
		{"surrogates the wrong way round", `{"a":"\ude00\ud83d"}`, "lone surrogate"},
		{"a high one before another escape", `{"a":"\ud83d\n"}`, "lone surrogate"},
		{"a high one before a character", `{"a":"\ud83d\u0041"}`, "lone surrogate"},
		{"a high one twice", `{"a":"\ud83d\ud83d\ude00"}`, "lone surrogate"},
		{"a lone one in a name", `{"\ud83d":1}`, "lone surrogate"},
		{"a pair", `{"a":"\ud83d\ude00\ud83d\ude00"}`, ""},
		{"what looks like a surrogate", `{"a":"\\ud83d"}`, ""},
		{"an escaped backslash before one", `{"a":"\\\ud83d"}`, "lone surrogate"},
		{"U+0000", `{"a":"x\u0000"}`, "U+0000"},
		{"U+0000 in a name", `{"\u0000":1}`, "U+0000"},
		{"what looks like U+0000", `{"a":"\\u0000"}`, ""},
		{"the largest whole numbers", `{"a":[9007199254740991,-9007199254740991]}`, ""},
		{"one more", `{"a":9007199254740992}`, "at /a: the whole number 9007199254740992 is beyond ±9007199254740991"},
		{"one less", `{"a":[0,-9007199254740992]}`, "at /a/1: the whole number -9007199254740992 is beyond"},
		{"one that a double rounds down", `{"a":9007199254740993}`, "beyond"},
		{"a very long whole number", `{"a":` + strings.Repeat("9", 400) + `}`, "too large"},
		{"15 digits", `{"a":[0.123456789012345,1234567.89012345,-1.23456789012345e-200,123456789012345e20]}`, ""},
		{"16 digits", `{"a":0.1234567890123456}`, "more than 15 significant digits"},
		{"16 digits with an exponent", `{"a":1.234567890123456e5}`, "more than 15 significant digits"},
		{"16 digits of a whole value", `{"a":9007199254740993.0}`, "more than 15 significant digits"},
		{"zeros are not significant", `{"a":[0.000000000000000000012,1.50000000000000000000,0.0,-0,0e5,100000000000000000000e1]}`, ""},
		{"infinite", `{"a":1e999}`, "too large"},
		{"infinite below", `{"a":-1e309}`, "too large"},
		{"the largest double", `{"a":1.79769313486231e308}`, ""},
		{"what a double rounds to 0", `{"a":1e-400}`, "too small"},
		{"what a double holds only some digits of", `{"a":1.23456789012345e-320}`, "too small"},
		{"a huge exponent", `{"a":1e99999999999999999999}`, "too large"},
		{"64 levels", `{"a":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`, ""},
		{"65 levels", `{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, "deeper than 64 levels"},
		{"levels that are not closed", strings.Repeat(`{"a":`, 12_000), "not JSON"},
		{"64 KiB", `{"a":"` + strings.Repeat("x", 64<<10-8) + `"}`, ""},
		{"one byte more", `{"a":"` + strings.Repeat("x", 64<<10-7) + `"}`, "65537 bytes, want at most 65536"},
		{"a long name twice", `{"` + long + `":1,"` + long + `":1}`, "at /" + long[:10]},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := newTool(t, `{"type":"object"}`).Check(test.arguments)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			told := refusal(t, err, "arguments")
			require.Contains(t, told, test.want)
			require.Contains(t, told, "refund")
			require.Less(t, len(told), 300, "no long values")
		})
	}
}

func TestArgumentsFitTheSchema(t *testing.T) {
	t.Parallel()
	schema := `{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false, "required": ["order", "amount"],
		"properties": {
			"order": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"}, "amount": {"type": "number", "exclusiveMinimum": 0, "maximum": 500, "multipleOf": 0.01},
			"currency": {"enum": ["EUR", "USD"]}, "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}, "maxItems": 2, "uniqueItems": true},
			"note": {"type": "string", "maxLength": 5}
		},
		"$defs": {"line": {"type": "object", "properties": {"sku": {"type": "integer"}}, "required": ["sku"]}}
	}`
	secret := strings.Repeat("hunter2", 30)
	for _, test := range []struct{ name, arguments, want string }{
		{"all of it", `{"order":"AB-12","amount":0.07,"currency":"EUR","lines":[{"sku":1},{"sku":2.0}],"note":"😀😀😀😀😀"}`, ""},
		{"what is needed", `{"order":"AB-12","amount":500}`, ""},
		{"something missing", `{"order":"AB-12"}`, "missing property 'amount'"},
		{"another type", `{"order":"AB-12","amount":"5"}`, "at /amount: got string, want number"},
		{"a pattern", `{"order":"` + secret + `","amount":5}`, `at /order: it does not match the pattern ^[A-Z]{2}-[0-9]+$`},
		{"beyond the maximum", `{"order":"AB-1","amount":500.01}`, "at /amount: maximum: got 500.01, want 500"},
		{"between the steps", `{"order":"AB-1","amount":0.071}`, "at /amount: multipleOf"},
		{"none of the values", `{"order":"AB-1","amount":1,"currency":"` + secret + `"}`, "at /currency: value must be one of 'EUR', 'USD'"},
		{"an unknown name", `{"order":"AB-1","amount":1,"ammount":2,"aa":3}`, "unknown names: aa, ammount"},
		{"deep", `{"order":"AB-1","amount":1,"lines":[{"sku":1},{"sku":1.5}]}`, "at /lines/1/sku: got number, want integer"},
		{"the same twice", `{"order":"AB-1","amount":1,"lines":[{"sku":1},{"sku":1}]}`, "at /lines: items at 0 and 1 are equal"},
		{"too long", `{"order":"AB-1","amount":1,"note":"` + secret + `"}`, "at /note: maxLength: got 210, want 5"},
		{"many faults at once", `{"order":1,"amount":"x","currency":1,"lines":1,"note":1}`, "; and more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checked := newTool(t, schema)
			err := checked.Check(test.arguments)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			told := refusal(t, err, "arguments")
			require.Contains(t, told, test.want)
			require.NotContains(t, told, "hunter2")
			for range 20 {
				require.Equal(t, told, refusal(t, checked.Check(test.arguments), "arguments"), "it is the same each time")
			}
		})
	}
}
