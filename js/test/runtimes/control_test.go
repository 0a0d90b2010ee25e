package runtimes_test

import (
	"encoding/json"
	"io"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// pipe is a pipe whose reader is closed with the test.
func pipe(t *testing.T) (reader, writer *os.File) {
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = reader.Close() })
	return reader, writer
}

// listening is the port that workerd says it listens on.
func listening(t *testing.T, control io.Reader) string {
	var said struct {
		Event, Socket string
		Port          int
	}
	require.NoError(t, json.NewDecoder(control).Decode(&said), "workerd did not start")
	require.Equal(t, "listen", said.Event)
	return strconv.Itoa(said.Port)
}
