package pcln

import (
	"bytes"
	"encoding/binary"
)

// Offsets of the fields of the runtime's _func.
const (
	fieldEntry     = 0
	fieldName      = 4
	fieldSP        = 16
	fieldFile      = 20
	fieldLine      = 24
	fieldPCData    = 28 // how many
	fieldUnit      = 32
	fieldStartLine = 36
	fieldID        = 40
	fieldFuncData  = 43 // how many, a byte
	fields         = 44
)

// Numbers of PCDATA and FUNCDATA tables, and an identity of functions
// (internal/abi/symtab.go).
const (
	pcUnsafePoint = 0
	pcInlineTree  = 2
	pcLiveArgs    = 3

	dataInlineTree = 3
	dataArgs       = 5
	dataLiveArgs   = 6
	none           = ^uint32(0)

	wrapper = 23 // FuncIDWrapper: methods that the compiler makes
)

// function is what the runtime knows about a function.
type function struct {
	memory []byte
	at     uint64
	entry  uint32 // the number of the function, as in a PC
}

func (t *Tables) function(i int) function {
	entry := t.ftab + 8*uint64(i)
	at := t.functions.at + uint64(binary.LittleEndian.Uint32(t.memory[entry+4:]))
	f := function{t.memory, at, binary.LittleEndian.Uint32(t.memory[entry:])}
	if at+fields > uint64(len(t.memory)) || f.get(fieldEntry) != f.entry {
		return function{}
	}
	return f
}

func (f function) get(field uint64) uint32 { return binary.LittleEndian.Uint32(f.memory[f.at+field:]) }
func (f function) set(field uint64, value uint32) {
	binary.LittleEndian.PutUint32(f.memory[f.at+field:], value)
}

func (f function) pcdata() uint32   { return f.get(fieldPCData) }
func (f function) funcdata() uint32 { return uint32(f.memory[f.at+fieldFuncData]) }
func (f function) id() byte         { return f.memory[f.at+fieldID] }

// pcdataField and funcdataField return where the offset of the nth table is.
func (f function) pcdataField(n uint32) uint64   { return fields + 4*uint64(n) }
func (f function) funcdataField(n uint32) uint64 { return fields + 4*uint64(f.pcdata()+n) }

func (f function) size() uint64 {
	if f.memory == nil || f.pcdata() > 64 || f.funcdata() > 64 {
		return 1 << 32 // no table is that large
	}
	return f.funcdataField(f.funcdata())
}

// leads reports whether everything that a function refers to is in the tables.
func (t *Tables) leads(f function) bool {
	fits := uint64(f.get(fieldName)) < t.names.length
	for _, field := range []uint64{fieldSP, fieldFile, fieldLine} {
		fits = fits && uint64(f.get(field)) < t.pcs.length
	}
	for n := range f.pcdata() {
		fits = fits && uint64(f.get(f.pcdataField(n))) < t.pcs.length
	}
	for n := range f.funcdata() {
		at := f.get(f.funcdataField(n))
		fits = fits && (at == none || uint64(at) < t.funcdata.length)
	}
	return fits
}

// name returns the text at an offset of the names.
func (t *Tables) name(offset uint32) string { return text(t.names.of(t.memory), offset) }

func text(table []byte, offset uint32) string {
	if uint64(offset) >= uint64(len(table)) {
		return ""
	}
	name, _, _ := bytes.Cut(table[offset:], []byte{0})
	return string(name)
}

// step is a part of a function, from the previous step up to a PC, in which a PC table has one value.
type step struct {
	value int32
	end   uint32 // PC_B, which each function counts from its own beginning
}

// steps reads a PC table (func step in runtime/symtab.go), and returns its length in bytes. Offset
// 0 means no table.
func (t *Tables) steps(offset uint32) (steps []step, length int) {
	table := t.pcs.of(t.memory)
	if offset == 0 || uint64(offset) >= uint64(len(table)) {
		return nil, 0
	}
	rest := table[offset:]
	value, pc := int32(-1), uint64(0)
	for {
		delta, n := binary.Uvarint(rest)
		if n <= 0 || delta == 0 && len(steps) > 0 {
			return steps, len(table) - int(offset) - len(rest) + max(n, 0)
		}
		further, m := binary.Uvarint(rest[n:])
		if m <= 0 {
			return steps, len(table) - int(offset)
		}
		value += int32(-(delta & 1) ^ (delta >> 1))
		pc += further
		steps = append(steps, step{value, uint32(pc)})
		rest = rest[n+m:]
	}
}

func valueAt(steps []step, pc uint32) int32 {
	for _, s := range steps {
		if pc < s.end {
			return s.value
		}
	}
	return -1
}
