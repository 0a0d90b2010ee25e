package main_test

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/cli"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	const nothing = `{"id":"1","text":"What time is it?","more":1}` + "\n"
	const empty = `{"id":"1","memories":[]}` + "\n"
	const wanted = `not a message, want {"id": "...", "text": "..."}` + "\n"
	tables := []struct{ name, stdin, stdout, stderr string }{
		{"returns spans in UTF-16 units", `{"id":"a","text":"😀 I'm vegan & shy"}`,
			`{"id":"a","memories":[{"type":"fact","content":"User is vegan & shy","confidence":0.93,"span":{"start":3,"end":18}}]}` + "\n", ""},
		{"returns an empty list if it finds nothing", nothing, empty, ""},
		{"writes nothing without input", "", "", ""},
		{"stops at a line that is not JSON", nothing + "I am 30\n" + nothing, empty, "chatsdk: detect: line 2: " + wanted},
		{"stops at a line without id", nothing + `{"text":"x"}`, empty, "chatsdk: detect: line 2: " + wanted},
		{"stops at a line without text", `{"id":"1"}`, "", "chatsdk: detect: line 1: " + wanted},
		{"stops at a text that is not a string", `{"id":"1","text":5}`, "", "chatsdk: detect: line 1: " + wanted},
		{"stops at two values on a line", `{"id":"1","text":"x"} {}`, "", "chatsdk: detect: line 1: " + wanted},
	}
	for _, table := range tables {
		t.Run(table.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			code := cli.Run([]string{"detect"}, env{}.lookup, strings.NewReader(table.stdin), &stdout, &stderr)
			require.Equal(t, table.stdout, stdout.String())
			require.Equal(t, table.stderr, stderr.String())
			require.Equal(t, table.stderr == "", code == 0)
		})
	}
}

func TestDetectAnswersBeforeItReadsOn(t *testing.T) {
	t.Parallel()
	stdin, ask := io.Pipe()
	answers, stdout := io.Pipe()
	done := make(chan int, 1)
	go func() { done <- cli.Run([]string{"detect"}, env{}.lookup, stdin, stdout, io.Discard) }()
	replies := bufio.NewReader(answers)
	for range 3 {
		_, err := io.WriteString(ask, `{"id":"1","text":"hello there"}`+"\n")
		require.NoError(t, err)
		reply, err := replies.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, `{"id":"1","memories":[]}`+"\n", reply)
	}
	require.NoError(t, ask.Close())
	require.Zero(t, <-done)
}
