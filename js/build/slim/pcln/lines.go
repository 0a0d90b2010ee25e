package pcln

import "encoding/binary"

// Function is a function with its name, files and lines.
type Function struct {
	Name  string
	Spots []Spot `json:",omitempty"`
}

// Spot is a part of a function, from the previous spot up to End, with the calls that are inlined
// there: the innermost first, the function itself last.
type Spot struct {
	End    uint32 // the first resume point (PC_B) after it
	Frames []Frame
}

// Frame is a line of a function.
type Frame struct {
	Function string
	File     string
	Line     int32
}

// Functions lists all functions, in the order of the code section.
func (t *Tables) Functions() []Function {
	functions := make([]Function, t.count)
	for i := range functions {
		f := t.function(i)
		functions[i] = Function{Name: t.name(f.get(fieldName)), Spots: t.spots(f)}
	}
	return functions
}

func (t *Tables) spots(f function) []Spot {
	l := lines{t: t, f: f}
	l.files, _ = t.steps(f.get(fieldFile))
	l.lines, _ = t.steps(f.get(fieldLine))
	if f.pcdata() > pcInlineTree && f.funcdata() > dataInlineTree {
		l.inlined, _ = t.steps(f.get(f.pcdataField(pcInlineTree)))
		l.tree = f.get(f.funcdataField(dataInlineTree))
	}
	var spots []Spot
	for pc := uint32(0); ; {
		end := l.end(pc)
		if end == 0 {
			return spots
		}
		spots = append(spots, Spot{end, l.frames(pc)})
		pc = end
	}
}

// lines has the tables that give the lines of one function.
type lines struct {
	t                     *Tables
	f                     function
	files, lines, inlined []step
	tree                  uint32
}

// end is where, after a PC, the next change in one of the tables is, or 0 after the last.
func (l lines) end(pc uint32) uint32 {
	end := uint32(0)
	for _, steps := range [][]step{l.files, l.lines, l.inlined} {
		for _, s := range steps {
			if s.end > pc {
				if end == 0 || s.end < end {
					end = s.end
				}
				break
			}
		}
	}
	return end
}

// inlineDepth limits how deep inlined calls may be nested, in case a table has a cycle.
const inlineDepth = 100

// frames follows the calls that are inlined at a PC (runtime/symtabinl.go).
func (l lines) frames(pc uint32) []Frame {
	var frames []Frame
	for range inlineDepth {
		index := valueAt(l.inlined, pc)
		call := l.call(index)
		name := l.t.name(l.f.get(fieldName))
		if call != nil {
			name = l.t.name(binary.LittleEndian.Uint32(call[4:]))
		}
		frames = append(frames, Frame{name, l.file(valueAt(l.files, pc)), valueAt(l.lines, pc)})
		if call == nil {
			break
		}
		pc = binary.LittleEndian.Uint32(call[8:])
	}
	return frames
}

// call is the runtime's inlinedCall: the kind, the name, the caller's PC, the first line.
func (l lines) call(index int32) []byte {
	at := uint64(l.tree) + 16*uint64(index)
	if index < 0 || l.tree == none || at+16 > l.t.funcdata.length {
		return nil
	}
	return l.t.funcdata.of(l.t.memory)[at : at+16]
}

// file looks a number up in the function's compilation unit (func funcfile in runtime/symtab.go).
func (l lines) file(number int32) string {
	at := 4 * (uint64(l.f.get(fieldUnit)) + uint64(number))
	if number < 0 || at+4 > l.t.units.length {
		return ""
	}
	return text(l.t.files.of(l.t.memory), binary.LittleEndian.Uint32(l.t.units.of(l.t.memory)[at:]))
}
