// Package jsontext reads JSON (RFC 8259) in place: a Value is a slice of the text. The text is
// checked once and never copied into a tree. Begin with Parse.
//
// The package exists for two reasons: the page's download must be small, and the text of a part must
// stay unchanged. encoding/json would add 124 KB. The other small readers accept texts that
// JSON.parse in the page refuses, or cannot return the text of a part. See docs/decisions.md.
package jsontext

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may be nested. ErrDeep names it.
const MaxDepth = 512

var (
	// ErrMalformed is the error for a text that is not JSON.
	ErrMalformed = errors.New("it is not JSON")
	// ErrDeep is the error for a text that is nested deeper than MaxDepth.
	ErrDeep = errors.New("its JSON is nested deeper than 512")
)

// Value is the text of one JSON value, without white space around it. The nil Value is an absent
// value; it reads like null.
type Value []byte

// Kind is the kind of a Value.
type Kind byte

// The kinds of values.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// String is the name of the kind in errors.
func (k Kind) String() string {
	return [...]string{"nothing", "null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// Parse checks the whole text and returns its value, which shares the text's memory.
func Parse(text []byte) (Value, error) {
	s := scanner{text: text}
	s.space()
	start := s.at
	if err := s.value(0); err != nil {
		return nil, err
	}
	end := s.at
	s.space()
	if s.at < len(text) {
		return nil, ErrMalformed
	}
	return text[start:end:end], nil
}

// Only returns the string in an object that has one member and no white space. opening is the text
// before the string, such as `{"name":`. For any other text it returns false; use Parse then. The
// service writes the pieces of an answer in this form, and Only takes a third of Parse's time.
func Only(opening string, text []byte) (Value, bool) {
	start := len(opening)
	if len(text) < start || string(text[:start]) != opening {
		return nil, false
	}
	s := scanner{text: text, at: start}
	if s.string() != nil || s.at != len(text)-1 || text[s.at] != '}' {
		return nil, false
	}
	return text[start:s.at:s.at], true
}

// Kind returns the kind of the value.
func (v Value) Kind() Kind {
	if len(v) == 0 {
		return Absent
	}
	switch v[0] {
	case 'n':
		return Null
	case 't', 'f':
		return Bool
	case '"':
		return String
	case '[':
		return Array
	case '{':
		return Object
	}
	return Number
}

// Exists reports whether the value is neither absent nor null.
func (v Value) Exists() bool { return v.Kind() > Null }

// Text returns a string's text, "" for any other kind. An escape of a lone surrogate becomes U+FFFD.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	return string(v.AppendText(make([]byte, 0, len(v))))
}

// AppendText appends a string's Text.
func (v Value) AppendText(text []byte) []byte {
	if v.Kind() != String {
		return text
	}
	return unescape(text, v[1:len(v)-1])
}

// Runs passes a string's Text to visit in parts, which are valid until visit returns. It copies only
// escapes.
func (v Value) Runs(visit func(part []byte)) {
	if v.Kind() != String {
		return
	}
	var few [utf8.UTFMax]byte
	s := v[1 : len(v)-1]
	for i := bytes.IndexByte(s, '\\'); i >= 0; i = bytes.IndexByte(s, '\\') {
		visit(s[:i])
		part, rest := appendEscaped(few[:0], s[i+1:])
		visit(part)
		s = rest
	}
	visit(s)
}

// Float returns a number: 0 for any other kind, and an infinity if the number is too large.
func (v Value) Float() float64 {
	if v.Kind() != Number {
		return 0
	}
	number, _ := strconv.ParseFloat(string(v), 64) // checked by Parse; out of range gives an infinity
	return number
}

// Int returns a whole number, 0 for anything else.
func (v Value) Int() int64 {
	number, _ := strconv.ParseInt(string(v), 10, 64)
	return number
}

// True reports whether the value is true.
func (v Value) True() bool { return len(v) > 0 && v[0] == 't' }

// Get returns the last member of an object with that name, as JSON.parse does, and the absent Value
// if there is none.
func (v Value) Get(name string) Value {
	var found Value
	v.members(func(member, value Value) {
		if member.is(name) {
			found = value
		}
	})
	return found
}

// Members passes the members of an object to visit, in their order. It does nothing for other kinds.
func (v Value) Members(visit func(name string, value Value)) {
	v.members(func(name, value Value) { visit(name.Text(), value) })
}

// members is Members, with the names as they are written.
func (v Value) members(visit func(name, value Value)) {
	if v.Kind() != Object {
		return
	}
	s := scanner{text: v, at: 1}
	for s.more('}') {
		name := s.next()
		s.more(':')
		visit(name, s.next())
	}
}

// is reports whether a string has that text. It copies only a string with escapes.
func (v Value) is(text string) bool {
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') >= 0 {
		return v.Text() == text
	}
	return string(inner) == text
}

// Elements passes the elements of an array to visit, in their order. It does nothing for other kinds.
func (v Value) Elements(visit func(value Value)) {
	if v.Kind() != Array {
		return
	}
	s := scanner{text: v, at: 1}
	for s.more(']') {
		visit(s.next())
	}
}

// Texts returns the texts of an array's strings, nil for any other kind.
func (v Value) Texts() []string {
	var list []string
	v.Elements(func(item Value) {
		if item.Kind() == String {
			list = append(list, item.Text())
		}
	})
	return list
}
