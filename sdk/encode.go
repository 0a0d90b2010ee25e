package sdk

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// object writes a JSON object: the few request bodies do not justify
// encoding/json, which costs a page 124 KB.
type object struct{ text []byte }

func (o *object) key(name string) {
	if len(o.text) == 0 {
		o.text = append(o.text, '{')
	} else {
		o.text = append(o.text, ',')
	}
	o.text = append(AppendString(o.text, name), ':')
}

func (o *object) string(name, value string) {
	o.key(name)
	o.text = AppendString(o.text, value)
}

func (o *object) strings(name string, values []string) {
	o.key(name)
	o.text = appendStrings(o.text, values)
}

func (o *object) raw(name string, value string) {
	o.key(name)
	o.text = append(o.text, value...)
}

func (o *object) bytes() []byte {
	if len(o.text) == 0 {
		return []byte("{}")
	}
	return append(o.text, '}')
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

// AppendString appends a JSON string (RFC 8259, section 7). What is no UTF-8
// becomes U+FFFD.
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

// maxDepth bounds the nesting of metadata.
const maxDepth = 100

// appendAny appends the JSON of what people put into metadata: nil, booleans,
// numbers, texts, wire.JSON, and maps and slices of these.
func appendAny(text []byte, value any, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("is nested deeper than %d", maxDepth)
	}
	switch v := value.(type) {
	case nil:
		return append(text, "null"...), nil
	case bool:
		return strconv.AppendBool(text, v), nil
	case string:
		return AppendString(text, v), nil
	case int:
		return strconv.AppendInt(text, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(text, v, 10), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("holds %v, which JSON cannot say", v)
		}
		return strconv.AppendFloat(text, v, 'g', -1, 64), nil
	case wire.JSON:
		return append(text, v...), nil
	case []string:
		return appendStrings(text, v), nil
	case []any:
		return appendSlice(text, v, depth)
	case map[string]any:
		return appendMap(text, v, depth)
	}
	return nil, fmt.Errorf("holds a %T, want nil, bool, int, int64, float64, string, wire.JSON, []string, []any or map[string]any", value)
}

func appendSlice(text []byte, values []any, depth int) (_ []byte, err error) {
	text = append(text, '[')
	for i, value := range values {
		if i > 0 {
			text = append(text, ',')
		}
		if text, err = appendAny(text, value, depth+1); err != nil {
			return nil, err
		}
	}
	return append(text, ']'), nil
}

func appendMap(text []byte, values map[string]any, depth int) (_ []byte, err error) {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	text = append(text, '{')
	for i, name := range names {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(AppendString(text, name), ':')
		if text, err = appendAny(text, values[name], depth+1); err != nil {
			return nil, err
		}
	}
	return append(text, '}'), nil
}
