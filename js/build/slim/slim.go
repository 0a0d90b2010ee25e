package main

import (
	"bytes"
	"fmt"

	"github.com/chatsdk/chatsdk/js/build/slim/crash"
	"github.com/chatsdk/chatsdk/js/build/slim/pcln"
	"github.com/chatsdk/chatsdk/js/build/slim/wasm"
)

// slimmed returns a module without the parts that no page needs, and the map of the removed parts. The functions that the file
// at traps names become traps; if counts is true, each function counts its calls.
func slimmed(linked []byte, traps string, counts bool) ([]byte, *crash.Map, error) {
	module, memory, tables, err := read(linked)
	if err != nil {
		return nil, nil, err
	}
	m := &crash.Map{Build: crash.Identity(linked), Toolchain: module.Toolchain()}
	if m.Imported, err = module.ImportedFunctions(); err != nil {
		return nil, nil, err
	}
	m.First, m.Functions = tables.First(), tables.Functions()
	if err := tables.Drop(); err != nil {
		return nil, nil, err
	}
	if err := sign(memory, m.Build); err != nil {
		return nil, nil, err
	}
	if traps != "" {
		functions, err := trapped(traps, m.Functions)
		if err != nil {
			return nil, nil, err
		}
		if err := module.Trap(functions); err != nil {
			return nil, nil, err
		}
	}
	if counts {
		if err := module.Count(); err != nil {
			return nil, nil, err
		}
	}
	module.DropCustom()
	if err := module.SetMemory(memory); err != nil {
		return nil, nil, err
	}
	file := module.Bytes()
	m.Ship(file)
	return file, m, nil
}

// read returns a linked module, the memory that it begins with, and Go's tables in that memory.
func read(linked []byte) (*wasm.Module, []byte, *pcln.Tables, error) {
	module, err := wasm.Parse(linked)
	if err != nil {
		return nil, nil, nil, err
	}
	memory, err := module.Memory()
	if err != nil {
		return nil, nil, nil, err
	}
	tables, err := pcln.Read(memory, module.Toolchain())
	return module, memory, tables, err
}

// sign writes the build's identity in place of crash.Unmapped.
func sign(memory []byte, build string) error {
	unmapped := []byte(crash.Unmapped)
	if places := bytes.Count(memory, unmapped); places != 1 {
		return fmt.Errorf("%q occurs in the module %d times, want 1: see bridge/panic.go", crash.Unmapped, places)
	}
	copy(memory[bytes.Index(memory, unmapped):], build)
	return nil
}
