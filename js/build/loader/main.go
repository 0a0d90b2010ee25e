// Command loader makes .build/wasm_exec.mjs from the toolchain's wasm_exec.js: with
// our own scope instead of the global object (see scope in js/src/platform.ts),
// and without what our program does not use. A test in js/test compares what is
// left with what chatsdk.wasm imports. If the text of the toolchain's loader has
// changed, the build fails.
//
//	go run ./js/build/loader wasm_exec.js .build/wasm_exec.mjs
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "loader:", err)
		os.Exit(1)
	}
}

func run(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	made, err := trim(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return os.WriteFile(to, []byte(made), 0o644)
}

// parts are removed, each from its first text up to its second, which stays.
var parts = [][2]string{
	// What the scope has, and what Go asks for when files are used.
	{"\tconst enosys = ", "\tconst encoder = "},
	// Arguments and environment; js/src/core.ts handles the exit.
	{"\t\t\tthis.argv = ", "\t\t\tthis._exitPromise = "},
	{"\t\t\t// Pass command line arguments", "\t\t\tthis._inst.exports.run("},
	{"\t\t\tif (!(instance instanceof", "\t\t\tthis._inst = instance;"},
	// What the toolchain's tests import, and other programs.
	{"\t\t\tconst testCallExport = ", "\t\t\tconst timeOrigin = "},
	{"\t\t\t\t_gotest: ", "\t\t\t\tgojs: "},
	{"\t\t\t\t\t// func valueDelete(", "\t\t\t\t\t// func valueIndex("},
	{"\t\t\t\t\t// func valueInvoke(", "\t\t\t\t\t// func valueNew("},
	{"\t\t\t\t\t// func valueInstanceOf(", "\t\t\t\t\t\"debug\": "}, // and the copying of bytes, which js/src/core.ts does
	// Nobody reads what a fatal error writes; it ends in the crash.
	{"\t\t\t\t\t\tconst fd = ", "\t\t\t\t\t},\n\n\t\t\t\t\t// func resetMemoryDataView("},
	{"\t\t\t\t\t\"debug\": ", "\t\t\t\t}\n\t\t\t};\n"},
}

// changes are replacements, each an old text and its new one.
var changes = [][2]string{
	// A null pointer ends the list of arguments, and another one the list of the environment.
	{"exports.run(argc, argv)", "exports.run(0, 4096)"},
	// The warning helps nobody.
	{"console.warn(\"scheduleTimeoutEvent: missed timeout event\");", ""},
	// js/src/core.ts checks this first.
	{"\t\t\tif (this.exited) {\n\t\t\t\tthrow new Error(\"Go program has already exited\");\n\t\t\t}\n", ""},
	// Nobody reads the exit code.
	{"\t\t\t\t\t\tconst code = this.mem.getInt32(sp + 8, true);\n", ""},
	{"\t\t\t\t\t\tthis.exit(code);\n", ""},
	// A length is a number already.
	{"parseInt(loadValue(sp + 8).length)", "loadValue(sp + 8).length"},
	// It would remove a byte order mark from the beginning of each text that Go passes.
	{`new TextDecoder("utf-8")`, `new TextDecoder("utf-8", { ignoreBOM: true })`},
}

func trim(text string) (string, error) {
	for _, part := range parts {
		start := strings.Index(text, part[0])
		end := strings.Index(text, part[1])
		if start < 0 || end < start {
			return "", fmt.Errorf("no %q before %q; see what changed in it and adapt js/build/loader", part[0], part[1])
		}
		text = text[:start] + text[end:]
	}
	for _, change := range changes {
		if !strings.Contains(text, change[0]) {
			return "", fmt.Errorf("no %q; see what changed in it and adapt js/build/loader", change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	return "export function loader(globalThis) { const { TextEncoder, TextDecoder, Promise } = globalThis;\n" + text + "\nreturn globalThis.Go; }\n", nil
}
