package sqlite

import (
	"errors"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// IsBusy reports whether an error says that another writer took too long.
func IsBusy(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code()&0xff == codes.SQLITE_BUSY
}
