// Package strictjson refuses JSON that not every reader reads in the same way.
package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Limits bound a JSON text.
type Limits struct {
	Depth, Values int
	// Exact refuses numbers that a double does not hold exactly as they are written.
	Exact bool
}

// Check reports whether a text is JSON (RFC 8259) that every reader reads in the same way:
// UTF-8, no duplicate names in an object, no lone surrogates, no U+0000, and numbers that a
// double holds. RFC 7493 (I-JSON) requires the same. An error says what is wrong, and where.
func Check(text string, limits Limits) error {
	if !utf8.ValidString(text) {
		return errors.New("not UTF-8")
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal([]byte(text), new(json.RawMessage)); errors.As(err, &syntax) {
		return fmt.Errorf("not JSON: %v, at byte %d", syntax, syntax.Offset)
	} else if err != nil {
		return errors.New("not JSON")
	}
	if err := checkEscapes(text); err != nil {
		return err
	}
	walk := walk{Limits: limits, decoder: json.NewDecoder(strings.NewReader(text))}
	walk.decoder.UseNumber()
	return walk.all()
}

// checkEscapes checks the escapes of a JSON text.
func checkEscapes(text string) error {
	for at := strings.IndexByte(text, '\\'); at >= 0; {
		length, err := escape(text[at:])
		if err != nil {
			return err
		}
		next := strings.IndexByte(text[at+length:], '\\')
		if next < 0 {
			return nil
		}
		at += length + next
	}
	return nil
}

// errNUL refuses the escape that many readers cannot store.
var errNUL = errors.New(`U+0000 (\u0000) is not allowed`)

// escape returns the length of the escape at the beginning of a text; the two of a surrogate pair count as one.
func escape[T string | []byte](text T) (length int, err error) {
	unit, ok := escapedUnit(text)
	switch {
	case !ok:
		return len(`\n`), nil
	case unit == 0:
		return 0, errNUL
	case !utf16.IsSurrogate(unit):
		return len(`\u0000`), nil
	}
	if second, _ := escapedUnit(text[len(`\u0000`):]); utf16.DecodeRune(unit, second) == utf8.RuneError {
		return 0, fmt.Errorf(`a lone surrogate (\u%04x) is not a character`, unit)
	}
	return len(`\u0000\u0000`), nil
}

// escapedUnit reads the escape of a UTF-16 unit, such as \u00e9, at the beginning of a text.
func escapedUnit[T string | []byte](text T) (rune, bool) {
	if len(text) < len(`\u0000`) || string(text[:2]) != `\u` {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:len(`\u0000`)]), 16, 16)
	return rune(unit), err == nil
}

// walk visits the values of a text.
type walk struct {
	Limits
	decoder *json.Decoder
	open    []container
	read    int
}

// container is an open array or object.
type container struct {
	// names are the names of an object so far, nil in an array.
	names map[string]bool
	// name is the current name of an object, empty before it has been read.
	name string
	// isNamed reports whether a name was read and its value not yet.
	isNamed bool
	index   int
}

func (w *walk) all() error {
	for {
		token, err := w.decoder.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return errors.New("not JSON")
		}
		if err := w.token(token); err != nil {
			return err
		}
	}
}

func (w *walk) token(token json.Token) error {
	if isName, err := w.name(token); isName {
		return err
	}
	if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
		w.open = w.open[:len(w.open)-1]
		w.end()
		return nil
	}
	if w.read++; w.read > w.Values {
		return fmt.Errorf("more than %d values", w.Values)
	}
	switch token := token.(type) {
	case json.Delim:
		return w.begin(token)
	case json.Number:
		if err := checkNumber(token.String(), w.Exact); err != nil {
			return fmt.Errorf("%s%w", w.place(), err)
		}
	}
	w.end()
	return nil
}

// name handles a token that is a member's name, and reports whether it is one.
func (w *walk) name(token json.Token) (bool, error) {
	top := w.top()
	name, ok := token.(string)
	if !ok || top == nil || top.names == nil || top.isNamed {
		return false, nil
	}
	if top.name, top.isNamed = name, true; top.names[name] {
		return true, fmt.Errorf("%sthe name occurs twice in its object", w.place())
	}
	top.names[name] = true
	return true, nil
}

func (w *walk) begin(delim json.Delim) error {
	if len(w.open) == w.Depth {
		return fmt.Errorf("nested deeper than %d levels", w.Depth)
	}
	next := container{}
	if delim == '{' {
		next.names = map[string]bool{}
	}
	w.open = append(w.open, next)
	return nil
}

// end ends a value.
func (w *walk) end() {
	if top := w.top(); top != nil {
		top.isNamed = false
		top.index++
	}
}

func (w *walk) top() *container {
	if len(w.open) == 0 {
		return nil
	}
	return &w.open[len(w.open)-1]
}

// place returns where the current value is, as a JSON Pointer.
func (w *walk) place() string {
	var path []string
	for _, one := range w.open {
		if one.names == nil {
			one.name = strconv.Itoa(one.index)
		}
		path = append(path, one.name)
	}
	return Pointer(path)
}

// Pointer returns the place of a value, as a prefix of an error.
func Pointer(path []string) string {
	if len(path) == 0 {
		return ""
	}
	escaped := strings.NewReplacer("~", "~0", "/", "~1")
	var all strings.Builder
	for _, name := range path {
		all.WriteString("/" + fault.Shorten(escaped.Replace(name), 64))
	}
	return "at " + fault.Shorten(all.String(), 200) + ": "
}
