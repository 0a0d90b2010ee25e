package test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	"go.uber.org/goleak"
)

// Main is the TestMain of a package of tests that share a Suite. It opens a Suite and passes it to
// begin before the first test, closes it after the last, and returns the exit code. A leftover
// goroutine fails the tests.
func Main(m *testing.M, open func() (*Suite, error), begin func(*Suite) error) int {
	code, err := run(m, open, begin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func run(m *testing.M, open func() (*Suite, error), begin func(*Suite) error) (code int, err error) {
	// A test often waits for the browser. In Firefox keys go to the window that was opened last. The
	// flag -parallel is read later.
	parallel := runtime.GOMAXPROCS(0) * 3 / 2
	if Browser() == "firefox" {
		parallel = 1
	}
	if err := flag.Set("test.parallel", strconv.Itoa(parallel)); err != nil {
		return 1, err
	}
	suite, err := open()
	if err != nil {
		return 1, err
	}
	if err := begin(suite); err != nil {
		return 1, errors.Join(err, suite.Close())
	}
	code = m.Run()
	if err := suite.Close(); err != nil || code != 0 {
		return code, err
	}
	return 0, goleak.Find()
}
