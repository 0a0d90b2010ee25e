package config

import (
	"fmt"
	"io"
	"os"
	"runtime"
)

// readSecret reads a file of the data folder that only its owner may read. It refuses a file that
// others can read: they may have read it already, whatever its mode is later. Windows has no such
// modes.
func readSecret(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode(); runtime.GOOS != "windows" && mode.IsRegular() && mode.Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s is open to users other than its owner (mode %04o); run chmod 600 %q, "+
			"and if others may have read it, remove it to have a new one made", path, mode.Perm(), path)
	}
	return io.ReadAll(file)
}
