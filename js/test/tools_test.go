package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// toolPage opens a page with sdk, a ChatSDK of config that has the tool look. Its runs are in ran,
// each as its arguments, the call's id, and whether there was a document.
func toolPage(t *testing.T, service *test.Service, path string, config test.Config) *test.Page {
	t.Helper()
	p := suite.Page(t, service.URL+path)
	makeTools(p, config)
	return p
}

func makeTools(p *test.Page, config test.Config) {
	p.Do(`
		globalThis.ran = [];
		globalThis.config = $1;
		globalThis.sdk = new ChatSDK({ ...$1, tools: { look: {
			description: "Looks at a place.",
			parameters: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
			run: (args, { callId, signal }) => {
				ran.push([args, callId, signal instanceof AbortSignal && typeof document === "object"]);
				return { seen: args.at };
			},
		} } });`, config)
}

// ask is the message that makes the embedded agent call the tool.
const ask = `/look {\"at\":\"the sea\"}`

// toldCall is a tool call as a page gets it, without the fields that are the same in all.
type toldCall struct {
	ID        string `json:"id"`
	ChatID    string `json:"chat_id"`
	Status    string `json:"status"`
	Arguments string `json:"arguments"`
	Result    string `json:"result"`
}

// waits sends the message in a page and returns the call, which waits for a decision.
func waits(p *test.Page) toldCall {
	return test.Eval[toldCall](p, `
		const heard = kit.deferred();
		globalThis.asked = sdk.sendMessageStream("`+ask+`", { onToolCall: heard.resolve });
		asked.catch(() => {}); // the page may be left before it ends
		return heard.promise;`)
}

// followIn resumes the answer of a chat in a page, in the background.
func followIn(p *test.Page, chatID string) {
	p.Do(`
		globalThis.heard = [];
		const seen = kit.deferred();
		globalThis.resumed = sdk.resumeStream($1, {
			onToolCall: (call) => (heard.push(call.status), seen.resolve()), onComplete: ({ content }) => heard.push(content),
		});
		await seen.promise;`, chatID)
}

// heardIn waits for the end of the answer that a page follows, and returns what the page heard.
func heardIn(p *test.Page) []string { return test.Eval[[]string](p, `await resumed; return heard`) }

func runsIn(p *test.Page) [][]any { return test.Eval[[][]any](p, `return ran`) }

// requireResult requires that the call is done, with exactly its arguments and the result.
func requireResult(t *testing.T, p *test.Page, call toldCall) {
	t.Helper()
	got := test.Eval[toldCall](p, `return sdk.getToolCall($1)`, call.ID)
	require.Equal(t, []string{"done", call.Arguments, `{"seen":"the sea"}`}, []string{got.Status, got.Arguments, got.Result})
}

func TestAToolOfThePageIsCarriedOut(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Service(t)
		for name, worker := range map[string]bool{"in the page": false, "with a worker": true} {
			config := service.Config(t, "ada")
			config["worker"] = worker
			p := toolPage(t, service, path, config)
			got := test.Eval[[]any](p, `
				const heard = [];
				let answer;
				await sdk.sendMessageStream("`+ask+`", {
					onToolCall: ({ id, status }) => {
						heard.push(status);
						if (status === "awaiting") void sdk.approveToolCall(id, { arguments: { at: "the moon" } });
					},
					onComplete: (message) => (answer = message),
				});
				const [call] = answer.tool_calls;
				return [heard.join(), ran, call.status, call.edited, call.arguments, call.result, answer.finish_reason, call.id];`)
			id := got[len(got)-1]
			require.Equal(t, []any{
				"awaiting,approved,running,done", []any{[]any{map[string]any{"at": "the moon"}, id, true}},
				"done", true, `{"at":"the moon"}`, `{"seen":"the moon"}`, "stop", id,
			}, got, name)
		}
	})
}

func TestADeniedCallIsNotCarriedOut(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := toolPage(t, service, test.ModulePage, service.Config(t, "ada"))
	got := test.Eval[[]any](p, `
		const heard = [];
		for await (const { type, call } of sdk.stream("`+ask+`")) {
			if (type === "tool_call") {
				heard.push(call.status + (call.reason ? " " + call.reason : ""));
				if (call.status === "awaiting") await sdk.denyToolCall(call.id, "not now");
			}
		}
		return [heard, ran.length];`)
	require.Equal(t, []any{[]any{"awaiting", "denied not now"}, 0.0}, got)
}

// A tab that was opened later, on another device, has only the list of waiting calls.
func TestAToolOfATabThatWasOpenedLater(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	config := service.Config(t, "ada")
	first := toolPage(t, service, test.ModulePage, config)
	call := waits(first)
	first.Open(service.URL + test.BlankPage)

	later := toolPage(t, service, test.ScriptPage, config)
	listed := test.Eval[[]toldCall](later, `return (await sdk.listToolCalls({ status: "awaiting" })).tool_calls`)
	require.Equal(t, []toldCall{call}, listed)
	later.Do(`await sdk.approveToolCall($1)`, call.ID)
	followIn(later, call.ChatID)
	heard := heardIn(later)
	require.Equal(t, []string{"awaiting", "approved", "running", "done"}, heard[:4])
	require.Equal(t, [][]any{{map[string]any{"at": "the sea"}, call.ID, true}}, runsIn(later))
	requireResult(t, later, call)
}

func TestAReloadWhileACallWaits(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	config := service.Config(t, "ada")
	p := toolPage(t, service, test.ModulePage, config)
	call := waits(p)
	p.Open(service.URL + test.ModulePage)
	makeTools(p, config)
	followIn(p, call.ChatID)
	require.Equal(t, "awaiting", test.Eval[string](p, `return (await sdk.getChatHistory($1)).messages.at(-1).tool_calls[0].status`, call.ChatID))
	p.Do(`await sdk.approveToolCall($1)`, call.ID)
	require.Equal(t, []string{"awaiting", "approved", "running", "done"}, heardIn(p)[:4])
	require.Len(t, runsIn(p), 1)
	requireResult(t, p, call)
}

// Both follow the answer, neither has sent the message, and both want the call at the same time.
func TestTwoTabsRaceForOneCall(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	config := service.Config(t, "ada")
	first := toolPage(t, service, test.ModulePage, config)
	call := waits(first)
	first.Open(service.URL + test.BlankPage)

	tabs := []*test.Page{toolPage(t, service, test.ModulePage, config), toolPage(t, service, test.ScriptPage, inWorker(service.Config(t, "ada")))}
	for _, tab := range tabs {
		followIn(tab, call.ChatID)
	}
	tabs[0].Do(`await sdk.approveToolCall($1)`, call.ID)
	heard := heardIn(tabs[0])
	require.Equal(t, heard, heardIn(tabs[1]), "both see all of it")
	require.Equal(t, []string{"awaiting", "approved", "running", "done"}, heard[:4])
	require.Len(t, append(runsIn(tabs[0]), runsIn(tabs[1])...), 1)
	requireResult(t, tabs[0], call)
}

func TestSendMessageReturnsAParkedAnswer(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := toolPage(t, service, test.ModulePage, service.Config(t, "ada"))
	got := test.Eval[struct {
		ChatID   string `json:"chat_id"`
		StreamID string `json:"stream_id"`
		Message  struct {
			FinishReason string     `json:"finish_reason"`
			ToolCalls    []toldCall `json:"tool_calls"`
		} `json:"message"`
	}](p, `return sdk.sendMessage("`+ask+`")`)
	require.NotEmpty(t, got.StreamID)
	require.Empty(t, got.Message.FinishReason)
	require.Len(t, got.Message.ToolCalls, 1)
	call := got.Message.ToolCalls[0]
	require.Equal(t, "awaiting", call.Status)
	followIn(p, got.ChatID)
	p.Do(`await sdk.approveToolCall($1)`, call.ID)
	heard := heardIn(p)
	require.Equal(t, []string{"awaiting", "approved", "running", "done"}, heard[:4])
	require.NotEmpty(t, heard[4], "the rest of the answer")
	require.Len(t, runsIn(p), 1)
}
