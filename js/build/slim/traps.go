package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/js/build/slim/pcln"
)

// reached compares a file of traps with the functions that have run in counting builds. hits.cjs has written these into a folder, one
// file a program. A trap that has run is an error, and so is a program of which nothing has run.
func reached(args []string, out io.Writer) error {
	if len(args) < 3 {
		return fmt.Errorf("%d arguments are given, want the file of traps, the folder of hits and linked programs", len(args))
	}
	hit := map[string]bool{}
	var program []pcln.Function
	for _, path := range args[2:] {
		functions, err := functionsOf(path)
		if err != nil {
			return err
		}
		hits, err := os.ReadFile(filepath.Join(args[1], strconv.Itoa(len(functions))))
		if err != nil {
			return err
		}
		for number := range strings.FieldsSeq(string(hits)) {
			if n, err := strconv.Atoi(number); err == nil && n < len(functions) {
				hit[functions[n].Name] = true
			}
		}
		program = append(program, functions...)
	}
	traps, err := trapped(args[0], program)
	if err != nil {
		return err
	}
	var wrong []string
	for n := range traps {
		if hit[program[n].Name] {
			wrong = append(wrong, program[n].Name)
		}
	}
	slices.Sort(wrong)
	fmt.Fprintf(out, "%d functions ran, and %d of the %d traps\n", len(hit), len(wrong), len(traps))
	if len(wrong) > 0 {
		return fmt.Errorf("reached: %s: take them out of %s", strings.Join(wrong, ", "), args[0])
	}
	return nil
}

func functionsOf(path string) ([]pcln.Function, error) {
	linked, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, _, tables, err := read(linked)
	if err != nil {
		return nil, err
	}
	return tables.Functions(), nil
}

// trapped returns the functions that a file names, by their place in the code section. Its lines are names, empty, or begin
// with #. A name that the program does not have is an error: the file must say what it does.
func trapped(path string, functions []pcln.Function) (map[int]bool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	traps := map[int]bool{}
	for number, line := range strings.Split(string(text), "\n") {
		name := strings.TrimSpace(line)
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		at := slices.IndexFunc(functions, func(f pcln.Function) bool { return f.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("%s:%d: the program has no function %s: remove the line", path, number+1, name)
		}
		traps[at] = true
	}
	return traps, nil
}
