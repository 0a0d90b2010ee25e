package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// addressFile holds the address of the service that has locked a folder. It is valid only
// while addressLock is held, which ends with the process: after a kill, another program may
// listen at the address.
func addressFile(folder string) string { return filepath.Join(folder, "address") }

func addressLock(folder string) *flock.Flock {
	return flock.New(filepath.Join(folder, "address.lock"), flock.SetPermissions(0o600))
}

// forgetAddress removes the address of an earlier process. The caller holds the lock of the
// folder.
func forgetAddress(folder string) error {
	if err := os.Remove(addressFile(folder)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return inData(err)
	}
	return nil
}

// announce tells other processes of this account where the service listens. withdraw ends that,
// and may be called more than once. If the service listens on every address, localhost is
// announced.
func announce(folder string, at net.Addr) (withdraw func(), err error) {
	address := at.String()
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		address = fmt.Sprintf("localhost:%d", tcp.Port)
	}
	file, lock := addressFile(folder), addressLock(folder)
	err = os.WriteFile(file+".new", []byte("http://"+address+"\n"), 0o600)
	if err == nil {
		err = os.Rename(file+".new", file) // so that nobody reads an incomplete file
	}
	if err == nil {
		err = lock.Lock()
	}
	if err != nil {
		return nil, inData(err)
	}
	return sync.OnceFunc(func() {
		_ = os.Remove(file)
		_ = lock.Unlock()
	}), nil
}

// announced returns the address of the service that holds the lock of a folder and listens.
func announced(folder string) (address string, err error) {
	lock := addressLock(folder)
	nobody, err := lock.TryRLock()
	if err != nil {
		return "", inData(err)
	}
	if nobody {
		return "", errors.Join(errNotListening, lock.Unlock())
	}
	text, err := os.ReadFile(addressFile(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return "", errNotListening // it has just ended
	}
	return strings.TrimSpace(string(text)), err
}

var errNotListening = errors.New("its service is starting or stopping; try again in a moment")

func inData(err error) error {
	return fmt.Errorf("DATA: %w; choose another folder with DATA or -data", err)
}
