package chat

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// safely gives a panic of do as an error.
func safely(who string, do func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = panicked(who, fault)
		}
	}()
	return do()
}

// panicked makes an error of what recover gave. It goes to the log, so the
// runtime's own faults are told, and of any other value, which may hold
// somebody's words, only the type.
func panicked(who string, fault any) error {
	told := fmt.Sprintf("a value of type %T", fault)
	if known, ok := fault.(runtime.Error); ok {
		told = known.Error()
	}
	return fmt.Errorf("%s panicked: %s\n%s", who, told, debug.Stack())
}
