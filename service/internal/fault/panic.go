package fault

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Safely calls do and returns a panic as an error.
func Safely(who string, do func() error) (err error) {
	defer func() {
		if raised := recover(); raised != nil {
			err = Panicked(who, raised)
		}
	}()
	return do()
}

// Panicked makes an error of what recover returned. The error goes to the log, so it has the text
// of the runtime's own errors. Of any other value, which may hold what a user wrote, it has only
// the type.
func Panicked(who string, raised any) error {
	told := fmt.Sprintf("a value of type %T", raised)
	if known, ok := raised.(runtime.Error); ok {
		told = known.Error()
	}
	return fmt.Errorf("%s panicked: %s\n%s", who, told, debug.Stack())
}
