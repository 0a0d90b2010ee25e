package chat

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// safely calls do and returns a panic as an error.
func safely(who string, do func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = panicked(who, fault)
		}
	}()
	return do()
}

// panicked makes an error of what recover returned. The error goes to the log, so it has the text
// of the runtime's own errors. Of any other value, which may hold what a user wrote, it has only
// the type.
func panicked(who string, fault any) error {
	told := fmt.Sprintf("a value of type %T", fault)
	if known, ok := fault.(runtime.Error); ok {
		told = known.Error()
	}
	return fmt.Errorf("%s panicked: %s\n%s", who, told, debug.Stack())
}
