package crash

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/js/build/slim/pcln"
)

var (
	// The text that bridge/panic.go adds to a panic: PCs, the innermost first.
	panicked = regexp.MustCompile(`trace ([0-9a-f]{16}):((?: [0-9a-f]+)+)`)
	// The form in which browsers name a place in a wasm without names, in a trap or an overflow.
	trapped = regexp.MustCompile(`wasm-function\[(\d+)\]`)
)

// Build finds the identity of the build in a text, or "".
func Build(text string) string {
	if found := panicked.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// Trace returns the places in a text, each as a line.
func (m *Map) Trace(text string) (string, error) {
	var out strings.Builder
	if found := panicked.FindStringSubmatch(text); found != nil {
		if found[1] != m.Build {
			return "", fmt.Errorf("the text is from build %s, but the map is of %s", found[1], m.Build)
		}
		for _, hex := range strings.Fields(found[2]) {
			pc, err := strconv.ParseUint(hex, 16, 64)
			if err != nil {
				return "", fmt.Errorf("%s is not a program counter: %w", hex, err)
			}
			m.writePC(&out, pc)
		}
	}
	for _, found := range trapped.FindAllStringSubmatch(text, -1) {
		number, _ := strconv.Atoi(found[1])
		m.writeFunction(&out, number-m.Imported)
	}
	if out.Len() == 0 {
		return "", fmt.Errorf("the text has no \"trace\" of a panic and no \"wasm-function[…]\"")
	}
	return out.String(), nil
}

// writePC identifies a return address: the call is before it.
func (m *Map) writePC(out *strings.Builder, pc uint64) {
	number := int(pc>>16) - int(m.First)
	if number < 0 || number >= len(m.Functions) {
		fmt.Fprintf(out, "%x is not in this program\n", pc)
		return
	}
	f := m.Functions[number]
	at := max(uint32(pc&0xffff), 1) - 1
	for _, spot := range f.Spots {
		if at < spot.End {
			writeFrames(out, spot.Frames)
			return
		}
	}
	fmt.Fprintln(out, f.Name)
}

// writeFunction identifies a function by its beginning: a browser's offset is an offset in the
// file, which does not give a line.
func (m *Map) writeFunction(out *strings.Builder, number int) {
	switch {
	case number < 0 || number >= len(m.Functions):
		fmt.Fprintf(out, "function %d is not part of this program\n", number+m.Imported)
	case len(m.Functions[number].Spots) == 0:
		fmt.Fprintln(out, m.Functions[number].Name)
	default:
		frames := m.Functions[number].Spots[0].Frames
		writeFrames(out, frames[len(frames)-1:])
	}
}

func writeFrames(out *strings.Builder, frames []pcln.Frame) {
	for _, frame := range frames {
		fmt.Fprintf(out, "%s\n\t%s:%d\n", frame.Function, frame.File, frame.Line)
	}
}
