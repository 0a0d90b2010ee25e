package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// consoleFolder is where make console builds the console.
const consoleFolder = "dist/console"

// consoleFiles are some files without which the console cannot work.
var consoleFiles = []string{"index.html", "console.js", "console.css", "chatsdk.mjs", "chatsdk.core.mjs", "chatsdk.wasm"}

// openConsole returns the files of the console, nil if it is off.
func openConsole(s *settings) (files fs.FS, done func(), err error) {
	if !s.console {
		return nil, func() {}, nil
	}
	root, err := os.OpenRoot(filepath.FromSlash(consoleFolder))
	if err != nil {
		return nil, nil, missingConsole(consoleFolder)
	}
	for _, name := range consoleFiles {
		if _, err := root.Stat(name); err != nil {
			_ = root.Close()
			return nil, nil, missingConsole(consoleFolder + "/" + name)
		}
	}
	return root.FS(), func() { _ = root.Close() }, nil
}

func missingConsole(name string) error {
	return fmt.Errorf("CONSOLE: %s is missing in the working directory; run make console in the project's folder", name)
}
