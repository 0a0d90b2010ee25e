package app

import (
	"fmt"
	"io/fs"

	"github.com/chatsdk/chatsdk/service/internal/config"
	"github.com/chatsdk/chatsdk/service/internal/console"
)

// openConsole returns the files of the console, nil if it is off.
func openConsole(s *config.Settings) (files fs.FS, done func(), err error) {
	if !s.Console {
		return nil, func() {}, nil
	}
	if files, done, err = console.Open(); err != nil {
		return nil, nil, fmt.Errorf("CONSOLE: %w", err)
	}
	return files, done, nil
}
