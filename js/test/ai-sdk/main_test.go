// Package aisdk_test drives chatsdk/ai-sdk as people use it: useChat of
// @ai-sdk/react, in each supported version, in Chromium and against the
// service. page.jsx is the page; begin with chat_test.go.
package aisdk_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/chatsdk/chatsdk/js/test"
)

// suite is set before the first test and never changed.
var suite *test.Suite

// version is one of the AI SDK, installed in a folder of the project.
type version struct {
	name, folder string
	// flags of esbuild, in addition to those of all versions.
	flags []string
	// script is page.jsx with everything that it imports.
	script []byte
}

// The example has the tarball installed. The scripts are set before the first test.
var versions = []*version{
	{name: "ai 7", folder: example},
	{name: "ai 6", folder: "js/test/ai-sdk/ai-6", flags: []string{"--alias:chatsdk=../../../../dist/chatsdk.mjs", "--alias:chatsdk/ai-sdk=../../../../dist/ai-sdk.mjs"}},
	{name: "ai 5", folder: "js/test/ai-sdk/ai-5", flags: []string{"--alias:chatsdk=../../../../dist/chatsdk.mjs", "--alias:chatsdk/ai-sdk=../../../../dist/ai-sdk.mjs"}},
}

// inEach runs a test with each version of the AI SDK.
func inEach(t *testing.T, run func(t *testing.T, ai *version)) {
	t.Parallel()
	for _, ai := range versions {
		t.Run(ai.name, func(t *testing.T) {
			t.Parallel()
			run(t, ai)
		})
	}
}

const example = "examples/05-ai-sdk"

func TestMain(m *testing.M) {
	os.Exit(test.Main(m, test.Open, func(s *test.Suite) (err error) {
		suite = s
		for _, ai := range versions {
			if ai.script, err = ai.bundle(); err != nil {
				return err
			}
		}
		return nil
	}))
}

// bundle makes the script of the page. esbuild reads the page from standard input,
// so that it finds the imports in the folder where it runs.
func (v *version) bundle() ([]byte, error) {
	page, err := os.Open("page.jsx")
	if err != nil {
		return nil, err
	}
	defer page.Close()
	command := exec.Command("go", append([]string{"tool", "esbuild", "--bundle", "--format=esm", "--loader=jsx", "--jsx=automatic",
		`--define:process.env.NODE_ENV="development"`, "--log-level=warning"}, v.flags...)...)
	command.Dir, command.Stdin = suite.File(v.folder), page
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("bundling page.jsx with %s: %w; make test-bundlers installs what it imports\n%s", v.name, err, problems.Bytes())
	}
	return output, nil
}
