package test_test

import (
	"bytes"
	"context"
	"fmt"
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
	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
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
	p.Do(`while (!/^No model is configured.*\n\n.*\.$/.test(document.getElementById("answer").textContent)) await new Promise(requestAnimationFrame)`)
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

// The code of the README for the AI SDK stands in example 05, which
// js/test/ai-sdk runs.
func TestTheAISDKOfTheReadme(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile(suite.File("examples/05-ai-sdk/chat.jsx"))
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(codeOf(t, "jsx"), func(code string) bool {
		return strings.Contains(code, "ChatSDKTransport") && strings.Contains(string(program), code)
	}))
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

// The code of the README for answers that are stopped, resumed and had again, in
// its order.
func TestTheStreamsOfTheReadme(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	model.On("Tell me a long story", func(a *test.Answer) { a.Text("Once ").Wait(nil) })
	service := suite.Service(t, model.Env()...)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"))
	code := codeOf(t, "js")[2:]
	require.Len(t, code, 5)

	chatID := test.Eval[string](p, `return (await sdk.createChat()).chat_id`)
	got := test.Eval[[]string](p, `
		const chatId = $1;
		const stopButton = {};
		let text = "";
		const show = (chunk) => { text += chunk; stopButton.onclick(); };
		`+code[0]+`
		return [text, id, finish_reason];`, chatID)
	require.Equal(t, []string{"Once ", "stopped"}, []string{got[0], got[2]})

	model.On("Tell me a long story", func(a *test.Answer) { a.Text("There ").Text("was").Finish("stop") })
	resume := `
		const [chatId, messageId] = [$1, $2];
		let text = "";
		const show = (chunk) => { text += chunk; globalThis.shown?.resolve(); };
		` + code[1] + `
		return [wasRunning, text];`
	require.Equal(t, []any{false, "There was"}, test.Eval[[]any](p, resume, chatID, got[1]))
	gate := make(chan struct{})
	model.On("again", func(a *test.Answer) { a.Text("one ").Wait(gate); a.Text("two").Finish("stop") })
	p.Do(`await new Promise((onChunk) => void sdk.sendMessageStream("again", { chatId: $1, onChunk }))`, chatID)
	p.Do(`globalThis.shown = kit.deferred(); globalThis.resumed = (async () => {`+resume+`})(); await shown.promise`, chatID, "none")
	close(gate)
	require.Equal(t, []any{true, "one two"}, test.Eval[[]any](p, `return resumed`))

	settings := `
		const { baseUrl, accessToken } = config;
		const chatId = $1;
		const [logged, offered] = [[], []];
		const log = (...line) => logged.push(line);
		const offer = (...line) => offered.push(line);
		` + code[2] + `
		return { logged, offered };`
	for range 2 {
		heard := test.Eval[map[string][][]any](p, settings, chatID)
		require.Empty(t, heard["offered"])
		require.Equal(t, []any{"sendMessageStream", 200.0}, heard["logged"][0][:2])
	}
	require.Len(t, historyOf(p, chatID).Messages, 6, "the second send was the first")
}

// The component of the README, which asks, stops and asks again.
func TestTheReactOfTheReadme(t *testing.T) {
	t.Parallel()
	module := filepath.Join(t.TempDir(), "chat.jsx")
	code := "const { baseUrl, myServer } = globalThis.reader;\n" + codeOf(t, "jsx")[0] + `
		import { createElement } from "react";
		import { createRoot } from "react-dom/client";
		createRoot(document.body).render(createElement(Chat, { chatId: reader.chatId }));`
	require.NoError(t, os.WriteFile(module, []byte(code), 0o600))
	model := test.NewModel(t)
	answer := pace(model, "Where should we go?", "North ", "or south.")
	service := suite.Service(t, model.Env()...)
	service.Script("/test/chat.js", suite.Bundle(t, module, reactFlags...))
	service.Handle("GET /test/chatsdk.wasm", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, suite.File("dist/chatsdk.wasm")) })
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"))
	p.Do(`
		const { chat_id } = await sdk.createChat();
		globalThis.reader = { baseUrl: config.baseUrl, myServer: { token: () => config.accessToken }, chatId: chat_id };
		await import("/test/chat.js");`)
	says := func(text string) {
		p.Until(`[...document.querySelectorAll("p")].map((p) => p.textContent).join("|") === $1`, text)
	}
	p.Click("button:nth-of-type(1):enabled")
	says("Where should we go?|North ")
	close(answer.gates[1])
	says("Where should we go?|North or south.")
	again := pace(model, "Where should we go?", "West ", "or east.")
	p.Click("button:nth-of-type(2):enabled")
	says("Where should we go?|West ")
	p.Click("button:nth-of-type(3):enabled")
	<-again.left
	p.Until(`document.querySelector("button:nth-of-type(3)").disabled`)
	says("Where should we go?|West ")
}

// The code of the README for documents.
func TestTheDocumentsOfTheReadme(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"))
	require.Equal(t, []any{1.0, catsFact}, test.Eval[[]any](p, `
		const file = new File([$1], "cats.md");
		const heard = [];
		const bar = (part) => (heard[0] = part);
		const quote = (text) => heard.push(text);
		`+codeOf(t, "js")[5]+`
		return heard;`, catsText))
}

// The code of the README for tools, approved and denied.
func TestTheToolsOfTheReadme(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"))
	for _, yes := range []bool{true, false} {
		got := test.Eval[[]any](p, `
			const { baseUrl, accessToken } = config;
			const request = '/set_theme {"theme":"dark"}';
			const themes = [];
			const setTheme = (theme) => themes.push(theme);
			const asked = [];
			const confirm = async (...question) => (asked.push(...question), $1);
			`+codeOf(t, "js")[6]+`
			return [asked, themes, (await assistant.listToolCalls()).tool_calls[0].status];`, yes)
		themes, status := []any{}, "denied"
		if yes {
			themes, status = []any{"dark"}, "done"
		}
		require.Equal(t, []any{[]any{"Sets the colours of this page.", map[string]any{"theme": "dark"}}, themes, status}, got)
	}
}

// follow is the Go of the README that stops a running answer.
func follow(ctx context.Context, client *sdk.Client, chatID string) error {
	for event, err := range client.Resume(ctx, chatID, sdk.ResumeOptions{}) {
		if err != nil {
			return err
		}
		if event.Type == wire.EventStart {
			receipt, err := client.Stop(ctx, event.Start.StreamID, "")
			if err != nil {
				return err
			}
			fmt.Println(receipt.Stopped, receipt.Message.Content)
		}
	}
	return nil
}

func TestTheStopOfTheReadme(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(suite.File("js/test/readme_test.go"))
	require.NoError(t, err)
	require.Contains(t, string(source), codeOf(t, "go")[1], "the README has what is run here")

	model := test.NewModel(t)
	gone := make(chan struct{})
	model.On("hi", func(a *test.Answer) {
		defer close(gone)
		a.Text("part").Wait(nil)
	})
	service := suite.Service(t, model.Env()...)
	client, err := nethttp.NewClient(sdk.Config{
		BaseURL: service.URL, ProjectID: test.Project, APIKey: test.APIKey, APISecret: test.APISecret, UserID: "ada",
	})
	require.NoError(t, err)
	var chatID string
	for event, err := range client.Stream(t.Context(), "hi", sdk.SendMessageOptions{DetachOnAbort: true}) {
		require.NoError(t, err)
		if event.Type == wire.EventChunk {
			break
		}
		chatID = event.Start.ChatID
	}
	require.NoError(t, follow(t.Context(), client, chatID))
	<-gone
	history, err := client.GetChatHistory(t.Context(), chatID, sdk.GetChatHistoryOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"part", wire.FinishStopped}, []string{history.Messages[1].Content, history.Messages[1].FinishReason})
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
