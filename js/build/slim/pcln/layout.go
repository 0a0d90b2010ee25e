// Package pcln reads a Go program's tables about its own functions, and removes the parts that only
// tracebacks read. In Go they are runtime.pclntab and runtime.findfunctab; the linker writes them in
// cmd/link/internal/ld/pcln.go, and the runtime reads them in runtime/symtab.go.
package pcln

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Words of runtime.moduledata, counted from its beginning. All versions in layouts agree up to the
// word text.
const (
	wordHeader   = 0
	wordNames    = 1 // a slice, three words, like the others up to ftab
	wordUnits    = 4
	wordFiles    = 7
	wordPCs      = 10
	wordPCLN     = 13
	wordFtab     = 16
	wordFindFunc = 19
	wordMinPC    = 20
	wordText     = 22
)

// layout is the difference between versions of Go.
type layout struct {
	gofunc, epclntab int // words of runtime.moduledata
}

// layouts has the versions whose sources were read: type moduledata and _func in
// runtime, writeFuncs and findfunctab in cmd/link/internal/ld, internal/abi/symtab.go.
var layouts = map[string]layout{
	"go1.26": {gofunc: 40, epclntab: 41},
	"go1.27": {gofunc: 43, epclntab: 44},
}

// A header is the magic number of Go 1.20, two zero bytes, the size of an instruction and the size
// of a pointer.
var magic = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// headerOffsets is where a header has the offsets of names, units, files, pcs and functions, in
// that order.
const headerOffsets = 32

// Tables is the memory of a program, and where its tables are.
type Tables struct {
	memory    []byte
	names     span
	units     span
	files     span
	pcs       span
	functions span
	ftab      uint64 // in functions
	count     int
	first     uint32 // the number of the first function, which gives the first PC
	funcdata  span
	findFunc  span
}

// span is a part of the memory.
type span struct {
	at, length uint64
}

func (s span) of(memory []byte) []byte { return memory[s.at : s.at+s.length] }

// Read finds the tables in the memory of a program that this version of Go linked. An unknown
// layout is an error.
func Read(memory []byte, version string) (*Tables, error) {
	minor := version
	if parts := strings.Split(version, "."); len(parts) > 2 {
		minor = strings.Join(parts[:2], ".")
	}
	known, ok := layouts[minor]
	if !ok {
		return nil, fmt.Errorf("the layout of %q is not known: read runtime/symtab.go of that version and add it to layouts in js/build/slim/pcln", version)
	}
	var found []*Tables
	for at := 0; ; at++ {
		next := bytes.Index(memory[at:], magic)
		if next < 0 {
			break
		}
		at += next
		if t := moduleOf(memory, uint64(at), known); t != nil {
			found = append(found, t)
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d tables look like those of %s, want 1: its layout is not the one that js/build/slim/pcln knows", len(found), version)
	}
	return found[0], found[0].check()
}

// moduleOf looks for the runtime.moduledata of a header: the place where the header's
// address precedes the addresses of the tables that it describes.
func moduleOf(memory []byte, header uint64, known layout) *Tables {
	address := binary.LittleEndian.AppendUint64(nil, header)
	for at := 0; ; at++ {
		next := bytes.Index(memory[at:], address)
		if next < 0 {
			return nil
		}
		at += next
		if at%8 == 0 && at+8*(known.epclntab+1) <= len(memory) {
			if t := tablesAt(memory, uint64(at), header, known); t != nil {
				return t
			}
		}
	}
}

func tablesAt(memory []byte, module, header uint64, known layout) *Tables {
	word := func(at uint64, n int) uint64 { return binary.LittleEndian.Uint64(memory[at+8*uint64(n):]) }
	for i, table := range []int{wordNames, wordUnits, wordFiles, wordPCs, wordPCLN} {
		if header+headerOffsets+40 > uint64(len(memory)) || word(module, table) != header+word(header+headerOffsets, i) {
			return nil
		}
	}
	slice := func(n int, size uint64) span { return span{word(module, n), word(module, n+1) * size} }
	t := &Tables{
		memory: memory,
		names:  slice(wordNames, 1), units: slice(wordUnits, 4), files: slice(wordFiles, 1), pcs: slice(wordPCs, 1),
		functions: slice(wordPCLN, 1), ftab: word(module, wordFtab), count: int(word(module, wordFtab+1)) - 1,
		first: uint32(word(module, wordMinPC) >> 16),
	}
	if t.count < 1 || word(module, wordText) != 0 || int(word(header, 1)) != t.count {
		return nil
	}
	gofunc, find := word(module, known.gofunc), word(module, wordFindFunc)
	t.funcdata, t.findFunc = span{gofunc, find - gofunc}, span{find, findFuncSize(t.count)}
	if find+t.findFunc.length != word(module, known.epclntab) {
		return nil
	}
	return t
}

// check compares the order and the bounds of the tables with what the linker
// writes (func pclntab).
func (t *Tables) check() error {
	before := uint64(0)
	for _, table := range []struct {
		name string
		span
	}{
		{"runtime.funcnametab", t.names}, {"runtime.cutab", t.units}, {"runtime.filetab", t.files},
		{"runtime.pctab", t.pcs}, {"runtime.functab", t.functions}, {"go:func.*", t.funcdata},
		{"runtime.findfunctab", t.findFunc},
	} {
		if table.at < before || table.at+table.length > uint64(len(t.memory)) || table.length > uint64(len(t.memory)) {
			return fmt.Errorf("%s is not where the linker puts it: see what changed in pclntab of cmd/link/internal/ld", table.name)
		}
		before = table.at + table.length
	}
	if t.ftab != t.functions.at || 8*uint64(t.count) > t.functions.length {
		return fmt.Errorf("runtime.functab claims %d functions, for which it has no room", t.count)
	}
	for i := range t.count {
		if f := t.function(i); f.entry != t.first+uint32(i) || f.at+f.size() > t.functions.at+t.functions.length || !t.leads(f) {
			return fmt.Errorf("function %d of %d is not described as the runtime's _func: see what changed there", i, t.count)
		}
	}
	return nil
}

// First is the number of the first function: a PC is the number of a function times
// 65536, plus the place in the function.
func (t *Tables) First() uint32 { return t.first }
