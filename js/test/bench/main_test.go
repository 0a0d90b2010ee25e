// Package bench_test measures what ChatSDK costs a page, beside other clients,
// alternating with them in one Chromium. Without -full it does all of it once in
// small, to see that it works. Begin with bench_test.go.
//
//	go test -v ./js/test/bench -args -full -write docs/performance.md
package bench_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/js/test"
)

var (
	full  = flag.Bool("full", false, "measure, and not only see that it works")
	write = flag.String("write", "", "a Markdown `file` of the project; the tables go between its markers")
	only  = flag.String("only", "", "these `sections` alone, of "+sectionNames())
)

// suite is set before the first test and never changed.
var suite *test.Suite

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	if suite, err = test.Open(); err != nil {
		return 1, err
	}
	code = m.Run()
	if err = suite.Close(); err != nil || code != 0 {
		return code, err
	}
	return 0, goleak.Find()
}
