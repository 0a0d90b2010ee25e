package sdk

import (
	"strconv"
	"unicode/utf8"
)

// body writes a JSON object. encoding/json would add 124 KB to the wasm, too much for the few
// request bodies.
type body struct{ text []byte }

func (o *body) key(name string) {
	if len(o.text) == 0 {
		o.text = append(o.text, '{')
	} else {
		o.text = append(o.text, ',')
	}
	o.text = append(AppendString(o.text, name), ':')
}

func (o *body) string(name, value string) {
	o.key(name)
	o.text = AppendString(o.text, value)
}

func (o *body) strings(name string, values []string) {
	o.key(name)
	o.text = appendStrings(o.text, values)
}

func (o *body) raw(name string, value []byte) {
	o.key(name)
	o.text = append(o.text, value...)
}

func (o *body) bytes() []byte {
	if len(o.text) == 0 {
		return []byte("{}")
	}
	return append(o.text, '}')
}

// The next three functions return values as CallJSON and forms take them. Empty means unset.

// digits is the text of a number, empty for 0.
func digits[T int | int64](number T) string {
	if number == 0 {
		return ""
	}
	return strconv.FormatInt(int64(number), 10)
}

// written is the text of the value that a pointer points to, empty for nil.
func written[T any](value *T, text func(T) string) string {
	if value == nil {
		return ""
	}
	return text(*value)
}

// listed is the JSON of a list of strings, empty for nil.
func listed(values []string) string {
	if values == nil {
		return ""
	}
	return string(appendStrings(nil, values))
}

func appendStrings(text []byte, values []string) []byte {
	text = append(text, '[')
	for i, value := range values {
		if i > 0 {
			text = append(text, ',')
		}
		text = AppendString(text, value)
	}
	return append(text, ']')
}

// AppendString appends a JSON string (RFC 8259, section 7). Invalid UTF-8 becomes U+FFFD.
func AppendString(text []byte, s string) []byte {
	text = append(text, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				text = append(append(text, s[done:i]...), `\ufffd`...)
				done = i + size
			}
			i += size
			continue
		}
		i++
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		text = appendEscape(append(text, s[done:i-1]...), c)
		done = i
	}
	return append(append(text, s[done:]...), '"')
}

func appendEscape(text []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(text, '\\', c)
	case '\n':
		return append(text, `\n`...)
	case '\r':
		return append(text, `\r`...)
	case '\t':
		return append(text, `\t`...)
	}
	const hex = "0123456789abcdef"
	return append(text, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
