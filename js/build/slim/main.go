// Command slim removes from a linked wasm what no page needs, and later says where such
// a wasm panicked.
//
//	go run ./js/build/slim -maps .build/maps -traps js/build/slim/traps.txt linked.wasm dist/chatsdk.wasm
//	go run ./js/build/slim trace "the text of an error, or its stack"
//	go run ./js/build/slim map dist/chatsdk.wasm
//	go run ./js/build/slim reached js/build/slim/traps.txt .build/hits .build/linked.wasm .build/panictest.wasm.linked
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/chatsdk/chatsdk/js/build/slim/crash"
)

func main() {
	if err := Run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "slim:", err)
		os.Exit(1)
	}
}

// Run is the command with its arguments.
func Run(args []string, in io.Reader, out io.Writer) error {
	if len(args) > 0 && args[0] == "trace" {
		return trace(args[1:], in, out)
	}
	if len(args) > 0 && args[0] == "map" {
		return tellMap(args[1:], out)
	}
	if len(args) > 0 && args[0] == "reached" {
		return reached(args[1:], out)
	}
	flags := flag.NewFlagSet("slim", flag.ContinueOnError)
	maps := flags.String("maps", ".build/maps", "the folder for the map")
	traps := flags.String("traps", "", "a file with the names of the functions that no page reaches: each becomes a trap")
	counts := flags.Bool("counts", false, "make each function count its calls, for a build of tests")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return fmt.Errorf("%d files are given, want 2: the linked wasm and the one to write", flags.NArg())
	}
	return slim(flags.Arg(0), flags.Arg(1), *maps, *traps, *counts)
}

func slim(from, to, maps, traps string, counts bool) error {
	linked, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	file, m, err := slimmed(linked, traps, counts)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if _, err := m.Write(maps); err != nil {
		return err
	}
	return os.WriteFile(to, file, 0o644)
}

// trace prints the lines of the places in a text. A browser's trap does not name its build; for a
// trap, -wasm names the file that the page had loaded.
func trace(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("slim trace", flag.ContinueOnError)
	maps := flags.String("maps", ".build/maps", "the folder of the maps")
	wasm := flags.String("wasm", "", "the file that was loaded, if the text does not name its build")
	if err := flags.Parse(args); err != nil {
		return err
	}
	text := strings.Join(flags.Args(), " ")
	if text == "" {
		all, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		text = string(all)
	}
	m, err := mapOf(text, *wasm, *maps)
	if err != nil {
		return err
	}
	lines, err := m.Trace(text)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, lines)
	return err
}

func mapOf(text, wasm, maps string) (*crash.Map, error) {
	if build := crash.Build(text); build != "" {
		return crash.Read(maps, build)
	}
	if wasm == "" {
		return nil, fmt.Errorf("the text names no build (\"trace …:\"): say with -wasm which file was loaded")
	}
	m, _, err := mapFor(wasm, maps)
	return m, err
}

func mapFor(wasm, maps string) (*crash.Map, string, error) {
	file, err := os.ReadFile(wasm)
	if err != nil {
		return nil, "", err
	}
	return crash.ReadFor(maps, file)
}

// tellMap prints the path of the map of a shipped file.
func tellMap(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("slim map", flag.ContinueOnError)
	maps := flags.String("maps", ".build/maps", "the folder of the maps")
	if err := flags.Parse(args); err != nil {
		return err
	}
	_, path, err := mapFor(flags.Arg(0), *maps)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, path)
	return err
}
