// Package console has the files of the console that CONSOLE=1 serves. Use Open.
package console

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// files are what make console built before the program was built. Without it they are only a README.
//
//go:embed files
var files embed.FS

// Folder is where make console builds the console. If the working directory has it, it is served in
// place of the files in the program.
const Folder = "dist/console"

// names are some files without which the console cannot work.
var names = []string{"index.html", "console.js", "console.css", "chatsdk.mjs", "chatsdk.wasm"}

var errNotBuilt = errors.New("this program was built without the console; run make console in the project's folder, and build the program again")

// Open returns the files of the console. The caller calls done when they are not needed any more.
func Open() (found fs.FS, done func(), err error) {
	inside, err := fs.Sub(files, "files")
	if err != nil {
		return nil, nil, err
	}
	return From(filepath.FromSlash(Folder), inside)
}

// From returns the files of a folder if there is one, else those that are inside the program, as
// Open does.
func From(folder string, inside fs.FS) (found fs.FS, done func(), err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		if missing(inside) != "" {
			return nil, nil, errNotBuilt
		}
		return inside, func() {}, nil
	}
	if name := missing(root.FS()); name != "" {
		_ = root.Close()
		return nil, nil, fmt.Errorf("%s/%s is missing in the working directory; run make console in the project's folder", Folder, name)
	}
	return root.FS(), func() { _ = root.Close() }, nil
}

// missing returns the first file that is not there, else empty.
func missing(in fs.FS) string {
	for _, name := range names {
		if _, err := fs.Stat(in, name); err != nil {
			return name
		}
	}
	return ""
}
