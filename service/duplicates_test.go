package main_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/cli"
)

func TestDuplicates(t *testing.T) {
	t.Parallel()
	const pair = `{"id":"1","a":"I have 3 sisters.","b":"User has three sisters","source":"x"}` + "\n"
	tables := []struct {
		name, stdin    string
		args           []string
		stdout, stderr string
	}{
		{name: "answers each line", stdin: pair + `{"id":"<2>","a":"I have a cat","b":"I have a dog"}`,
			stdout: `{"id":"1","duplicate":true}` + "\n" + `{"id":"<2>","duplicate":false}` + "\n"},
		{name: "writes nothing without input"},
		{name: "stops at a line that is not JSON", stdin: pair + "secret words\n" + pair,
			stdout: `{"id":"1","duplicate":true}` + "\n",
			stderr: `chatsdk: duplicates: line 2: not a pair, want {"id": "...", "a": "...", "b": "..."}` + "\n"},
		{name: "stops at a line without b", stdin: `{"id":"1","a":"x"}`,
			stderr: `chatsdk: duplicates: line 1: not a pair, want {"id": "...", "a": "...", "b": "..."}` + "\n"},
		{name: "stops at a line that is too long", stdin: pair + strings.Repeat("x", 1<<20),
			stdout: `{"id":"1","duplicate":true}` + "\n",
			stderr: "chatsdk: duplicates: line 2: bufio.Scanner: token too long; want at most 1048575 bytes\n"},
		{name: "takes no arguments", args: []string{"file"},
			stderr: "chatsdk: duplicates: argument \"file\", want none: it reads standard input\n"},
	}
	for _, table := range tables {
		t.Run(table.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			args := append([]string{"duplicates"}, table.args...)
			code := cli.Run(args, env{}.lookup, strings.NewReader(table.stdin), &stdout, &stderr)
			require.Equal(t, table.stdout, stdout.String())
			require.Equal(t, table.stderr, stderr.String())
			require.Equal(t, table.stderr == "", code == 0)
		})
	}
}
