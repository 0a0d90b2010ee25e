// Command memory-eval prints how well the embedded detector and the checks for
// duplicates and conflicts do on labelled data. Run it in the root of the
// repository; the README repeats its figures. Package eval says what they mean.
package main

import (
	"fmt"
	"os"

	"github.com/chatsdk/chatsdk/service/internal/memory/eval"
)

func main() {
	if err := eval.Print(os.Stdout, eval.Folder); err != nil {
		fmt.Fprintln(os.Stderr, "memory-eval:", err)
		os.Exit(1)
	}
}
