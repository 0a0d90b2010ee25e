package test_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// catchLoader gives the page access to the toolchain's loader: at each callback, Go asks the loader
// for the pending event by this name.
const catchLoader = `
	const { get } = Reflect;
	Reflect.get = (target, name) => {
		if (name === "_pendingEvent") globalThis.loader = target;
		return get(target, name);
	};`

// alive is what a page holds after a garbage collection on both sides.
type alive struct {
	// References are JavaScript values that Go holds, including callbacks; 0 in worker mode, where the
	// page cannot reach them.
	References int `json:"references"`
	Goroutines int `json:"goroutines"`
	// heap is the memory of Chromium's JavaScript, in bytes.
	heap float64
}

func aliveIn(p *test.Page) alive {
	got := test.Eval[alive](p, `
		const { goroutines } = await sdk.createChat("memory");
		// The build shortens the loader's own names. Its list of values begins with NaN.
		const values = globalThis.loader && Object.values(globalThis.loader).find((list) => Array.isArray(list) && Number.isNaN(list[0]));
		return {
			goroutines,
			references: values?.filter((value) => value !== null && value !== undefined).length,
		};`)
	if test.Browser() != "chromium" {
		return got // it does not report its heap
	}
	test.Call(p, heapprofiler.CollectGarbage, cdp.Empty{})
	got.heap = test.Call(p, runtime.GetHeapUsage, cdp.Empty{}).UsedSize
	return got
}

// Nothing outlives its call: no callback, no goroutine, no object on either side.
func TestNothingOutlivesItsCall(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v3/chat/message":
			s := test.NewStream(w).Chunk("one ")
			if strings.Contains(r.FormValue("message"), "unfinished") {
				<-r.Context().Done()
				return
			}
			if !strings.Contains(r.FormValue("message"), "cut") {
				s.Chunk("two").Complete()
			}
		case "/v3/chat/stream/s1":
			s := test.NewStream(w).Chunk("one ")
			s.Chunk("two").Complete()
		case "/v3/chat/stream/s1/stop", "/v3/chat/stop":
			test.Reply(w, 200, "application/json", `{"stopped":true,"message":{"id":"m1","role":"assistant","content":"one "},"last_event_id":3,"bytes":4,"crc32":"0"}`)
		case "/project/demo/chat/running/all":
			test.Reply(w, 200, "application/json", `{"messages":[{"id":"m1","role":"assistant","content":"","stream_id":"s1"}]}`)
		case "/project/demo/chat/slow/all":
			<-r.Context().Done()
		case "/project/demo/chat/gone/all":
			test.Reply(w, 404, "application/json", `{"status_code":404,"error":{"code":"ENTITY_NOT_FOUND","message":"No"}}`)
		default:
			empty(w, r)
		}
	})
	p := faultyPage(t, service, catchLoader)
	work := func(rounds int) {
		p.Do(`
			const heard = () => {};
			globalThis.tokens ??= new ChatSDK({ ...config, accessToken: async () => "token" });
			globalThis.stays ??= new ChatSDK({ ...config, maxRetries: 2, retryDelay: 0, logger: heard });
			// One signal for all calls, as a page may have: nothing may stay attached to it.
			globalThis.lasting ??= new AbortController();
			const given = async () => {
				const controller = new AbortController();
				const call = sdk.getChatHistory("slow", { signal: controller.signal }).catch(heard);
				await sdk.listChats(undefined, undefined, { signal: lasting.signal });
				controller.abort();
				await call;
			};
			const left = async (how) => {
				const controller = new AbortController();
				const stream = sdk.stream("unfinished", { signal: controller.signal });
				try {
					for await (const event of stream) {
						if (event.type !== "chunk") continue;
						if (how === "break") break;
						if (how === "abort") controller.abort();
						else await stream.stop();
					}
				} catch {}
			};
			for (let i = 0; i < $1; i++) {
				await Promise.all(Array.from({ length: 4 }, () => sdk.listChats()));
				await Promise.all([given(), left("break"), left("abort"), left("stop"), stays.sendMessageStream("cut", { onChunk: heard })]);
				await stays.resumeStream("running", { onChunk: heard });
				await Promise.all([
					...Array.from({ length: 4 }, () => tokens.listChats()),
					sdk.getChatHistory("gone").catch(heard),
					sdk.listChats(undefined, 101).catch(heard),
					sdk.sendMessageStream("hi", { onChunk: heard, onComplete: heard, onMessageEnd: heard }),
				]);
			}`, rounds)
	}
	work(20)
	before := aliveIn(p)
	for range 5 {
		work(20)
	}
	after := aliveIn(p)
	// If any of the calls leaks, it leaks at least 100 times. A stack slot that was not overwritten
	// since may hold a value or two beyond its call.
	require.Less(t, after.References, before.References+20)
	require.LessOrEqual(t, after.Goroutines, before.Goroutines)
	require.Less(t, after.heap-before.heap, 1000*100.0, "bytes of JavaScript, for 1,000 calls and 100 streams")
}
