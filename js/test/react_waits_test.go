package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// scriptedChat opens a page whose sdk is a scripted client, with a chat that has a question and an
// answer. `settle(name, value)` settles the last call.
func scriptedChat(t *testing.T) *test.Page {
	t.Helper()
	service := scripted(t)
	p := reactPage(t, service.Origin, service.Config())
	p.Do(`
		globalThis.sdk = new kit.react.ScriptedClient();
		globalThis.settle = (name, value) => sdk.settle(name, value);
		globalThis.is = async (status) => {
			while (globalThis.chat?.status !== status) await new Promise(requestAnimationFrame);
		};
		globalThis.aborted = async ({ options: { signal } }) => signal.aborted || new Promise((resolve) => signal.addEventListener("abort", resolve));
		globalThis.question = (n) => ({ id: "q" + n, chat_id: "c1", role: "user", content: "why?", created_at: n });
		globalThis.answer = (n, fields) => ({ id: "a" + n, chat_id: "c1", role: "assistant", content: "because", created_at: n, finish_reason: "stop", ...fields });
		globalThis.failed = (n) => answer(n, { content: "bec", finish_reason: "error" });
		globalThis.running = (n) => answer(n, { content: "bec", finish_reason: undefined, stream_id: "s" + n });
		globalThis.loaded = (...messages) => ({ name: "n", messages });
		globalThis.start = (n) => ({ type: "start", chat_id: "c1", message_id: "a" + n, user_message_id: "q" + n, stream_id: "s" + n });
		globalThis.cut = Object.assign(new Error("cut"), { name: "APIError", status: 0, code: "STREAM_CUT" });
		globalThis.heard = [];
		kit.react.show({
			chatId: "c1",
			onFinish: ({ content }) => heard.push("onFinish " + content), onError: ({ name }) => heard.push("onError " + name),
		});`)
	return p
}

// brokenAnswer is a scriptedChat with an interrupted answer.
func brokenAnswer(t *testing.T) *test.Page {
	t.Helper()
	p := scriptedChat(t)
	p.Do(`
		await settle("getChatHistory", loaded());
		await is("ready");
		chat.send("why?");
		await settle("event of why?", start(1));
		await settle("event of why?", { type: "chunk", text: "bec" });
		await settle("event of why?", cut);`)
	hasStatus(p, "error")
	return p
}

// called returns the client's calls that changed something, or began to.
func called(p *test.Page) []string {
	return test.Eval[[]string](p, `return sdk.names.filter((name) => /^(regenerate|resume|stop)/.test(name))`)
}

// If a user clicks "try again" and leaves while the history is read, nothing is regenerated:
// nobody knows yet whether the answer is complete.
func TestReactRetryThatIsLeftRegeneratesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, leave string }{
		{"the component goes away", `kit.react.show(null)`},
		{"another chat is shown", `kit.react.show({ chatId: "c2" })`},
		{"another SDK is given", `kit.react.show({ chatId: "c1", sdk: new kit.react.ScriptedClient() })`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := brokenAnswer(t)
			p.Do(`
				globalThis.tried = chat.retry();
				globalThis.read = await sdk.open("getChatHistory");`)
			p.Do(tt.leave)
			p.Do(`await aborted(read)`)
			require.Nil(t, test.Eval[any](p, `
				read.resolve(loaded(question(1), answer(1)));
				return tried;`))
			require.Empty(t, called(p))
		})
	}
}

// A user who comes back sees what was loaded then.
func TestReactRetryThatTheUserComesBackTo(t *testing.T) {
	t.Parallel()
	p := brokenAnswer(t)
	p.Do(`kit.react.show({ chatId: "c1" }, "visible")`)
	p.Do(`await settle("getChatHistory", loaded(question(1), failed(1)))`)
	hasStatus(p, "ready")
	p.Do(`
		chat.send("why?");
		await settle("event of why?", start(1));
		await settle("event of why?", cut);`)
	hasStatus(p, "error")
	p.Do(`
		globalThis.tried = chat.retry();
		globalThis.read = await sdk.open("getChatHistory");
		kit.react.show({ chatId: "c1" }, "hidden");`)
	p.Do(`await aborted(read)`)
	p.Do(`
		kit.react.show({ chatId: "c1" }, "visible");
		read.resolve(loaded(question(1), failed(1)));
		await settle("getChatHistory", loaded(question(1), answer(1)));`)
	require.Nil(t, test.Eval[any](p, `return tried`))
	lastIs(p, "stop", "because")
	hasStatus(p, "ready")
	require.Empty(t, called(p))
}

// stop() while the history is read is not forgotten: nothing is regenerated, and a running answer is
// stopped as soon as it is known.
func TestReactStopsWhileItLoads(t *testing.T) {
	t.Parallel()
	t.Run("an answer that was about to be regenerated", func(t *testing.T) {
		t.Parallel()
		p := brokenAnswer(t)
		p.Do(`
			chat.retry();
			globalThis.stopped = chat.stop();
			await settle("getChatHistory", loaded(question(1), failed(1)));
			await stopped;`)
		hasStatus(p, "ready")
		require.Empty(t, called(p))
	})
	t.Run("an answer that is being written", func(t *testing.T) {
		t.Parallel()
		p := scriptedChat(t)
		require.Equal(t, "ready", test.Eval[string](p, `
			await sdk.open("getChatHistory");
			globalThis.stopped = chat.stop().then(() => new Promise(requestAnimationFrame)).then(() => chat.status);
			await settle("getChatHistory", loaded(question(1), running(1)));
			await settle("stop s1", { message: answer(1, { content: "beca", finish_reason: "stopped" }) });
			return stopped;`))
		lastIs(p, "stopped", "beca")
	})
	t.Run("several answers", func(t *testing.T) {
		t.Parallel()
		p := scriptedChat(t)
		p.Do(`
			await settle("getChatHistory", loaded(question(1), running(1), question(2), running(2)));
			await sdk.open("resumeStream");
			globalThis.stopped = chat.stop();
			await settle("stop s2", { message: answer(2, { finish_reason: "stopped" }) });
			await settle("getChatHistory", loaded(question(1), running(1), question(2), answer(2, { finish_reason: "stopped" })));
			await settle("stop s1", { message: answer(1, { finish_reason: "stopped" }) });
			await stopped;`)
		hasStatus(p, "ready")
		require.Equal(t, []string{"sent why?", "stopped because", "sent why?", "stopped because"}, rows(p))
		require.NotContains(t, test.Eval[[]string](p, `return heard`), "onError AbortError")
	})
}

// When stop() resolves the answer has ended, and the next one can be sent.
func TestReactSendsAsSoonAsItHasStopped(t *testing.T) {
	t.Parallel()
	p := scriptedChat(t)
	p.Do(`
		await settle("getChatHistory", loaded());
		await is("ready");
		chat.send("why?");
		await settle("event of why?", start(1));
		await settle("event of why?", { type: "chunk", text: "bec" });
		await is("streaming");
		globalThis.next = chat.stop().then(() => chat.send("and?"));
		await settle("stop why?", { message: answer(1, { content: "bec", finish_reason: "stopped" }) });
		await sdk.open("event of and?");`)
	require.Equal(t, []string{"sent why?", "stopped bec", "unsent and?"}, rows(p))
}

// An answer that was left to the service may be complete by now: an unmounted component can't
// regenerate it.
func TestReactRegeneratesNothingAfterItUnmounted(t *testing.T) {
	t.Parallel()
	p := scriptedChat(t)
	p.Do(`
		await settle("getChatHistory", loaded());
		await is("ready");
		globalThis.gone = chat;
		chat.send("why?");
		await settle("event of why?", start(1));
		await settle("event of why?", { type: "chunk", text: "bec" });
		globalThis.read = await sdk.open("event of why?");
		kit.react.show(null);`)
	p.Do(`await aborted(read)`)
	require.Contains(t, test.Eval[string](p, `return (await kit.failure(gone.regenerate()))?.message`), `status is "loading"`)
	require.Empty(t, called(p))
}

// A message of an unmounted component reaches the service, which finishes the answer.
func TestReactSendsForAComponentThatIsGone(t *testing.T) {
	t.Parallel()
	p := scriptedChat(t)
	p.Do(`
		await settle("getChatHistory", loaded());
		await is("ready");
		globalThis.gone = chat;
		kit.react.show(null);
		while (document.querySelector("main")) await new Promise(requestAnimationFrame);
		globalThis.sent = gone.send("why?");
		const { options } = await sdk.open("event of why?");
		if (options.signal.aborted) throw new Error("it was lost on its way");
		await settle("event of why?", start(1));
		await sent;
		await aborted({ options });`)
}

// "Try again" is for the interrupted answer, not for another one that was requested elsewhere
// since.
func TestReactTriesItsOwnAnswerAgain(t *testing.T) {
	t.Parallel()
	p := brokenAnswer(t)
	p.Do(`
		chat.retry();
		await settle("getChatHistory", loaded(question(1), answer(1), question(2), failed(2)));`)
	hasStatus(p, "ready")
	require.Empty(t, called(p))
	require.Equal(t, []string{"sent why?", "stop because", "sent why?", "error bec"}, rows(p))
}

// An answer that was followed to its end has not failed, even if the reader left while other
// running answers were looked up.
func TestReactLeavesAfterItHasFollowed(t *testing.T) {
	t.Parallel()
	p := scriptedChat(t)
	p.Do(`
		await settle("getChatHistory", loaded(question(1), running(1), question(2), running(2)));
		const { options } = await sdk.open("resumeStream");
		options.onComplete(answer(2));
		await settle("resumeStream", true);
		globalThis.read = await sdk.open("getChatHistory");
		kit.react.show(null);`)
	p.Do(`await aborted(read)`)
	require.Equal(t, []string{"onFinish because"}, test.Eval[[]string](p, `return heard`))
}

// A closed SDK says so, and the chat stays unchanged.
func TestReactShowsThatTheSDKWasClosed(t *testing.T) {
	t.Parallel()
	p := scriptedChat(t)
	p.Do(`
		const closed = new DOMException("the SDK was closed", "InvalidStateError");
		await settle("getChatHistory", loaded(question(1), answer(1)));
		await is("ready");
		chat.send("why?");
		await settle("event of why?", start(2));
		await settle("event of why?", { type: "chunk", text: "bec" });
		await settle("event of why?", new DOMException("the SDK was closed", "AbortError"));
		await is("error");
		chat.retry();
		await settle("getChatHistory", closed);`)
	p.Until(`chat.error?.name === "InvalidStateError"`)
	require.Equal(t, []string{"sent why?", "stop because", "sent why?", "error bec"}, rows(p))
	require.Equal(t, []string{"onError AbortError", "onError InvalidStateError"}, test.Eval[[]string](p, `return heard`))
	require.Empty(t, called(p))
}

// Options that are made again in each rendering are an error that says what to do, not React's "Too
// many re-renders".
func TestReactOptionsMadeInRender(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, make, want string }{
		{"an SDK", `() => ({ sdk: new ChatSDK(sdkConfig), chatId: "c1" })`, "useChat: sdk is a new one each time the component renders; make it once, outside the component or with useState"},
		{"an id", `() => ({ sdk, chatId: crypto.randomUUID() })`, "useChat: chatId is different each time the component renders; keep it, in useState"},
	} {
		for _, of := range []struct{ name, packages string }{{"React 19", react}, {"React 18", react18}} {
			for name, isStrict := range map[string]bool{"": false, " in StrictMode": true} {
				t.Run(tt.name+" with "+of.name+name, func(t *testing.T) {
					t.Parallel()
					service := scripted(t)
					p := reactPageOf(t, of.packages, service.Origin, service.Config())
					p.Expect(tt.want)
					if of.packages == react18 {
						p.Expect("The above error occurred in the <Making> component")
					}
					p.Do(`globalThis.sdkConfig = $1; kit.react.showMaking(`+tt.make+`, $2)`, service.Config(), isStrict)
					p.Until(`document.querySelector("[role=alert]")`)
					require.Contains(t, test.Eval[string](p, `return document.querySelector("[role=alert]").textContent`), tt.want)
				})
			}
		}
	}
}

// The hook may get another sdk or chat, as often as needed.
func TestReactChangesItsOptions(t *testing.T) {
	t.Parallel()
	for _, of := range []struct{ name, packages string }{{"React 19", react}, {"React 18", react18}} {
		t.Run(of.name, func(t *testing.T) {
			t.Parallel()
			service := scripted(t)
			p := reactPageOf(t, of.packages, service.Origin, service.Config())
			p.Do(`
				for (let i = 0; i < 30; i++) {
					const client = new kit.react.ScriptedClient();
					kit.react.showMaking(() => ({ sdk: client, chatId: "c" + i % 2 }), true);
					await client.settle("getChatHistory", { name: "n", messages: [] });
				}`)
			hasStatus(p, "ready")
		})
	}
}
