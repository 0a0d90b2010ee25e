// Package crash says where a core crashed. A shipped core has no names or lines. The build writes
// them into a map beside the core, which is not shipped. The build's identity is in the map, in the
// wasm, and in the text of a panic.
package crash

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/chatsdk/chatsdk/js/build/slim/pcln"
)

// Unmapped is the placeholder that slim replaces with the identity; a core without a map keeps it.
// bridge/panic.go has it too.
const Unmapped = "build-not-mapped"

// Identity distinguishes builds: it is computed from the linked module.
func Identity(linked []byte) string { return sum(linked)[:len(Unmapped)] }

func sum(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// Map identifies the functions of one build.
type Map struct {
	Build     string
	SHA256    string // of the wasm that is shipped
	Toolchain string
	First     uint32 // the PC of the first function
	Imported  int    // JavaScript functions, which come first in WebAssembly's numbering
	Functions []pcln.Function
}

// Ship records which file is shipped.
func (m *Map) Ship(file []byte) { m.SHA256 = sum(file) }

// Write puts the map into a folder, under its identity.
func (m *Map) Write(folder string) (path string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	path = place(folder, m.Build)
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	packed := gzip.NewWriter(file)
	err = json.NewEncoder(packed).Encode(m)
	for _, end := range []io.Closer{packed, file} {
		if failed := end.Close(); err == nil {
			err = failed
		}
	}
	return path, err
}

func place(folder, build string) string { return filepath.Join(folder, build+".json.gz") }

// Read reads the map of a build that Write has written.
func Read(folder, build string) (*Map, error) {
	m, err := read(place(folder, build))
	if err == nil && m.Build != build {
		return nil, fmt.Errorf("%s is the map of build %s", place(folder, build), m.Build)
	}
	return m, err
}

// ReadFor reads the map of a shipped file, and returns its path.
func ReadFor(folder string, shipped []byte) (m *Map, path string, err error) {
	paths, err := filepath.Glob(place(folder, "*"))
	if err != nil {
		return nil, "", err
	}
	sum := sum(shipped)
	for _, path := range paths {
		m, err := read(path)
		if err != nil {
			return nil, "", err
		}
		if m.SHA256 == sum {
			return m, path, nil
		}
	}
	return nil, "", fmt.Errorf("none of the %d maps in %s is for the file with SHA-256 %s; get it from where that version was built", len(paths), folder, sum)
}

func read(path string) (*Map, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("a map is missing: %w; get it from where that version was built", err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m := &Map{}
	if err := json.NewDecoder(packed).Decode(m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}
