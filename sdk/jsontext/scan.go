package jsontext

import "bytes"

// scanner reads a text from its beginning to its end.
type scanner struct {
	text []byte
	at   int
}

// peek returns the next byte, or 0 at the end: no token begins with NUL.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// take skips the byte c if it comes next, and reports whether it did.
func (s *scanner) take(c byte) bool {
	if s.peek() != c || c == 0 {
		return false
	}
	s.at++
	return true
}

// value checks the next value and skips it.
func (s *scanner) value(depth int) error {
	if depth > MaxDepth {
		return ErrDeep
	}
	switch c := s.peek(); c {
	case '{', '[':
		return s.container(c, depth)
	case '"':
		return s.string()
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	return s.number()
}

// container checks an array or an object.
func (s *scanner) container(open byte, depth int) error {
	end := open + 2 // in ASCII, ']' and '}' are two places after '[' and '{'
	s.at++
	s.space()
	if s.take(end) {
		return nil
	}
	for {
		if open == '{' {
			if err := s.name(); err != nil {
				return err
			}
		}
		if err := s.value(depth + 1); err != nil {
			return err
		}
		s.space()
		if s.take(end) {
			return nil
		}
		if !s.take(',') {
			return ErrMalformed
		}
		s.space()
	}
}

func (s *scanner) name() error {
	if err := s.string(); err != nil {
		return err
	}
	s.space()
	if !s.take(':') {
		return ErrMalformed
	}
	s.space()
	return nil
}

func (s *scanner) literal(word string) error {
	if len(s.text)-s.at < len(word) || string(s.text[s.at:s.at+len(word)]) != word {
		return ErrMalformed
	}
	s.at += len(word)
	return nil
}

func (s *scanner) string() error {
	if !s.take('"') {
		return ErrMalformed
	}
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '"':
			return nil
		case c < ' ':
			return ErrMalformed
		case c == '\\':
			if !s.escape() {
				return ErrMalformed
			}
		}
	}
	return ErrMalformed
}

func (s *scanner) escape() bool {
	c := s.peek()
	s.at++
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		_, ok := unit(s.text[min(s.at, len(s.text)):])
		s.at += 4
		return ok
	}
	return false
}

func (s *scanner) number() error {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return ErrMalformed
	}
	if s.take('.') && !s.digits() {
		return ErrMalformed
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		if !s.digits() {
			return ErrMalformed
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	start := s.at
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.at++
	}
	return s.at > start
}

// more skips white space and a separator in a checked array or object. It reports whether there is
// another value before the end.
func (s *scanner) more(end byte) bool {
	s.space()
	if s.take(',') || s.take(':') {
		s.space()
	}
	return s.peek() != end
}

// next returns the next value, which is checked already, and skips it.
func (s *scanner) next() Value {
	start, depth := s.at, 0
	for {
		switch s.text[s.at] {
		case '"':
			s.skipString()
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			depth--
			s.at++
		default:
			s.at++
		}
		if depth == 0 && s.ended(start) {
			return s.text[start:s.at:s.at]
		}
	}
}

// ended reports whether the value that began at start is complete. A string, array or object ends with
// its own last byte, any other value before the byte that comes next.
func (s *scanner) ended(start int) bool {
	switch s.text[start] {
	case '"', '{', '[':
		return true
	}
	switch s.peek() {
	case ',', '}', ']', ' ', '\t', '\n', '\r', 0:
		return true
	}
	return false
}

func (s *scanner) skipString() {
	for start := s.at; ; {
		s.at += 1 + bytes.IndexByte(s.text[s.at+1:], '"') // the text is well-formed, so there is a quote
		escapes := s.at - 1
		for escapes > start && s.text[escapes] == '\\' {
			escapes--
		}
		if (s.at-escapes)%2 == 1 { // an even number of backslashes: they escape one another, not the quote
			s.at++
			return
		}
	}
}
