package main_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	slim "github.com/chatsdk/chatsdk/js/build/slim"
)

var rounds = flag.Int("rounds", 10, "rounds of heavy garbage collection; 2000 take minutes")

// program is a linked program, and the part of it that is shipped.
type program struct{ linked, shipped, maps string }

func built(t *testing.T) program {
	t.Helper()
	folder := t.TempDir()
	p := program{filepath.Join(folder, "linked.wasm"), filepath.Join(folder, "shipped.wasm"), filepath.Join(folder, "maps")}
	build := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w -buildid=", "-o", p.linked, "./testdata/stress")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	said, err := build.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.NoError(t, slim.Run([]string{"-maps", p.maps, p.linked, p.shipped}, nil, nil))
	return p
}

// goWasm is Go's program that runs a wasm in Node.
func goWasm(t *testing.T) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	return filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/go_js_wasm_exec")
}

// run returns what the program prints in Node.
func run(t *testing.T, wasm string, args ...string) string {
	t.Helper()
	command := exec.Command(goWasm(t), append([]string{wasm}, args...)...)
	// A program with one thread does not know GOMAXPROCS.
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOMAXPROCS=") })
	said, err := command.CombinedOutput()
	require.NoError(t, err, "%s", said)
	return string(said)
}

func TestSlimProgram(t *testing.T) {
	p := built(t)

	t.Run("does the same under heavy garbage collection", func(t *testing.T) {
		rounds := strconv.Itoa(*rounds)
		want := run(t, p.linked, rounds)
		require.Contains(t, want, "collected: true")
		require.Equal(t, want, run(t, p.shipped, rounds))
	})

	t.Run("says where it was, including the inlined call", func(t *testing.T) {
		said := run(t, p.shipped, "0", "where")
		var lines bytes.Buffer
		require.NoError(t, slim.Run([]string{"trace", "-maps", p.maps}, strings.NewReader(said), &lines))
		where := regexp.QuoteMeta("main.main\n\t" + module + "testdata/stress/main.go:" + strconv.Itoa(lineOf(t, "runtime.Callers(0")) + "\n")
		require.Regexp(t, `^runtime\.Callers\n\truntime/extern\.go:\d+\n`+where+`$`, lines.String())
	})

	t.Run("locates a trap through the file that was loaded", func(t *testing.T) {
		var lines bytes.Buffer
		trap := "RangeError: Maximum call stack size exceeded\n at wasm://wasm/00be505a:wasm-function[40]:0x24512c"
		require.NoError(t, slim.Run([]string{"trace", "-maps", p.maps, "-wasm", p.shipped, trap}, nil, &lines))
		require.Regexp(t, `^\S+\n\t\S+\.(go|s):\d+\n$`, lines.String())
	})

	t.Run("makes named functions traps, and knows no other names", func(t *testing.T) {
		traps := filepath.Join(t.TempDir(), "traps.txt")
		trapped := filepath.Join(t.TempDir(), "trapped.wasm")
		write := func(names string) error {
			require.NoError(t, os.WriteFile(traps, []byte("# a group: its reason.\n"+names+"\n"), 0o600))
			return slim.Run([]string{"-maps", t.TempDir(), "-traps", traps, p.linked, trapped}, nil, nil)
		}
		require.ErrorContains(t, write("main.main\nmain.gone"), "traps.txt:3: the program has no function main.gone: remove the line")
		require.NoError(t, write("runtime.schedtrace"))
		require.Equal(t, run(t, p.shipped, "1"), run(t, trapped, "1"), "nobody calls it")
		require.NoError(t, write("main.main"))
		said, err := exec.Command(goWasm(t), trapped, "1").CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(said), "unreachable")
	})

	t.Run("leads to its map", func(t *testing.T) {
		var path bytes.Buffer
		require.NoError(t, slim.Run([]string{"map", "-maps", p.maps, p.shipped}, nil, &path))
		require.FileExists(t, strings.TrimSpace(path.String()))
	})

	t.Run("reports that the map of another file is missing", func(t *testing.T) {
		err := slim.Run([]string{"trace", "-maps", p.maps, "-wasm", p.linked, "wasm-function[40]"}, nil, nil)
		require.ErrorContains(t, err, "none of the 1 maps in "+p.maps+" is for the file with SHA-256 ")
		err = slim.Run([]string{"trace", "-maps", p.maps, "panic: x; trace 0123456789abcdef: 10000001"}, nil, nil)
		require.ErrorContains(t, err, "0123456789abcdef.json.gz")
	})

	t.Run("is a fifth smaller, the same each time, and not executable", func(t *testing.T) {
		linked, shipped := read(t, p.linked), read(t, p.shipped)
		require.Less(t, len(shipped), len(linked)*8/10)
		require.NotContains(t, string(shipped), "main.goroutines")
		again := filepath.Join(t.TempDir(), "again.wasm")
		require.NoError(t, slim.Run([]string{"-maps", t.TempDir(), p.linked, again}, nil, nil))
		require.Equal(t, shipped, read(t, again))
		info, err := os.Stat(p.shipped)
		require.NoError(t, err)
		require.Zero(t, info.Mode()&0o111)
	})

	t.Run("cannot be made slim twice", func(t *testing.T) {
		err := slim.Run([]string{"-maps", p.maps, p.shipped, filepath.Join(t.TempDir(), "out")}, nil, nil)
		require.ErrorContains(t, err, p.shipped+`: the layout of "" is not known`)
	})

	// If the linker writes something elsewhere or in another form, the file must not be shipped.
	for name, change := range map[string]struct {
		from, to string
		want     string
	}{
		"another version of Go":     {"\x02Go\x08go1.", "\x02Go\x08go9.", `: the layout of "go9.`},
		"another kind of tables":    {"\xf1\xff\xff\xff\x00\x00\x01\x08", "\xf0\xff\xff\xff\x00\x00\x01\x08", ": 0 tables look like those of go1."},
		"no place for the identity": {"build-not-mapped", "build-not-marked", `: "build-not-mapped" occurs in the module 0 times, want 1`},
	} {
		t.Run("is not made from a module with "+name, func(t *testing.T) {
			linked := read(t, p.linked)
			require.Contains(t, string(linked), change.from)
			other := filepath.Join(t.TempDir(), "other.wasm")
			require.NoError(t, os.WriteFile(other, bytes.ReplaceAll(linked, []byte(change.from), []byte(change.to)), 0o600))
			out := filepath.Join(t.TempDir(), "out")
			err := slim.Run([]string{"-maps", t.TempDir(), other, out}, nil, nil)
			require.ErrorContains(t, err, other+change.want)
			require.NotContains(t, err.Error(), "\n")
			require.NoFileExists(t, out)
		})
	}
}

func TestArguments(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		text string
		want string
	}{
		"one file":                 {args: []string{"one"}, want: "1 files are given, want 2"},
		"no such file":             {args: []string{"missing", "out"}, want: "open missing"},
		"a text without a build":   {args: []string{"trace"}, text: "panic: x", want: `the text names no build ("trace …:"): say with -wasm`},
		"a wasm that is not there": {args: []string{"trace", "-wasm", "missing", "wasm-function[1]"}, want: "open missing"},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, slim.Run(test.args, strings.NewReader(test.text), nil), test.want)
		})
	}
}

const module = "github.com/chatsdk/chatsdk/js/build/slim/"

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	return content
}

func lineOf(t *testing.T, code string) int {
	t.Helper()
	before, _, found := strings.Cut(string(read(t, "testdata/stress/main.go")), code)
	require.True(t, found)
	return 1 + strings.Count(before, "\n")
}
