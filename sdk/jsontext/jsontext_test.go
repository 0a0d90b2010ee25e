package jsontext_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
)

func parse(t *testing.T, text string) jsontext.Value {
	t.Helper()
	v, err := jsontext.Parse([]byte(text))
	require.NoError(t, err)
	return v
}

func TestValuesAreReadInPlace(t *testing.T) {
	t.Parallel()
	v := parse(t, ` { "a" : "x\n\"\u00e9\ud83d\ude00\/" , "n":-1.50e2, "big": 9007199254740993, "t": true,
		"f":false,"null":null,"list":[ "p", 1 , "q",[],{"}":"]"} ],"a\u0062": {"deep":[1,2]}, "t": false }`+"\n")
	require.Equal(t, jsontext.Object, v.Kind())
	require.Equal(t, "x\n\"é😀/", v.Get("a").Text())
	require.InDelta(t, -150, v.Get("n").Float(), 0)
	require.Equal(t, int64(9007199254740993), v.Get("big").Int())
	require.Equal(t, "9007199254740993", string(v.Get("big")), "the text is kept")
	require.False(t, v.Get("t").True(), "the last of two members counts, as in JSON.parse")
	require.Equal(t, jsontext.Null, v.Get("null").Kind())
	require.False(t, v.Get("null").Exists())
	require.Equal(t, jsontext.Absent, v.Get("nothing").Kind())
	require.Equal(t, []string{"p", "q"}, v.Get("list").Texts())
	require.JSONEq(t, `{"deep":[1,2]}`, string(v.Get("ab")))
	var names []string
	v.Members(func(name string, _ jsontext.Value) { names = append(names, name) })
	require.Equal(t, []string{"a", "n", "big", "t", "f", "null", "list", "ab", "t"}, names)
}

func TestOnlyReadsAnObjectOfOneString(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"plain", `{"text":"x"}`, `"x"`},
		{"empty", `{"text":""}`, `""`},
		{"with escapes", `{"text":"\"}\u00e9\n"}`, `"\"}\u00e9\n"`},
		{"another member", `{"name":"x"}`, ""},
		{"a longer name", `{"texts":"x"}`, ""},
		{"a name with an escape", `{"t\u0065xt":"x"}`, ""},
		{"two members", `{"text":"x","text":"y"}`, ""},
		{"not a string", `{"text":1}`, ""},
		{"white space", `{"text": "x"}`, ""},
		{"white space after it", `{"text":"x"} `, ""},
		{"a control character", "{\"text\":\"\n\"}", ""},
		{"a bad escape", `{"text":"\x"}`, ""},
		{"cut in the string", `{"text":"x`, ""},
		{"cut after the string", `{"text":"x"`, ""},
		{"cut before the string", `{"text":`, ""},
		{"cut in the name", `{"te`, ""},
		{"nothing", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, ok := jsontext.Only(`{"text":`, []byte(test.text))
			require.Equal(t, test.want, string(v))
			require.Equal(t, test.want != "", ok)
		})
	}
}

func TestGetFindsNamesWithEscapes(t *testing.T) {
	t.Parallel()
	v := parse(t, `{"text":1,"t\u0065xt":2,"\\":3}`)
	require.Equal(t, int64(2), v.Get("text").Int())
	require.Equal(t, int64(3), v.Get(`\`).Int())
	require.Equal(t, jsontext.Absent, v.Get(`\\`).Kind())
}

func TestOtherKindsReadAsNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`null`, `true`, `12`, `"x"`, `[]`, `{}`} {
		v := parse(t, text)
		require.Empty(t, v.Get("a"))
		if v.Kind() != jsontext.String {
			require.Empty(t, v.Text())
		}
		if v.Kind() != jsontext.Number {
			require.Zero(t, v.Int())
			require.Zero(t, v.Float())
		}
		v.Elements(func(jsontext.Value) { t.Error("an element of", text) })
	}
	require.True(t, math.IsInf(parse(t, "1e999").Float(), 1))
	require.Zero(t, parse(t, "1.5").Int())
}

func TestALoneSurrogateIsTheReplacementCharacter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"a lone high surrogate", `"\ud83dx"`, "\uFFFDx"},
		{"a lone low surrogate", `"\ude00"`, "\uFFFD"},
		{"high before another escape", `"\ud83d\n"`, "\uFFFD\n"},
		{"high before a letter's escape", `"\ud83d\u0041"`, "\uFFFDA"},
		{"two high, one low", `"\ud83d\ud83d\ude00"`, "\uFFFD😀"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, parse(t, test.text).Text())
		})
	}
}

func TestMalformedTextsAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "{", "}", "[1,]", "[,1]", "[1 2]", `{"a":1,}`, `{"a" 1}`, `{a:1}`, `{"a":}`, `{"a"}`, `{1:2}`, "nul", "nulll", "tru", "01", "+1", "1.", ".5", "1e", "1e+",
		"-", "--1", "1.2.3", "NaN", "Infinity", `"`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "\"\x00\"", `"a`, "'a'", "1 2", "{}{}", "[1]x", "\xef\xbb\xbf1", "\x00",
	} {
		_, err := jsontext.Parse([]byte(text))
		require.ErrorIs(t, err, jsontext.ErrMalformed, "%q", text)
		require.False(t, json.Valid([]byte(text)), "%q is JSON after all", text)
	}
}

func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	for _, open := range []string{"[", `{"a":`} {
		_, err := jsontext.Parse([]byte(strings.Repeat(open, 1<<20)))
		require.ErrorIs(t, err, jsontext.ErrDeep)
	}
	_, err := jsontext.Parse([]byte(strings.Repeat("[", jsontext.MaxDepth) + strings.Repeat("]", jsontext.MaxDepth)))
	require.NoError(t, err)
}

// FuzzParse compares the reader with encoding/json: it accepts the same texts, and reads the same
// parts.
func FuzzParse(f *testing.F) {
	for _, text := range []string{`{"a":[1,"x\ud83d\ude00",null,true,{"b":-0.5e-3}]}`, ` "\u0000" `, `[[[]]]`, `{"a":{},"a":[]}`, "1e5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsontext.Parse([]byte(text))
		if err == jsontext.ErrDeep {
			return
		}
		require.Equal(t, json.Valid([]byte(text)), err == nil, "%q", text)
		if only, ok := jsontext.Only(`{"a":`, []byte(text)); ok {
			require.NoError(t, err, "%q", text)
			require.Equal(t, string(v.Get("a")), string(only), "%q", text)
		}
		if err == nil {
			compare(t, v)
		}
	})
}

func compare(t *testing.T, v jsontext.Value) {
	t.Helper()
	require.True(t, json.Valid(v), "%q", v)
	switch v.Kind() {
	case jsontext.String:
		var want string
		require.NoError(t, json.Unmarshal(v, &want))
		require.Equal(t, want, string([]rune(v.Text())), "%q", v) // Text keeps invalid UTF-8
	case jsontext.Array:
		var want []json.RawMessage
		require.NoError(t, json.Unmarshal(v, &want))
		i := 0
		v.Elements(func(item jsontext.Value) {
			require.Equal(t, string(want[i]), string(item))
			compare(t, item)
			i++
		})
		require.Len(t, want, i)
	case jsontext.Object:
		v.Members(func(_ string, item jsontext.Value) { compare(t, item) })
	}
}
