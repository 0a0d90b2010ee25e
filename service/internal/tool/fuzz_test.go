package tool_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// FuzzCheck compares Check with a second opinion, which reads the text in another way:
// encoding/json's values instead of its tokens, exact numbers, and the text in UTF-16.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,"x\ud83d\ude00",null,true,{"b":-0.5e-3}]}`, `{"a":1,"\u0061":2}`, `{"a":"\ud83d"}`, `{"a":"\\ud83d\u0000"}`, `{"a":9007199254740992}`,
		`{"a":0.1234567890123456}`, `{"a":1e-400,"b":1e999}`, `[]`, `{}{}`, `{"a":123456789012345e20}`, "{\"a\":\"\xff\"}", `{"":{"":1}}`, ` {"a":100e-2} `,
	} {
		f.Add(text)
	}
	any := newTool(f, `{"type":"object"}`)
	f.Fuzz(func(t *testing.T, text string) {
		err := any.Check(text)
		require.Equal(t, secondOpinion(text), err == nil, "%q: %v", text, err)
		if err != nil {
			refusal(t, err, "arguments")
		}
	})
}

// secondOpinion reports whether a text keeps the rules.
func secondOpinion(text string) bool {
	if len(text) > tool.ArgumentBytes || !utf8.ValidString(text) || !json.Valid([]byte(text)) || !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		return false
	}
	return keeps(json.RawMessage(text), 0)
}

func keeps(value json.RawMessage, depth int) bool {
	value = bytes.TrimSpace(value)
	switch value[0] {
	case '{', '[':
		var inner []json.RawMessage
		if depth == 64 {
			return false
		}
		if value[0] == '[' {
			_ = json.Unmarshal(value, &inner)
		} else if inner = members(value); inner == nil {
			return false
		}
		for _, one := range inner {
			if !keeps(one, depth+1) {
				return false
			}
		}
	case '"':
		return isText(value)
	case 't', 'f', 'n':
	default:
		return isNumber(string(value))
	}
	return true
}

// members returns the names and values of an object, nil if a name occurs twice: then a map
// has fewer entries than were read.
func members(object json.RawMessage) []json.RawMessage {
	all := []json.RawMessage{}
	decoder := json.NewDecoder(bytes.NewReader(object))
	_, _ = decoder.Token()
	seen := map[string]json.RawMessage{}
	for count := 1; decoder.More(); count++ {
		var name, value json.RawMessage
		name = nextName(decoder, object)
		_ = decoder.Decode(&value)
		var text string
		_ = json.Unmarshal(name, &text)
		if seen[text] = value; len(seen) < count && isText(name) {
			return nil
		}
		all = append(all, name, value)
	}
	return all
}

// nextName returns a name as it is written.
func nextName(decoder *json.Decoder, object json.RawMessage) json.RawMessage {
	before := decoder.InputOffset()
	_, _ = decoder.Token()
	return json.RawMessage(bytes.TrimLeft(object[before:decoder.InputOffset()], ", \t\r\n"))
}

// isText reports whether a string has only whole characters: its value then has as many
// U+FFFD as it spells out.
func isText(quoted json.RawMessage) bool {
	var text string
	_ = json.Unmarshal(quoted, &text)
	spelled := strings.Count(string(quoted), "\uFFFD") + strings.Count(strings.ToLower(strings.ReplaceAll(string(quoted), `\\`, "")), `\ufffd`)
	return strings.Count(text, "\uFFFD") == spelled && !strings.Contains(text, "\x00")
}

func isNumber(text string) bool {
	var double float64
	if json.Unmarshal([]byte(text), &double) != nil {
		return false // beyond the largest
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if !strings.ContainsAny(mantissa, "123456789") {
		return true
	}
	if len(strings.TrimLeft(exponent, "+-0")) > 5 {
		return false // too many digits to write out, and far below the smallest
	}
	exact, _ := new(big.Rat).SetString(text)
	if new(big.Rat).Abs(exact).Cmp(new(big.Rat).SetFloat64(0x1p-1022)) < 0 {
		return false
	}
	if !strings.ContainsAny(text, ".eE") {
		return new(big.Int).Abs(exact.Num()).Cmp(big.NewInt(1<<53-1)) <= 0
	}
	// A decimal of 15 digits names the same number.
	again, _ := new(big.Rat).SetString(new(big.Float).SetPrec(2000).SetRat(exact).Text('e', 14))
	return again.Cmp(exact) == 0
}
