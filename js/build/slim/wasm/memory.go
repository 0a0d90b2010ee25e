package wasm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// A segment of memory ends at a run of this many zeros. Go's linker ends one at 8, which makes tens
// of thousands of segments, whose headers compress badly. With 64 the file is smallest after brotli.
const zeros = 64

const (
	i32Const = 0x41
	end      = 0x0b
	most     = 1 << 26 // bytes of memory that a module may begin with
)

// Memory is the memory as it is when the module starts, up to the last byte that
// the module sets. The rest is zero.
func (m *Module) Memory() ([]byte, error) {
	s := m.find(data)
	if s == nil {
		return nil, errors.New("data: the module has none")
	}
	in := &reader{rest: s.body}
	var memory []byte
	for range in.number() {
		kind, op, at, stop := in.number(), in.byte(), in.signed(), in.byte()
		bytes := in.vector()
		if in.err != nil {
			return nil, fmt.Errorf("data: %w", in.err)
		}
		if kind != 0 || op != i32Const || stop != end || at < 0 || at > most {
			return nil, errors.New("data: a segment has no constant place in the first memory, which Go's linker would give it")
		}
		if missing := int(at) + len(bytes) - len(memory); missing > 0 {
			memory = append(memory, make([]byte, missing)...)
		}
		copy(memory[at:], bytes)
	}
	if in.err != nil {
		return nil, fmt.Errorf("data: %w", in.err)
	}
	return memory, nil
}

// SetMemory makes the module begin with this memory.
func (m *Module) SetMemory(memory []byte) error {
	if m.find(dataCount) != nil {
		return errors.New("the module counts its data segments, which Go's linker does not")
	}
	s := m.find(data)
	if s == nil {
		return errors.New("data: the module has none")
	}
	var segments []byte
	count := uint64(0)
	for at := 0; ; count++ {
		from, to := next(memory, at)
		if from == to {
			break
		}
		segments = append(segments, 0, i32Const)
		segments = append(appendSigned(segments, int64(from)), end)
		segments = appendVector(segments, memory[from:to])
		at = to
	}
	s.body = append(binary.AppendUvarint(nil, count), segments...)
	return nil
}

// next is the next stretch of memory that has no long run of zeros in it.
func next(memory []byte, at int) (from, to int) {
	for at < len(memory) && memory[at] == 0 {
		at++
	}
	from = at
	if length := bytes.Index(memory[from:], make([]byte, zeros)); length >= 0 {
		return from, from + length
	}
	return from, from + len(bytes.TrimRight(memory[from:], "\x00"))
}
