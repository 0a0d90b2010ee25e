package test_test

import (
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/network"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// instances counts the cores that a page started, and those that were collected.
const instances = `
	globalThis.instances = { made: 0, collected: 0 };
	const registry = new FinalizationRegistry(() => { instances.collected += 1; });
	const { instantiate } = WebAssembly;
	WebAssembly.instantiate = async (...args) => {
		const instance = await instantiate(...args);
		instances.made += 1;
		registry.register(instance, undefined);
		return instance;
	};`

type counted struct {
	Made      int `json:"made"`
	Collected int `json:"collected"`
}

// Forty clients of one module share one core, which ends when they are closed.
func TestClientsOfAModuleShareACoreThatCanBeClosed(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "a worker ends with its core")
	service := suite.Fake(t, empty)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(), instances)
	p.Do(`
		globalThis.wasmModule = await WebAssembly.compileStreaming(fetch("/dist/chatsdk.wasm"));
		globalThis.clients = Array.from({ length: 40 }, () => new ChatSDK({ ...config, wasmModule }));
		for (const client of clients) await client.listChats();`)
	require.Equal(t, counted{Made: 1}, test.Eval[counted](p, `return instances`))
	p.Do(`
		for (const client of clients) client.close();
		clients.length = 0;`)
	for test.Eval[counted](p, `return instances`).Collected == 0 { // otherwise the test runs out of time
		p.Do(`await new Promise((resolve) => setTimeout(resolve, 100))`)
		test.Call(p, heapprofiler.CollectGarbage, cdp.Empty{})
	}
	p.Do(`await new ChatSDK({ ...config, wasmModule }).listChats()`)
	require.Equal(t, 2, test.Eval[counted](p, `return instances`).Made)
}

// A worker ends with its last client.
func TestClosingEndsTheWorker(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two")
	service := suite.Service(t, model.Env()...)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, inWorker(service.Config(t, "ada")), watch)
	p.Do(`globalThis.other = new ChatSDK(config); await other.listChats();` + reading)
	p.Do(`other.close()`)
	require.Zero(t, watchedIn(p).Ended, "another client uses it")
	p.Do(`sdk.close()`)
	for watchedIn(p).Ended == 0 { // otherwise the test runs out of time
		p.Do(`await new Promise((resolve) => setTimeout(resolve, 100))`)
	}
	got := test.Eval[streamed](p, `return outcome`)
	require.Equal(t, []string{"onChunk"}, got.Names, "nothing is called after close()")
	close(answer.gates[1])
	p.Do(`globalThis.sdk = new ChatSDK(config)`)
	var last message
	for last.FinishReason != "stop" { // the service has finished the answer
		last = historyOf(p, test.Eval[string](p, `return (await sdk.listChats()).chats[0].chat_id`)).Messages[1]
	}
	require.Equal(t, "one two", last.Content)
	require.Len(t, watchedIn(p).Workers, 2, "the next call starts another")
}

// The stop of an answer reaches the worker after the message that its client is closed.
func TestAWorkerStopsAnAnswerThatWasLeftJustBeforeTheClose(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/stop") {
			test.Reply(w, 200, "application/json", `{"stopped":true,"message":{"id":"m1","content":"one","role":"assistant"}}`)
			return
		}
		test.NewStream(w).Chunk("one")
		<-r.Context().Done()
	})
	p := suite.SDKPage(t, service.Origin, test.ModulePage, inWorker(service.Config()), watch)
	p.Do(`
		const own = new ChatSDK({ ...config, accessToken: async () => "token" });
		for await (const { type } of own.stream("hi")) if (type === "chunk") break;
		own.close();`)
	for watchedIn(p).Ended == 0 { // otherwise the test runs out of time
		p.Do(`await new Promise((resolve) => setTimeout(resolve, 100))`)
	}
	require.Equal(t, 1, service.Count("/v3/chat/stream/s1/stop"))
}

// lacking serves dist/ to a page with the script, at first without one of its files.
func lacking(t *testing.T, file string) (*test.Fake, *test.Page) {
	service := suite.Fake(t, empty)
	var asked atomic.Int32
	service.Handle("/test/lib/", func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(r.URL.Path)
		if name == file && asked.Add(1) == 1 {
			test.Reply(w, 503, "text/javascript", "")
			return
		}
		http.ServeFile(w, r, suite.File("dist/"+name))
	})
	p := suite.Page(t, service.URL+test.BlankPage, watch)
	p.Do(`await new Promise((resolve, reject) => document.head.append(
		Object.assign(document.createElement("script"), { src: "/test/lib/chatsdk.js", onload: resolve, onerror: reject })))`)
	p.ExpectOfBrowser("503")
	return service, p
}

// A script that once failed to load may load at the next call.
func TestTheWorkersScriptIsRequestedAgain(t *testing.T) {
	t.Parallel()
	service, p := lacking(t, "chatsdk.worker.mjs")
	p.Do(`globalThis.sdk = new ChatSDK($1); await sdk.listChats()`, inWorker(service.Config()))
	require.Empty(t, watchedIn(p).Workers, "the core runs in the page meanwhile")
	p.Do(`await sdk.listChats()`)
	require.Len(t, watchedIn(p).Workers, 1)
}

// Browsers show an aborted request to people as one that failed.
func TestAWholeAnswerIsNotACancelledRequest(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "a worker's requests are not reported here")
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"))
	requests := watchRequests(p)
	p.Do(`
		await sdk.sendMessageStream("hello");
		await sdk.stream("hello").result;
		await sdk.listChats();`)
	p.Do(requested, "/v3/chat/message", 2)
	requests.requireFinished(t, 3)
}

func TestAnAnswerInPiecesIsNotACancelledRequest(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "a worker's requests are not reported here")
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		test.Reply(w, 200, "application/json", `{"chats":[],`)
		_ = http.NewResponseController(w).Flush()
		time.Sleep(20 * time.Millisecond) // the pieces arrive separately; the test also passes if they don't
		_, _ = io.WriteString(w, `"total":0}`)
	})
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config())
	requests := watchRequests(p)
	p.Do(`await sdk.listChats(); await sdk.listChats();`)
	p.Do(requested, "/chat", 2)
	requests.requireFinished(t, 2)
}

// requests are the browser's reports of a page's requests.
type requests struct {
	mutex     sync.Mutex
	addresses map[network.RequestID]string
	failed    []string
	finished  int
}

func watchRequests(p *test.Page) *requests {
	r := &requests{addresses: map[network.RequestID]string{}}
	test.Hear(p, func(event any) {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			r.addresses[e.RequestID] = e.Request.Method + " " + e.Request.URL
		case *network.EventLoadingFailed:
			r.failed = append(r.failed, r.addresses[e.RequestID]+": "+e.ErrorText)
		case *network.EventLoadingFinished:
			r.finished++
		}
	})
	test.Call(p, network.Enable, network.EnableParams{})
	return r
}

func (r *requests) requireFinished(t *testing.T, least int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	require.Empty(t, r.failed)
	require.GreaterOrEqual(t, r.finished, least)
}
