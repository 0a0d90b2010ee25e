// Command memory-eval prints how well the embedded detector and the checks for
// duplicates and conflicts do on labelled data. Run it in the root of the
// repository; docs/memory.md repeats its figures. Package eval says what they
// mean. A folder of published attacks may be named as well.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/eval"
)

func main() {
	published := flag.String("published", "", "folder of published attacks, read as data")
	flag.Parse()
	err := eval.Print(os.Stdout, eval.Folder)
	if err == nil && *published != "" {
		err = eval.PrintPublished(os.Stdout, *published)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "memory-eval:", err)
		os.Exit(1)
	}
}
