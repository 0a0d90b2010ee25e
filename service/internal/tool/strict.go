package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// limits bound a JSON text.
type limits struct {
	depth, values int
	// exact refuses numbers that a double does not hold exactly as they are written.
	exact bool
}

// readStrictly reports whether a text is JSON (RFC 8259) that every reader reads in the same way:
// UTF-8, no duplicate names in an object, no lone surrogates, no U+0000, and numbers that a
// double holds. RFC 7493 (I-JSON) requires the same. An error says what is wrong, and where.
func readStrictly(text string, limits limits) error {
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
	walk := walk{limits: limits, decoder: json.NewDecoder(strings.NewReader(text))}
	walk.decoder.UseNumber()
	return walk.all()
}

// checkEscapes checks the escapes of a JSON text.
func checkEscapes(text string) error {
	for at := strings.IndexByte(text, '\\'); at >= 0; {
		length := 2
		if unit, ok := escapedUnit(text[at:]); ok {
			length = len(`\u0000`)
			second, _ := escapedUnit(text[at+length:])
			switch {
			case unit == 0:
				return errors.New(`U+0000 (\u0000) is not allowed`)
			case !utf16.IsSurrogate(unit):
			case utf16.DecodeRune(unit, second) == utf8.RuneError:
				return fmt.Errorf(`a lone surrogate (\u%04x) is not a character`, unit)
			default:
				length *= 2
			}
		}
		next := strings.IndexByte(text[at+length:], '\\')
		if next < 0 {
			return nil
		}
		at += length + next
	}
	return nil
}

// escapedUnit reads the escape of a UTF-16 unit, such as \u00e9, at the beginning of a text.
func escapedUnit(text string) (rune, bool) {
	if len(text) < len(`\u0000`) || text[:2] != `\u` {
		return 0, false
	}
	unit, err := strconv.ParseUint(text[2:len(`\u0000`)], 16, 16)
	return rune(unit), err == nil
}

// walk visits the values of a text.
type walk struct {
	limits
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
	if w.read++; w.read > w.values {
		return fmt.Errorf("more than %d values", w.values)
	}
	switch token := token.(type) {
	case json.Delim:
		return w.begin(token)
	case json.Number:
		if err := checkNumber(token.String(), w.exact); err != nil {
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
	if len(w.open) == w.depth {
		return fmt.Errorf("nested deeper than %d levels", w.depth)
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
	return pointer(path)
}

// pointer returns the place of a value, as a prefix of an error.
func pointer(path []string) string {
	if len(path) == 0 {
		return ""
	}
	escaped := strings.NewReplacer("~", "~0", "/", "~1")
	var all strings.Builder
	for _, name := range path {
		all.WriteString("/" + cutCharacters(escaped.Replace(name), 64))
	}
	return "at " + cutCharacters(all.String(), 200) + ": "
}
