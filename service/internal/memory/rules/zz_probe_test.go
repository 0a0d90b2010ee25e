package rules_test

import (
	"bufio"
	"fmt"
	"os"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/memory/rules"
)

func TestProbe(t *testing.T) {
	file, _ := os.Open(os.Getenv("PROBE"))
	s := bufio.NewScanner(file)
	for s.Scan() {
		fs := rules.Detect(s.Text())
		fmt.Printf("%-60s", s.Text())
		for _, f := range fs {
			fmt.Printf(" | %c%.2f %s", f.Type[0], f.Confidence, f.Content)
		}
		fmt.Println()
	}
}
