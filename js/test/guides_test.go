package test_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// guideCode returns the blocks of a language in a page of docs/.
func guideCode(t *testing.T, page, language string) []string {
	t.Helper()
	text, err := os.ReadFile(suite.File("docs/" + page))
	require.NoError(t, err)
	var blocks []string
	for _, match := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllSubmatch(text, -1) {
		blocks = append(blocks, string(match[1]))
	}
	require.NotEmpty(t, blocks, "docs/%s has no %s", page, language)
	return blocks
}

// runGuide runs the JavaScript of a page in Node, block after block, and returns what it prints.
// Only the addresses of the service and of the package differ. If the program asks a question, it
// gets the answer.
func runGuide(t *testing.T, page string, service *test.Service, answer string) string {
	t.Helper()
	code := strings.Join(guideCode(t, page, "js"), "\n")
	require.Contains(t, code, `from "chatsdk"`)
	require.Contains(t, code, `"http://127.0.0.1:8080"`)
	code = strings.NewReplacer(`from "chatsdk"`, `from "file://`+suite.File("dist/chatsdk.mjs")+`"`, "http://127.0.0.1:8080", service.URL).Replace(code)
	file := filepath.Join(t.TempDir(), "page.mjs")
	require.NoError(t, os.WriteFile(file, []byte(code), 0o600))
	command := exec.CommandContext(t.Context(), "node", file)
	stdin, err := command.StdinPipe()
	require.NoError(t, err)
	printed := &terminal{keyboard: stdin, answer: answer}
	var problems bytes.Buffer
	command.Stdout, command.Stderr = printed, &problems
	require.NoError(t, command.Run(), "%s", &problems)
	require.Empty(t, problems.String())
	return printed.screen.String()
}

// terminal keeps what a program prints, and answers its question.
type terminal struct {
	screen   bytes.Buffer
	keyboard io.Writer
	answer   string
}

// Write implements io.Writer.
func (w *terminal) Write(text []byte) (int, error) {
	if bytes.HasSuffix(text, []byte("? (y/n) ")) {
		if _, err := io.WriteString(w.keyboard, w.answer+"\n"); err != nil {
			return 0, err
		}
	}
	return w.screen.Write(text)
}

func TestTheErrorOfTheGuide(t *testing.T) {
	t.Parallel()
	require.Equal(t, "404 ENTITY_NOT_FOUND Chat not found\n", runGuide(t, "errors.md", suite.Service(t), ""))
}

func TestTheDocumentsOfTheGuide(t *testing.T) {
	t.Parallel()
	printed := runGuide(t, "documents.md", suite.Service(t), "")
	require.Equal(t, "65 of 65 bytes\n“The cat Mimi was born in Lyon.” (cats)\ncats: The cat Mimi was born in Lyon.\n", printed)
}

func TestTheMemoryOfTheGuide(t *testing.T) {
	t.Parallel()
	printed := runGuide(t, "memory.md", suite.Service(t), "")
	require.Regexp(t, `\AUser works at the harbour \(from "I work at the harbour"\)\nNo model [^\n]+\n\nYou work at the harbour\.\n\z`, printed)
}

func TestTheToolOfTheGuide(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	for answer, says := range map[string]string{"y": "The theme is dark now.", "n": "denied"} {
		printed := runGuide(t, "tools.md", service, answer)
		require.Contains(t, printed, `Sets the colours of this page. {"theme":"dark"} Do you agree? (y/n) `)
		require.Contains(t, printed, says)
	}
}

// The code about streams, in order: a complete answer, a stopped one, another version of that, and
// one with all settings.
func TestTheStreamsOfTheGuide(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	var asked atomic.Int32
	model.On("Tell me a long story", func(a *test.Answer) {
		switch asked.Add(1) {
		case 1:
			a.Text("Once ").Text("upon a time.").Finish("stop")
		case 2:
			a.Text("One. ").Wait(nil)
		default:
			a.Text("Another ").Text("one.").Finish("stop")
		}
	})
	printed := runGuide(t, "streams.md", suite.Service(t, model.Env()...), "")
	require.Regexp(t, `\AOnce upon a time\.\nwhole: 17 characters\nOne\. \nstopped\nAnother one\.sendMessageStream 200 [\d.]+\n\z`, printed)
}

// stopAnswer is the Go of docs/streams.md, which stops a running answer.
func stopAnswer(ctx context.Context, client *sdk.Client, chatID string) error {
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

// tellMissing is the Go of docs/errors.md.
func tellMissing(ctx context.Context, client *sdk.Client) error {
	_, err := client.GetChatHistory(ctx, "no-such-chat", sdk.GetChatHistoryOptions{})
	if failure, ok := errors.AsType[*sdk.APIError](err); ok && failure.Code == wire.CodeNotFound {
		fmt.Println("there is no such chat")
	}
	return err
}

func TestTheGoOfTheGuides(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(suite.File("js/test/guides_test.go"))
	require.NoError(t, err)
	for _, page := range []string{"streams.md", "errors.md"} {
		require.Contains(t, string(source), guideCode(t, page, "go")[0], "docs/%s has what is run here", page)
	}
	model := test.NewModel(t)
	gone := make(chan struct{})
	model.On("hi", func(a *test.Answer) {
		defer close(gone)
		a.Text("part").Wait(nil)
	})
	service := suite.Service(t, model.Env()...)
	client, err := nethttp.NewClient(sdk.Config{
		BaseURL: service.URL, ProjectID: test.Project, APIKey: test.APIKey, APISecret: test.APISecret, UserID: "ana",
	})
	require.NoError(t, err)
	var failure *sdk.APIError
	require.ErrorAs(t, tellMissing(t.Context(), client), &failure)
	require.Equal(t, wire.CodeNotFound, failure.Code)

	var chatID string
	for event, err := range client.Stream(t.Context(), "hi", sdk.SendMessageOptions{DetachOnAbort: true}) {
		require.NoError(t, err)
		if event.Type == wire.EventChunk {
			break
		}
		chatID = event.Start.ChatID
	}
	require.NoError(t, stopAnswer(t.Context(), client, chatID))
	<-gone
	history, err := client.GetChatHistory(t.Context(), chatID, sdk.GetChatHistoryOptions{})
	require.NoError(t, err)
	require.Equal(t, wire.FinishStopped, history.Messages[1].FinishReason)
}

// Code in the pages that names a file is in that file.
func TestTheFilesOfTheGuides(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(suite.File("docs/*.md"))
	require.NoError(t, err)
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, match := range regexp.MustCompile("(?ms)^```\\w+ ([^\n]+)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
			file, err := os.ReadFile(suite.File(match[1]))
			require.NoError(t, err, page)
			require.Contains(t, string(file), strings.TrimSpace(match[2]), "%s: %s", page, match[1])
			found++
		}
	}
	require.GreaterOrEqual(t, found, 2)
}
