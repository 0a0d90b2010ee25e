// Package bench_test measures what ChatSDK costs a page, beside other clients,
// alternating with them in one Chromium. Without -full it does everything once,
// with small sizes, to see that it works. Begin with bench_test.go.
//
//	go test -v ./js/test/bench -args -full -write docs/performance.md
package bench_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chatsdk/chatsdk/js/test"
)

var (
	full  = flag.Bool("full", false, "measure, and not only see that it works")
	write = flag.String("write", "", "a Markdown `file` of the project; the tables go between its markers")
	only  = flag.String("only", "", "only these `sections`, of "+sectionNames())
	some  = flag.String("clients", "", "only these `clients` in the sections about answers, by name; parser must be one of them")
)

// suite is set before the first test and never changed.
var suite *test.Suite

func TestMain(m *testing.M) {
	flag.Parse()
	if *some != "" {
		clients = slices.DeleteFunc(clients, func(c client) bool { return !slices.Contains(strings.Split(*some, ","), c.name) })
	}
	os.Exit(test.Main(m, test.Open, func(s *test.Suite) error {
		suite = s
		return nil
	}))
}
