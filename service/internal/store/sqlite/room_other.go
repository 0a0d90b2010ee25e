//go:build !linux

package sqlite

import (
	"errors"
	"os"
)

// roomIn knows nothing here: there is no reserve.
func roomIn(string) (bytes int64, known bool) { return 0, false }

func allocate(*os.File, int64) error { return errors.ErrUnsupported }
