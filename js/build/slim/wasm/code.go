package wasm

import (
	"cmp"
	"encoding/binary"
	"fmt"
)

// Sections of functions and of what counts their calls.
const (
	globals = 6
	exports = 7
	code    = 10
)

// trap is the body of a function without local variables that traps (section 4.4.8, unreachable).
var trap = []byte{0, 0x00, 0x0b}

// Trap replaces the bodies of functions, by their place in the code section, by a trap.
func (m *Module) Trap(functions map[int]bool) error {
	return m.eachBody(func(n int, body []byte) ([]byte, error) {
		if functions[n] {
			return trap, nil
		}
		return body, nil
	})
}

// Count makes each function count its calls in a global, which is exported as "calls N" for the nth function of the code section.
func (m *Module) Count() error {
	first, err := m.count(globals)
	if err != nil {
		return err
	}
	functions, err := m.count(code)
	if err != nil {
		return err
	}
	var counters, names []byte
	for n := range functions {
		counters = append(counters, 0x7f, 1, 0x41, 0, 0x0b) // var i32 = 0
		names = appendVector(names, fmt.Appendf(nil, "calls %d", n))
		names = append(names, 3)
		names = binary.AppendUvarint(names, first+n)
	}
	if err := m.extend(globals, functions, counters); err != nil {
		return err
	}
	if err := m.extend(exports, functions, names); err != nil {
		return err
	}
	return m.eachBody(func(n int, body []byte) ([]byte, error) {
		in := &reader{rest: body}
		for range in.number() { // local variables
			in.number()
			in.byte()
		}
		at := len(body) - len(in.rest)
		counted := append([]byte{}, body[:at]...)
		counted = binary.AppendUvarint(append(counted, 0x23), first+uint64(n)) // get, + 1, set
		counted = binary.AppendUvarint(append(counted, 0x41, 1, 0x6a, 0x24), first+uint64(n))
		return append(counted, body[at:]...), in.err
	})
}

// count is the number of entries of a section.
func (m *Module) count(id byte) (uint64, error) {
	s := m.find(id)
	if s == nil {
		return 0, fmt.Errorf("there is no section %d", id)
	}
	in := &reader{rest: s.body}
	return in.number(), in.err
}

// extend appends entries to a section.
func (m *Module) extend(id byte, more uint64, entries []byte) error {
	s := m.find(id)
	in := &reader{rest: s.body}
	number := in.number()
	if in.err != nil {
		return fmt.Errorf("section %d: %w", id, in.err)
	}
	s.body = append(append(binary.AppendUvarint(nil, number+more), in.rest...), entries...)
	return nil
}

// eachBody replaces the bodies of the functions.
func (m *Module) eachBody(replace func(n int, body []byte) ([]byte, error)) error {
	s := m.find(code)
	if s == nil {
		return fmt.Errorf("there is no code")
	}
	in := &reader{rest: s.body}
	number := in.number()
	out := binary.AppendUvarint(make([]byte, 0, len(s.body)), number)
	for n := range number {
		body, err := replace(int(n), in.vector())
		if err != nil || in.err != nil {
			return fmt.Errorf("function %d: %w", n, cmp.Or(err, in.err))
		}
		out = appendVector(out, body)
	}
	s.body = out
	return nil
}
