package test_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// codeOf gives the blocks of a language in README.md.
func codeOf(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile(suite.File("README.md"))
	require.NoError(t, err)
	var blocks []string
	for _, match := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllSubmatch(text, -1) {
		blocks = append(blocks, string(match[1]))
	}
	require.NotEmpty(t, blocks, "README.md has no %s", language)
	return blocks
}

// requested waits until $2 answers to requests for an address that ends with $1
// were read whole: that is when there are entries of them.
const requested = `
	await new Promise((resolve) => {
		new PerformanceObserver(() => {
			const read = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith($1));
			if (read.length >= $2) resolve();
		}).observe({ type: "resource", buffered: true });
	});`

// The page of the README does what the README says, as it stands.
func TestThePageOfTheReadme(t *testing.T) {
	t.Parallel()
	page := codeOf(t, "html")[0]
	require.Less(t, strings.Count(page, "\n"), 15, "lines")
	service := suite.Service(t)
	service.Handle("/test/readme.html", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page))
	})
	p := suite.Page(t, service.URL+"/test/readme.html")
	p.Do(requested, "/v3/chat/message", 1)
	answer := test.Eval[string](p, `return document.getElementById("answer").textContent`)
	require.Regexp(t, `^No model is configured.*\n\n.*\.$`, answer)
	require.Equal(t, 1, count(service.Calls(), "POST /v3/chat/message"))
}

// The code of the README for a bundler, with the package by its name and
// everything that it leaves to the reader.
func TestTheModuleOfTheReadme(t *testing.T) {
	t.Parallel()
	code := codeOf(t, "js")[0]
	const line = `import { ChatSDK, APIError } from "chatsdk";` + "\n"
	require.True(t, strings.HasPrefix(code, line))
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := suite.Page(t, service.URL+test.BlankPage)
	got := test.Eval[map[string]any](p, `
		const { ChatSDK, APIError } = await import("/dist/chatsdk.mjs");
		const baseUrl = $1.baseUrl;
		const myServer = { token: async () => $1.accessToken };
		const heard = { text: "", APIError: APIError.name };
		const show = (chunk) => (heard.text += chunk);
		const done = (content, id) => Object.assign(heard, { content, id: typeof id });
		const sorry = (message) => (heard.error = message);
		`+strings.TrimPrefix(code, line)+`
		return heard;`, service.Config(t, "ada"))
	question := "Where should we go?"
	require.Equal(t, map[string]any{"text": question, "content": question, "id": "string", "APIError": "APIError"}, got)
}

// The Go code of the README stands in example 02, which is run.
func TestTheGoOfTheReadme(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile(suite.File("examples/02-go-server/main.go"))
	require.NoError(t, err)
	require.Contains(t, string(program), codeOf(t, "go")[0])
}

// node runs a module in Node, with the package as chatsdk.
func node(t *testing.T, code string) string {
	t.Helper()
	program := `import { ChatSDK } from ` + "\"file://" + suite.File("dist/chatsdk.mjs") + "\";\n" + code
	command := exec.CommandContext(t.Context(), "node", "--input-type=module", "--eval", program)
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	require.NoError(t, err, problems.String())
	return strings.TrimSpace(string(output))
}

// The code of the README for a server mints a token that the service takes.
func TestTheServerOfTheReadme(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	token := node(t, `
		const [baseUrl, apiKey, apiSecret] = ["`+service.URL+`", "`+test.APIKey+`", "`+test.APISecret+`"];
		`+codeOf(t, "js")[1]+`
		console.log(access_token);`)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, test.Config{
		"baseUrl": service.URL, "projectId": test.Project, "accessToken": token,
	})
	require.Equal(t, "ana", test.Eval[string](p, `return (await sdk.createChat()).user_id`))
}

// The Go example asks and prints the answer.
func TestTheGoExample(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	command := exec.CommandContext(t.Context(), "go", "run", "./examples/02-go-server", "What", "is", "said?")
	command.Dir = suite.Root
	command.Env = append(os.Environ(), "BASE_URL="+service.URL, "PROJECT_ID="+test.Project, "API_KEY="+test.APIKey, "API_SECRET="+test.APISecret)
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	require.NoError(t, err, problems.String())
	require.Equal(t, "What is said?\n", string(output))
}
