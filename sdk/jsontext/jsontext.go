// Package jsontext reads JSON (RFC 8259) where it lies: a Value is a slice of
// the text, which is checked once and never copied into a tree. Begin with
// Parse.
//
// It stands here because of what a page downloads and because texts must come
// out as they went in: encoding/json would cost 124 KB, and the small readers
// that were weighed take texts that JSON.parse in the page then refuses, or
// cannot give back the text of a part. See docs/decisions.md.
package jsontext

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may be nested.
const MaxDepth = 512

var (
	// ErrMalformed is a text that is no JSON.
	ErrMalformed = errors.New("it is not JSON")
	// ErrDeep is a text that is nested deeper than MaxDepth.
	ErrDeep = errors.New("its JSON is nested deeper than " + strconv.Itoa(MaxDepth))
)

// Value is the text of one JSON value, without white space around it. The nil
// Value is one that is absent; it reads like null.
type Value []byte

// Kind is what a Value is.
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

// Parse checks the whole text and gives its value, which shares its memory.
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

// Only gives the string of an object that has one member and no white space; the
// opening is what stands before the string, such as `{"name":`. Whatever else the
// text is, Parse tells. It is how the pieces of an answer are written, and takes a
// third of the time.
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

// Kind tells what the value is.
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

// Exists tells whether the value is neither absent nor null.
func (v Value) Exists() bool { return v.Kind() > Null }

// Text gives a string's text, "" of anything else. An escape of a lone
// surrogate becomes U+FFFD.
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

// Runs gives a string's Text in parts, which hold until visit returns. Nothing but escapes is
// copied.
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

// Float gives a number, 0 of anything else, and the infinities of what is too
// large.
func (v Value) Float() float64 {
	if v.Kind() != Number {
		return 0
	}
	number, _ := strconv.ParseFloat(string(v), 64) // checked by Parse; out of range gives an infinity
	return number
}

// Int gives a whole number, 0 of anything else.
func (v Value) Int() int64 {
	number, _ := strconv.ParseInt(string(v), 10, 64)
	return number
}

// True tells whether the value is true.
func (v Value) True() bool { return len(v) > 0 && v[0] == 't' }

// Get gives the last member of that name of an object, as JSON.parse does, and
// the absent Value if there is none.
func (v Value) Get(name string) Value {
	var found Value
	v.members(func(member, value Value) {
		if member.is(name) {
			found = value
		}
	})
	return found
}

// Members gives the members of an object in their order; nothing of anything else.
func (v Value) Members(visit func(name string, value Value)) {
	v.members(func(name, value Value) { visit(name.Text(), value) })
}

// members gives names as they are written.
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

// is tells whether a string has that text, without a copy of one that has no
// escapes.
func (v Value) is(text string) bool {
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') >= 0 {
		return v.Text() == text
	}
	return string(inner) == text
}

// Elements gives the elements of an array in their order; nothing of anything else.
func (v Value) Elements(visit func(value Value)) {
	if v.Kind() != Array {
		return
	}
	s := scanner{text: v, at: 1}
	for s.more(']') {
		visit(s.next())
	}
}

// Texts gives the strings of an array, nil of anything else.
func (v Value) Texts() []string {
	var list []string
	v.Elements(func(item Value) {
		if item.Kind() == String {
			list = append(list, item.Text())
		}
	})
	return list
}
