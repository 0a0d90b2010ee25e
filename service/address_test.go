package main_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"
)

// stranger is another program, at the address of a killed service whose address
// file is still in the data folder.
func stranger(t *testing.T, folder string) (calls *atomic.Int32) {
	t.Helper()
	calls = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	t.Cleanup(server.Close)
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "data"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "data", "address"), []byte(server.URL+"\n"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "in"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "in", "a.md"), []byte("Text."), 0o600))
	return calls
}

// After a kill, and until the next process listens, an import doesn't go to
// another program at the old address.
func TestAStaleAddressGetsNoSecret(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	calls := stranger(t, folder)
	starting := flock.New(filepath.Join(folder, "data", "lock"))
	locked, err := starting.TryLock()
	require.NoError(t, err)
	require.True(t, locked)
	code, _, stderr := output(t, folder, keyed(), "import", "in")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "try again in a moment")
	require.Zero(t, calls.Load())

	require.NoError(t, starting.Unlock())
	p := startIn(t, folder, nil)
	code, stdout, stderr := output(t, folder, keyed(), "import", "in")
	require.Zero(t, code, stdout+stderr)
	require.Len(t, p.documents(), 1)
	require.Zero(t, calls.Load())

	address := filepath.Join(folder, "data", "address")
	info, err := os.Stat(address)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoFileExists(t, address+".new")
	p.stop()
	require.NoFileExists(t, address)
}

// A process first removes the old address from the folder that it has locked.
func TestAStartRemovesTheOldAddress(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	stranger(t, folder)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	require.Contains(t, fails(t, folder, keyed(), "-addr", taken.Addr().String()), "is in use")
	require.NoFileExists(t, filepath.Join(folder, "data", "address"))
}
