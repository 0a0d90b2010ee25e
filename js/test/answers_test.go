package test_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// finishedIn waits until the last answer of a chat is finished, and returns it.
func finishedIn(p *test.Page, chatID string) message {
	return test.Eval[message](p, `
		for (;;) {
			const last = (await sdk.getChatHistory($1)).messages.at(-1);
			if (last?.finish_reason) return last;
			await new Promise((resolve) => setTimeout(resolve, 5));
		}`, chatID)
}

// leave and detached are code that leaves an answer while it is being written, and ends when it has left.
func TestLeavingAnAnswerStopsTheModel(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, leave, detached string }{
		{"by a signal",
			`await sdk.sendMessageStream("hi", { chatId, signal, onChunk: () => controller.abort() }).catch(() => {})`,
			`await sdk.sendMessageStream("hi", { chatId, signal, detachOnAbort: true, onChunk: () => controller.abort() }).catch(() => {})`},
		{"by a signal of stream()",
			`for await (const event of sdk.stream("hi", { chatId, signal })) if (event.type === "chunk") { controller.abort(); break; }`,
			`for await (const event of sdk.stream("hi", { chatId, signal, detachOnAbort: true })) if (event.type === "chunk") { controller.abort(); break; }`},
		{"by leaving the loop",
			`for await (const event of sdk.stream("hi", { chatId })) if (event.type === "chunk") break;`,
			`for await (const event of sdk.stream("hi", { chatId, detachOnAbort: true })) if (event.type === "chunk") break;`},
		{"by stop()",
			`const stream = sdk.stream("hi", { chatId }); for await (const event of stream) if (event.type === "chunk") { await stream.stop(); }`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			model := test.NewModel(t)
			left, gate := make(chan bool, 2), make(chan struct{})
			model.On("hi", func(a *test.Answer) {
				a.Text("first ")
				stopped := !a.Wait(gate)
				left <- stopped
				if !stopped {
					a.Text("second").Finish("stop")
				}
			})
			service := suite.Service(t, model.Env()...)
			p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
			leave := func(code string) string {
				return test.Eval[string](p, `
					const { chat_id: chatId } = await sdk.createChat();
					const controller = new AbortController();
					const { signal } = controller;
					await (async () => { `+code+` })();
					return chatId;`)
			}
			chatID := leave(tt.leave)
			require.True(t, <-left, "the model is stopped")
			stopped := finishedIn(p, chatID)
			require.Equal(t, "stopped", stopped.FinishReason)
			require.Equal(t, "first ", stopped.Content)
			if tt.detached == "" {
				return
			}
			chatID = leave(tt.detached)
			close(gate)
			require.False(t, <-left)
			finished := finishedIn(p, chatID)
			require.Equal(t, "stop", finished.FinishReason)
			require.Equal(t, "first second", finished.Content)
		})
	}
}

// A whole answer that is cancelled is also stopped, by its key.
func TestGivingUpAWholeAnswerStopsTheModel(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	asked, left := make(chan struct{}), make(chan bool, 1)
	model.On("hi", func(a *test.Answer) {
		a.Text("first ")
		close(asked)
		left <- !a.Wait(nil)
	})
	service := suite.Service(t, model.Env()...)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"))
	chatID := test.Eval[string](p, `
		globalThis.controller = new AbortController();
		const { chat_id } = await sdk.createChat();
		globalThis.sent = kit.failure(sdk.sendMessage("hi", { chatId: chat_id, signal: controller.signal }));
		return chat_id;`)
	<-asked
	require.Equal(t, "AbortError", test.Eval[string](p, `controller.abort(); return (await sent).name`))
	require.True(t, <-left)
	require.Equal(t, "stopped", finishedIn(p, chatID).FinishReason)
}

// The stream ends with the answer that stop() returned, and the service stores it.
func TestTheReceiptOfAStop(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	model.On("hi", func(a *test.Answer) { a.Text("één "); a.Text("twee "); a.Wait(nil) })
	service := suite.Service(t, model.Env()...)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"))
	got := test.Eval[struct {
		Events  []string `json:"events"`
		Text    string   `json:"text"`
		Same    bool     `json:"same"`
		Receipt struct {
			Stopped bool    `json:"stopped"`
			Message message `json:"message"`
			Bytes   int     `json:"bytes"`
		} `json:"receipt"`
		Result message `json:"result"`
	}](p, `
		const stream = sdk.stream("hi");
		const events = [];
		let text = "", receipt;
		for await (const event of stream) {
			events.push(event.type);
			if (event.type === "chunk") {
				text += event.text;
				receipt ??= stream.stop();
			}
		}
		return { events, text, receipt: await receipt, same: (await receipt) === (await stream.stop()), result: await stream.result };`)
	require.Equal(t, []string{"complete", "end"}, got.Events[len(got.Events)-2:])
	require.True(t, got.Same)
	require.True(t, got.Receipt.Stopped)
	require.Equal(t, "stopped", got.Result.FinishReason)
	require.Equal(t, got.Text, got.Result.Content)
	require.Equal(t, got.Text, got.Receipt.Message.Content)
	require.Equal(t, len(got.Text), got.Receipt.Bytes)
	require.Equal(t, got.Text, historyOf(p, got.Result.ChatID).Messages[1].Content)
}

// follower gives a page the function follow, which follows an answer by resumeStream and returns
// what arrived.
const follower = `
	globalThis.follow = (chatId) => {
		const first = kit.deferred();
		const names = [];
		let text = "";
		const done = sdk.resumeStream(chatId, {
			onChunk: (chunk) => { text += chunk; first.resolve(); },
			onComplete: (message) => names.push("onComplete " + message.content),
			onError: (error) => names.push("onError " + error.message),
			onMessageEnd: () => names.push("onMessageEnd"),
		}).then((found) => ({ found, text, names }));
		return { first: first.promise, done };
	};`

type followed struct {
	Found bool     `json:"found"`
	Text  string   `json:"text"`
	Names []string `json:"names"`
}

func TestAnAnswerIsFollowedByTwoTabsAndAReloadedPage(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	gate := make(chan struct{})
	model.On("hi", func(a *test.Answer) {
		a.Text("first ").Wait(gate)
		a.Text("second").Finish("stop")
	})
	service := suite.Service(t, model.Env()...)
	config := service.Config(t, "ada")
	first := suite.SDKPage(t, service.Origin, test.ScriptPage, config, follower)
	second := suite.SDKPage(t, service.Origin, test.ModulePage, config, follower)
	chatID := test.Eval[string](first, `
		const { chat_id } = await sdk.createChat("one");
		const begun = kit.deferred();
		sdk.sendMessageStream("hi", { chatId: chat_id, onChunk: begun.resolve }).catch(() => {});
		await begun.promise;
		return chat_id;`)

	second.Do(`globalThis.following = follow($1); await following.first`, chatID)
	first.Open(service.URL + test.ScriptPage)
	first.Do(`globalThis.sdk = new ChatSDK($1); globalThis.following = follow($2); await following.first`, config, chatID)
	close(gate)
	want := followed{Found: true, Text: "first second", Names: []string{"onComplete first second", "onMessageEnd"}}
	require.Equal(t, want, test.Eval[followed](first, `return following.done`))
	require.Equal(t, want, test.Eval[followed](second, `return following.done`))
	require.Equal(t, followed{Names: []string{}}, test.Eval[followed](second, `return follow($1).done`, chatID), "and nothing is left to follow")
	require.Len(t, historyOf(first, chatID).Messages, 2)
}

func TestARegeneratedAnswerReplacesTheOldOne(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	var answers atomic.Int32
	model.On("hi", func(a *test.Answer) { a.Text([]string{"old", "new"}[answers.Add(1)-1]).Finish("stop") })
	service := suite.Service(t, model.Env()...)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"))
	got := test.Eval[struct {
		Old message  `json:"old"`
		New message  `json:"new"`
		Log []string `json:"log"`
	}](p, `
		const { message: old } = await sdk.sendMessage("hi");
		const log = [];
		let message;
		await sdk.regenerateMessage(old.chat_id, old.id, {
			onChunk: (chunk) => log.push(chunk), onComplete: (whole) => { message = whole; }, onMessageEnd: () => log.push("end"),
		});
		return { old, new: message, log };`)
	require.Equal(t, []string{"new", "end"}, got.Log)
	require.Equal(t, "old", got.Old.Content)
	messages := historyOf(p, got.Old.ChatID).Messages
	require.Len(t, messages, 2)
	require.Equal(t, got.New.ID, messages[1].ID)
	require.Equal(t, "new", messages[1].Content)
}

// Forty waits of some seconds each: without the wakes the test would run out of time.
func TestAPageThatComesBackTriesAgainAtOnce(t *testing.T) {
	t.Parallel()
	for _, event := range []string{
		`document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))`, `dispatchEvent(new Event("online"))`, `dispatchEvent(new Event("pageshow"))`,
	} {
		t.Run(event, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) <= 40 {
					test.Reply(w, 503, "text/html", "<html></html>")
					return
				}
				empty(w, r)
			})
			config := service.Config()
			config["maxRetries"], config["retryDelay"] = 40, 8000
			p := suite.SDKPage(t, service.Origin, test.ScriptPage, config)
			p.Do(`
				let done = false;
				const chats = sdk.listChats().finally(() => { done = true; });
				while (!done) {
					` + event + `;
					await new Promise((resolve) => setTimeout(resolve, 1));
				}
				await chats;`)
			require.EqualValues(t, 41, asked.Load())
		})
	}
}
