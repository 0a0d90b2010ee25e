package main

import (
	"fmt"
	"io/fs"

	"github.com/chatsdk/chatsdk/service/internal/console"
)

// openConsole returns the files of the console, nil if it is off.
func openConsole(s *settings) (files fs.FS, done func(), err error) {
	if !s.console {
		return nil, func() {}, nil
	}
	if files, done, err = console.Open(); err != nil {
		return nil, nil, fmt.Errorf("CONSOLE: %w", err)
	}
	return files, done, nil
}
