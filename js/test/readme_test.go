package test_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// codeOf returns the blocks of a language in a file of Markdown. The server and the page of the
// README are run in js/test/bundlers.
func codeOf(t *testing.T, name, language string) []string {
	t.Helper()
	text, err := os.ReadFile(suite.File(name))
	require.NoError(t, err)
	var blocks []string
	for _, match := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllSubmatch(text, -1) {
		blocks = append(blocks, string(match[1]))
	}
	require.NotEmpty(t, blocks, "%s has no %s", name, language)
	return blocks
}

// The README's Go code asks, in a program with its imports, and prints the answer.
func TestTheGoOfTheReadme(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	folder, err := os.MkdirTemp(suite.Root+"/.build", "readme-") // inside of the module
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	program := `package main

import (
	"context"
	"fmt"
	"log"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

const key, secret = "` + test.APIKey + `", "` + test.APISecret + `"

func main() {
` + codeOf(t, "README.md", "go")[0] + "}\n"
	require.Contains(t, program, "http://127.0.0.1:8080")
	file := filepath.Join(folder, "main.go")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(program, "http://127.0.0.1:8080", service.URL, 1)), 0o600))
	require.Equal(t, "How many words are in this question?", output(t, "go", "run", file))
}

// output runs a program in the project's folder, and returns what it prints.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = suite.Root
	var problems bytes.Buffer
	command.Stderr = &problems
	printed, err := command.Output()
	require.NoError(t, err, problems.String())
	return string(printed)
}

// node runs a module in Node, with the package as chatsdk.
func node(t *testing.T, code string) string {
	t.Helper()
	program := `import { ChatSDK } from ` + "\"file://" + suite.File("dist/chatsdk.mjs") + "\";\n" + code
	return strings.TrimSpace(output(t, "node", "--input-type=module", "--eval", program))
}

// The Go example asks and prints the answer.
func TestTheGoExample(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	printed := output(t, "env", "BASE_URL="+service.URL, "PROJECT_ID="+test.Project, "API_KEY="+test.APIKey, "API_SECRET="+test.APISecret,
		"go", "run", "./examples/02-go-server", "What", "is", "said?")
	require.Equal(t, "What is said?\n", printed)
	program, err := os.ReadFile(suite.File("examples/02-go-server/main.go"))
	require.NoError(t, err)
	require.Contains(t, string(program), codeOf(t, "docs/go.md", "go examples/02-go-server/main.go")[0])
}

// The code for the AI SDK is in example 05, which js/test/ai-sdk runs.
func TestTheAISDKOfTheGuide(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile(suite.File("examples/05-ai-sdk/chat.jsx"))
	require.NoError(t, err)
	text, err := os.ReadFile(suite.File("docs/ai-sdk.md"))
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```jsx[^\n]*\n(.*?)^```$").FindAllSubmatch(text, -1)
	require.True(t, slices.ContainsFunc(blocks, func(block [][]byte) bool {
		return bytes.Contains(block[1], []byte("ChatSDKTransport")) && bytes.Contains(program, block[1])
	}))
}

// readerPage opens a page that runs a module with React, on a service that gives it tokens.
func readerPage(t *testing.T, model *test.Model, code string) *test.Page {
	t.Helper()
	module := filepath.Join(t.TempDir(), "chat.jsx")
	service := suite.Service(t, model.Env()...)
	require.Contains(t, code, "http://127.0.0.1:8080")
	require.NoError(t, os.WriteFile(module, []byte(strings.Replace(code, "http://127.0.0.1:8080", service.URL, 1)), 0o600))
	service.Script("/test/chat.js", suite.Bundle(t, module, reactFlags...))
	service.Handle("GET /test/chatsdk.wasm", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, suite.File("dist/chatsdk.wasm")) })
	token := service.Token(t, "ada")
	service.Handle("POST /token", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(token)) })
	p := suite.Page(t, service.URL+test.BlankPage)
	p.Do(`await import("/test/chat.js")`)
	return p
}

func paragraphs(p *test.Page, text string) {
	p.Until(`[...document.querySelectorAll("p")].map((p) => p.textContent).join("|") === $1`, text)
}

// The component of the README asks.
func TestTheReactOfTheReadme(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "Where should we go?", "North ", "or south.")
	p := readerPage(t, model, codeOf(t, "README.md", "jsx")[0]+`
		import { createRoot } from "react-dom/client";
		createRoot(document.body).render(<Chat />);`)
	p.Click("button:enabled")
	paragraphs(p, "Where should we go?|North ")
	close(answer.gates[1])
	paragraphs(p, "Where should we go?|North or south.")
}

// The component of docs/react.md asks, stops and asks again.
func TestTheReactOfTheGuide(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "Where should we go?", "North ", "or south.")
	p := readerPage(t, model, codeOf(t, "docs/react.md", "jsx")[0])
	p.Click("button:nth-of-type(1):enabled")
	paragraphs(p, "Where should we go?|North ")
	close(answer.gates[1])
	paragraphs(p, "Where should we go?|North or south.")
	again := pace(model, "Where should we go?", "West ", "or east.")
	p.Click("button:nth-of-type(2):enabled")
	paragraphs(p, "Where should we go?|West ")
	p.Click("button:nth-of-type(3):enabled")
	<-again.left
	p.Until(`document.querySelector("button:nth-of-type(3)").disabled`)
	paragraphs(p, "Where should we go?|West ")
}
