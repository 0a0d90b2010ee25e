//go:build unix

package httpapi_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// makePipe makes a named pipe. Opening it blocks.
func makePipe(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, syscall.Mkfifo(name, 0o600))
}
