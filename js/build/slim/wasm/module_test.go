package wasm_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/build/slim/wasm"
)

const preamble = "\x00asm\x01\x00\x00\x00"

// module imports one function, and has "ab" at address 100 and "c\x00\x00\x00d" at 300,
// each in its own segment.
const module = preamble +
	"\x02\x0a\x01\x04gojs\x01f\x00\x00" + // i32.const is signed: 100 needs two bytes
	"\x0b\x14\x02\x00\x41\xe4\x00\x0b\x02ab\x00\x41\xac\x02\x0b\x05c\x00\x00\x00d" +
	"\x00\x1a\x09producers\x01\x08language\x01\x02Go\x01x"

func parsed(t *testing.T, file string) *wasm.Module {
	t.Helper()
	m, err := wasm.Parse([]byte(file))
	require.NoError(t, err)
	return m
}

func TestAModuleIsRead(t *testing.T) {
	m := parsed(t, module)
	require.Equal(t, module, string(m.Bytes()))
	require.Equal(t, "x", m.Toolchain())
	functions, err := m.ImportedFunctions()
	require.NoError(t, err)
	require.Equal(t, 1, functions)
	memory, err := m.Memory()
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("\x00", 100)+"ab"+strings.Repeat("\x00", 198)+"c\x00\x00\x00d", string(memory))
	m.DropCustom()
	require.Empty(t, m.Toolchain())
}

func TestMemoryIsWrittenInFewSegments(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	for name, test := range map[string]struct {
		memory   string
		segments byte
	}{
		"nothing":                         {zeros(200), 0},
		"one stretch":                     {zeros(10) + "abc", 1},
		"zeros that cost less than a cut": {"a" + zeros(63) + "b", 1},
		"zeros that cost more":            {"a" + zeros(64) + "b", 2},
		"zeros at the end":                {"a" + zeros(30), 1},
		"at high addresses":               {zeros(3_000_000) + "a", 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := parsed(t, module)
			require.NoError(t, m.SetMemory([]byte(test.memory)))
			file := string(m.Bytes())
			_, data, found := strings.Cut(file, "\x00\x00\x0b") // after the imports
			require.True(t, found)
			require.Equal(t, test.segments, data[1])
			memory, err := parsed(t, file).Memory()
			require.NoError(t, err)
			require.Equal(t, strings.TrimRight(test.memory, "\x00"), string(memory))
		})
	}
}

func TestBrokenModules(t *testing.T) {
	read := func(file string) error {
		m, err := wasm.Parse([]byte(file))
		if err != nil {
			return err
		}
		if _, err := m.ImportedFunctions(); err != nil {
			return err
		}
		memory, err := m.Memory()
		if err != nil {
			return err
		}
		return m.SetMemory(memory)
	}
	require.NoError(t, read(module))
	for name, test := range map[string]struct{ file, want string }{
		"HTML":                          {"<!DOCTYPE html>", "not a WebAssembly module"},
		"cut":                           {module[:len(module)-1], "sections: the file ends too early"},
		"without data":                  {preamble, "data: the module has none"},
		"a passive segment":             {preamble + "\x0b\x04\x01\x01\x01a", "data: "},
		"a segment at a global's place": {preamble + "\x0b\x07\x01\x00\x23\x00\x0b\x01a", "no constant place"},
		"a segment below the memory":    {preamble + "\x0b\x07\x01\x00\x41\x7f\x0b\x01a", "no constant place"},
		"more segments than there are":  {preamble + "\x0b\x05\xff\xff\xff\xff\x0f", "data: the file ends too early"},
		"an imported memory":            {preamble + "\x02\x07\x01\x01a\x01b\x02\x00", "imports: one is of kind 2"},
		"a count of segments":           {preamble + "\x0c\x01\x01" + "\x0b\x07\x01\x00\x41\x00\x0b\x01a", "counts its data segments"},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, read(test.file), test.want) })
	}
}

// A file that is not a module is an error, never a panic or a loop.
func FuzzModule(f *testing.F) {
	f.Add([]byte(module))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := wasm.Parse(file)
		if err != nil {
			return
		}
		m.Toolchain()
		_, _ = m.ImportedFunctions()
		memory, err := m.Memory()
		if err != nil || m.SetMemory(memory) != nil {
			return
		}
		again, err := m.Memory()
		require.NoError(t, err)
		require.True(t, bytes.Equal(bytes.TrimRight(memory, "\x00"), again))
	})
}
