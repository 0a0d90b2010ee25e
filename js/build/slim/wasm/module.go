// Package wasm reads and writes WebAssembly modules as far as slim needs it: the
// sections, the memory that a module begins with, and which toolchain made it
// (WebAssembly Core, chapter 5).
package wasm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Sections that slim looks into.
const (
	custom    = 0
	imports   = 2
	data      = 11
	dataCount = 12
)

var preamble = []byte("\x00asm\x01\x00\x00\x00")

// Module is a module as a list of its sections.
type Module struct {
	sections []section
}

// section is one section. The body of a custom section begins with its name.
type section struct {
	id   byte
	body []byte
}

// Parse splits a module into sections. It keeps file.
func Parse(file []byte) (*Module, error) {
	rest, isModule := bytes.CutPrefix(file, preamble)
	if !isModule {
		return nil, errors.New("this is not a WebAssembly module of version 1")
	}
	m := &Module{}
	in := &reader{rest: rest}
	for len(in.rest) > 0 && in.err == nil {
		id := in.byte()
		m.sections = append(m.sections, section{id, in.vector()})
	}
	if in.err != nil {
		return nil, fmt.Errorf("sections: %w", in.err)
	}
	return m, nil
}

// Bytes is the module as a file.
func (m *Module) Bytes() []byte {
	file := bytes.Clone(preamble)
	for _, s := range m.sections {
		file = append(file, s.id)
		file = appendVector(file, s.body)
	}
	return file
}

func (m *Module) find(id byte) *section {
	for i := range m.sections {
		if m.sections[i].id == id {
			return &m.sections[i]
		}
	}
	return nil
}

// ImportedFunctions is how many functions the module imports. They come first in the
// numbering of functions.
func (m *Module) ImportedFunctions() (int, error) {
	s := m.find(imports)
	if s == nil {
		return 0, nil
	}
	in := &reader{rest: s.body}
	functions := 0
	for range in.number() {
		in.vector() // the module
		in.vector() // the name
		if kind := in.byte(); kind != 0 && in.err == nil {
			return 0, fmt.Errorf("imports: one is of kind %d, but Go imports only functions", kind)
		}
		in.number() // its type
		functions++
		if in.err != nil {
			return 0, fmt.Errorf("imports: %w", in.err)
		}
	}
	return functions, nil
}

// Toolchain is the version of Go that the linker records in the section
// "producers", or "" if there is none.
func (m *Module) Toolchain() string {
	for _, s := range m.sections {
		in := &reader{rest: s.body}
		if s.id != custom || string(in.vector()) != "producers" {
			continue
		}
		for range in.number() {
			field := string(in.vector())
			for range min(in.number(), uint64(len(in.rest))) {
				name, version := in.vector(), in.vector()
				if field == "language" && string(name) == "Go" {
					return string(version)
				}
			}
			if in.err != nil {
				return ""
			}
		}
	}
	return ""
}

// DropCustom removes the custom sections, such as names and producers.
func (m *Module) DropCustom() {
	var kept []section
	for _, s := range m.sections {
		if s.id != custom {
			kept = append(kept, s)
		}
	}
	m.sections = kept
}

// reader takes numbers and vectors from the front. After its first error it returns zeros.
type reader struct {
	rest []byte
	err  error
}

var errShort = errors.New("the file ends too early")

func (r *reader) byte() byte {
	if len(r.rest) == 0 || r.err != nil {
		r.err = errShort
		return 0
	}
	first := r.rest[0]
	r.rest = r.rest[1:]
	return first
}

// number reads an unsigned LEB128 number (section 5.2.2), as encoding/binary does.
func (r *reader) number() uint64 {
	value, length := binary.Uvarint(r.rest)
	if length <= 0 || r.err != nil {
		r.err = errShort
		return 0
	}
	r.rest = r.rest[length:]
	return value
}

// signed reads a signed LEB128 number.
func (r *reader) signed() int64 {
	var value int64
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		value |= int64(b&127) << shift
		if b < 128 {
			if b&64 != 0 && shift+7 < 64 {
				value |= -1 << (shift + 7)
			}
			return value
		}
	}
	r.err = errors.New("a number has more than 64 bits")
	return 0
}

func (r *reader) vector() []byte {
	length := r.number()
	if uint64(len(r.rest)) < length {
		r.err = errShort
		return nil
	}
	body := r.rest[:length:length]
	r.rest = r.rest[length:]
	return body
}

func appendVector(file, body []byte) []byte {
	return append(binary.AppendUvarint(file, uint64(len(body))), body...)
}

func appendSigned(file []byte, value int64) []byte {
	for {
		b := byte(value & 127)
		value >>= 7
		if value == 0 && b&64 == 0 || value == -1 && b&64 != 0 {
			return append(file, b)
		}
		file = append(file, b|128)
	}
}
