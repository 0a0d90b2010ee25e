//go:build unix

package httpapi_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// makePipe makes a named pipe, which whoever opens it waits at.
func makePipe(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, syscall.Mkfifo(name, 0o600))
}
