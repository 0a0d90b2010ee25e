package test_test

import (
	"slices"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// mortal makes workers that die without an event, or are busy, when they are told to. The page looks after them ten
// times as often: a dead one is noticed after 2.2 s, and one that is busy for a second stands for one that is busy for ten.
const mortal = `
	globalThis.made = [];
	globalThis.Worker = class extends Worker {
		constructor(address, options) {
			const script = "addEventListener('message', ({ data }) => {" +
				"if (data === 'die') close();" +
				"if (data === 'work') for (const end = performance.now() + 1000; performance.now() < end; );" +
				"}); importScripts('" + address + "')";
			super(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), options);
			made.push(this);
		}
	};
	const { setTimeout: timer } = globalThis;
	globalThis.setTimeout = (run, ms, ...rest) => timer(run, ms === 2000 ? 200 : ms, ...rest);`

// mortalPage shows an answer that has begun in a worker. Its next word waits for the gate.
func mortalPage(t *testing.T) (p *test.Page, answer *paced) { return mortalIn(t, suite.Page) }

// mortalIn does the same in a page that open opens.
func mortalIn(t *testing.T, open func(testing.TB, string, ...string) *test.Page) (p *test.Page, answer *paced) {
	model := test.NewModel(t)
	answer = pace(model, "slow", "one ", "two ", "three")
	service := suite.Service(t, model.Env()...)
	p = open(t, service.URL+test.ModulePage, mortal)
	p.Do(`
		globalThis.config = $1;
		globalThis.sdk = new ChatSDK(config);
		globalThis.starts = globalThis.chunks = 0;
		const first = kit.deferred();
		globalThis.outcome = kit.stream(sdk, "slow", { onChunk: () => { chunks += 1; first.resolve(); }, onStart: () => { starts += 1; } });
		await first.promise;`, inWorker(service.Config(t, "ada")))
	return p, answer
}

// A stream that has begun goes on in another worker without a word lost or doubled. So do a send, by its key, and what only
// reads. What can't be repeated fails, and may be called again.
func TestAWorkerThatDiesSilentlyIsReplaced(t *testing.T) {
	t.Parallel()
	p, answer := mortalPage(t)
	p.Do(`
		made[0].postMessage("die");
		globalThis.events = [];
		globalThis.calls = Promise.all([
			sdk.listChats(undefined, undefined, { maxRetries: 1 }).then(({ chats }) => chats.length),
			sdk.sendMessage("hello").then(({ message }) => String(message)),
			...[sdk.createChat(), sdk.listAgents()].map((call) =>
				call.then(() => "done", ({ code, retryable, message }) => [code, retryable, message].join("; "))),
		]);`)
	close(answer.gates[1])
	got := test.Eval[[]any](p, `return calls`)
	require.Contains(t, []any{1.0, 2.0}, got[0], "with or without the chat of the send beside it")
	const died = "INTERNAL; true; ChatSDK: the core's worker has died; call again"
	require.Equal(t, []any{"hello", died, died}, got[1:], "this client repeats no reads")
	close(answer.gates[2])
	requireOnce(t, p, "one ", "two ", "three")
	require.Equal(t, []string{"onChunk", "onChatNameUpdate", "onComplete", "onMessageEnd"}, slices.Compact(test.Eval[streamed](p, `return outcome`).Names))
	require.Equal(t, 1, test.Eval[int](p, `return starts`))
	require.Equal(t, 2, test.Eval[int](p, `return made.length`))
	require.Equal(t, 3, test.Eval[int](p, `return (await sdk.createChat(), await sdk.listChats()).chats.length`), "each question made one chat")
}

func TestAWorkerThatIsBusyIsNotDead(t *testing.T) {
	t.Parallel()
	p, answer := mortalPage(t)
	p.Do(`made[0].postMessage("work"); await sdk.listChats()`)
	close(answer.gates[1])
	close(answer.gates[2])
	requireOnce(t, p, "one ", "two ", "three")
	require.Equal(t, 1, test.Eval[int](p, `return made.length`))
}

func TestAFrozenPagesWorkerIsNotDead(t *testing.T) {
	t.Parallel()
	p, answer := mortalPage(t)
	// The page's clocks go on for an hour while it is frozen, and its timers do not.
	p.Do(`
		globalThis.resumed = kit.deferred();
		let ahead = 0;
		for (const clock of [Date, performance]) {
			const now = clock.now.bind(clock);
			clock.now = () => now() + ahead;
		}
		document.addEventListener("freeze", () => { ahead = 3_600_000; });
		document.addEventListener("resume", () => resumed.resolve(ahead));`)
	freeze := func(state page.SetWebLifecycleStateState) {
		test.Call(p, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state}) // Chromium alone can be told so
	}
	freeze(page.SetWebLifecycleStateStateFrozen)
	freeze(page.SetWebLifecycleStateStateActive)
	require.Equal(t, 3_600_000, test.Eval[int](p, `return resumed.promise`), "the page was frozen")
	p.Do(`await sdk.listChats(); await sdk.listChats()`)
	close(answer.gates[1])
	close(answer.gates[2])
	requireOnce(t, p, "one ", "two ", "three")
	require.Equal(t, 1, test.Eval[int](p, `return made.length`))
}

// hide hides a page, or shows it again, and waits until the page has noticed it.
func hide(t *testing.T, p *test.Page, is bool) {
	t.Helper()
	p.Do(`
		globalThis.changed = kit.deferred();
		document.addEventListener("visibilitychange", () => changed.resolve(), { once: true });`)
	p.Hide(is)
	require.Equal(t, is, test.Eval[bool](p, `return (await changed.promise, document.hidden)`))
}

// reaches waits until a count is so high; otherwise the test runs out of time.
func reaches(p *test.Page, count string, n int) {
	for test.Eval[int](p, `return `+count) < n {
		p.Do(`await new Promise((resolve) => setTimeout(resolve, 100))`)
	}
}

// The timers of a hidden page run once a second, and its worker's as ever.
func TestAHiddenPagesWorkerIsNotDead(t *testing.T) {
	t.Parallel()
	p, answer := mortalIn(t, suite.HidablePage)
	hide(t, p, true)
	// The page looks after its worker so often that a silent one would be dead.
	p.Do(`
		let looks = 0;
		await new Promise((resolve) => {
			const { postMessage } = made[0];
			made[0].postMessage = (...args) => {
				if (args[0].kind === "ping" && ++looks === 12) resolve();
				Reflect.apply(postMessage, made[0], args);
			};
		});`)
	close(answer.gates[1])
	reaches(p, "chunks", 2)
	require.Equal(t, 1, test.Eval[int](p, `return made.length`))
	hide(t, p, false)
	p.Do(`await sdk.listChats()`)
	close(answer.gates[2])
	requireOnce(t, p, "one ", "two ", "three")
	require.Equal(t, 1, test.Eval[int](p, `return made.length`))
}

func TestAHiddenPageNoticesThatItsWorkerIsDead(t *testing.T) {
	t.Parallel()
	p, answer := mortalIn(t, suite.HidablePage)
	hide(t, p, true)
	p.Do(`made[0].postMessage("die")`)
	reaches(p, "made.length", 2)
	close(answer.gates[1])
	reaches(p, "chunks", 2)
	require.True(t, test.Eval[bool](p, `return document.hidden`))
	hide(t, p, false)
	close(answer.gates[2])
	requireOnce(t, p, "one ", "two ", "three")
}
