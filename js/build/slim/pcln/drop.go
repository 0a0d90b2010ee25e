package pcln

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Drop takes out what a program does not need to run, and closes the gaps:
//
//   - Names, except those that decide something: panicwrap reads the names of wrappers,
//     stkframe.go compares two names of reflect, and a prefix marks the runtime's own
//     goroutines (isSystemGoroutine).
//   - Files, lines and what was inlined where, which only tracebacks show. Package crash
//     reads a panic's stack with a map instead.
//   - Where a goroutine may be preempted at any instruction, which needs threads.
//   - 15 of 16 buckets of findfunctab. A PC of wasm is the number of a function times
//     65536, and a bucket is for 4096: the others are never looked up (findfunc).
func (t *Tables) Drop() error {
	names := newPacker(t.memory, t.names, 1) // offset 0 means no name
	pcs := newPacker(t.memory, t.pcs, 1)     // offset 0 means no table
	funcdata := newPacker(t.memory, t.funcdata, 0)
	ends := t.funcdataEnds()
	for i := range t.count {
		f := t.function(i)
		f.set(fieldName, names.put(t.keptName(f), 1))
		for _, field := range []uint64{fieldFile, fieldLine, fieldUnit, fieldStartLine} {
			f.set(field, 0)
		}
		t.moveSteps(pcs, f, fieldSP)
		for n := range f.pcdata() {
			if n == pcUnsafePoint || n == pcInlineTree || n == pcLiveArgs {
				f.set(f.pcdataField(n), 0)
			}
			t.moveSteps(pcs, f, f.pcdataField(n))
		}
		for n := range f.funcdata() {
			field := f.funcdataField(n)
			if n == dataInlineTree || n == dataArgs || n == dataLiveArgs {
				f.set(field, none)
			}
			if at := f.get(field); at != none {
				f.set(field, funcdata.put(t.funcdata.of(t.memory)[at:ends[at]], alignment(at)))
			}
		}
	}
	for _, table := range []*packer{names, pcs, funcdata} {
		if err := table.write(); err != nil {
			return err
		}
	}
	clear(t.units.of(t.memory))
	clear(t.files.of(t.memory))
	t.dropBuckets()
	return nil
}

func (t *Tables) keptName(f function) []byte {
	name := t.name(f.get(fieldName))
	switch {
	case strings.HasPrefix(name, "runtime."):
		return []byte("runtime.\x00")
	case name == "reflect.makeFuncStub", name == "reflect.methodValueCall", f.id() == wrapper && strings.Contains(name, ".(*"):
		return []byte(name + "\x00")
	}
	return []byte("\x00")
}

// moveSteps makes a field of a function point to the new place of its PC table.
func (t *Tables) moveSteps(pcs *packer, f function, field uint64) {
	if at := f.get(field); at != 0 {
		_, length := t.steps(at)
		f.set(field, pcs.put(t.pcs.of(t.memory)[at:][:length], 1))
	}
}

// funcdataEnds returns for each FUNCDATA its latest possible end: the beginning of the next one.
func (t *Tables) funcdataEnds() map[uint32]uint32 {
	all := []uint32{uint32(t.funcdata.length)}
	for i := range t.count {
		f := t.function(i)
		for n := range f.funcdata() {
			if at := f.get(f.funcdataField(n)); at != none {
				all = append(all, at)
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	ends := map[uint32]uint32{}
	for i, at := range all[:len(all)-1] {
		ends[at] = all[i+1]
	}
	return ends
}

// alignment is the alignment of an address, at most 8: data at a multiple of 4 may need that
// alignment.
func alignment(at uint32) int {
	for _, size := range []int{8, 4, 2} {
		if at%uint32(size) == 0 {
			return size
		}
	}
	return 1
}

// A function has this many buckets. Each has the index of a function, and for each of its sixteen
// parts a number to add to the index.
const (
	bucketsEach = 1 << 16 / 4096
	bucketSize  = 20
	bucketRead  = 5 // the index, and the first of the parts
)

func (t *Tables) dropBuckets() {
	table := t.findFunc.of(t.memory)
	for at := 0; at < len(table); at += bucketSize {
		read := 0
		if at/bucketSize%bucketsEach == 0 {
			read = bucketRead
		}
		clear(table[at+read : min(at+bucketSize, len(table))])
	}
}

// findFuncSize is how many bytes of findfunctab are read, up to the last function.
func findFuncSize(count int) uint64 { return uint64(count-1)*bucketsEach*bucketSize + bucketRead }

// packer rebuilds a table from the parts that stay, each of them once.
type packer struct {
	memory []byte
	place  span
	table  []byte
	known  map[string]uint32
}

// newPacker begins with some unchanged bytes of the table.
func newPacker(memory []byte, place span, kept int) *packer {
	return &packer{memory, place, slices.Clone(place.of(memory)[:kept]), map[string]uint32{}}
}

func (p *packer) put(part []byte, alignment int) uint32 {
	key := string(binary.AppendUvarint(nil, uint64(alignment))) + string(part)
	at, known := p.known[key]
	if !known {
		for len(p.table)%alignment != 0 {
			p.table = append(p.table, 0)
		}
		at = uint32(len(p.table))
		p.table = append(p.table, part...)
		p.known[key] = at
	}
	return at
}

func (p *packer) write() error {
	place := p.place.of(p.memory)
	if len(p.table) > len(place) {
		return fmt.Errorf("the table at %#x needs %d bytes after packing, but has %d", p.place.at, len(p.table), len(place))
	}
	clear(place[copy(place, p.table):])
	return nil
}
