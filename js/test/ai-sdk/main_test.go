// Package aisdk_test drives chatsdk/ai-sdk as people use it: useChat of
// @ai-sdk/react, from npm's folder of examples/05-ai-sdk, in Chromium and
// against the service. page.jsx is the page; begin with chat_test.go.
package aisdk_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/chatsdk/chatsdk/js/test"
)

var (
	// suite is set before the first test and never changed.
	suite *test.Suite
	// script is page.jsx with all that it imports.
	script []byte
)

const example = "examples/05-ai-sdk"

func TestMain(m *testing.M) {
	os.Exit(test.Main(m, test.Open, func(s *test.Suite) (err error) {
		suite = s
		script, err = bundle()
		return err
	}))
}

// bundle makes the script of the page. Read from standard input, it finds what
// it imports in the folder where esbuild runs.
func bundle() ([]byte, error) {
	page, err := os.Open("page.jsx")
	if err != nil {
		return nil, err
	}
	defer page.Close()
	command := exec.Command("go", "tool", "esbuild", "--bundle", "--format=esm", "--loader=jsx", "--jsx=automatic",
		`--define:process.env.NODE_ENV="development"`, "--log-level=warning")
	command.Dir, command.Stdin = suite.File(example), page
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("bundling page.jsx: %w; make test-bundlers installs what it imports\n%s", err, problems.Bytes())
	}
	return output, nil
}
