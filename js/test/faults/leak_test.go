package faults_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// kinds are what is counted in a page: everything that a stream makes.
var kinds = []string{
	"AbortController", "AbortSignal", "ArrayBuffer", "Error", "FormData", "Function", "Headers", "Map", "Promise",
	"ReadableStream", "ReadableStreamDefaultReader", "Response", "Uint8Array",
}

// metrics are what the browser itself counts.
var metrics = []string{"JSEventListeners", "Nodes", "Documents", heapSize}

const (
	heapSize = "JSHeapUsedSize"
	// bytesOfAStream is less than a stream adds to JavaScript's heap.
	bytesOfAStream = 400
)

// held is what a page holds after a garbage collection.
type held struct {
	streams int
	// memory is the size of the wasm memory in bytes.
	memory int
	// objects are live ones, by kind.
	objects map[string]int
	metrics map[string]int
}

// 10,000 streams, one after another, leave nothing behind, as counted by the browser.
func TestStreamsLeaveNothingBehind(t *testing.T) {
	const steps = 10
	step := 60
	if *soak {
		step = 1000
	}
	b := newBench(t, nil)
	b.model.Otherwise(func(a *test.Answer) { a.Text("one ").Text("two ").Text("three").Finish("stop") })
	test.Call(b.page, performance.Enable, performance.EnableParams{})
	var all []held
	for i := range steps {
		for n := 0; n < step; n += step / 5 {
			b.page.Do(`
				globalThis.chat ??= await sdk.createChat("leaks");
				const nothing = () => {};
				for (let i = 0; i < $1; i++) {
					let completed = false;
					await sdk.sendMessageStream("hi", {
						chatId: chat.chat_id, ignoreChatHistory: true, signal: new AbortController().signal,
						onChunk: nothing, onComplete: () => { completed = true; }, onMessageEnd: nothing,
					});
					if (!completed) throw new Error("a stream failed");
				}`, step/5)
		}
		all = append(all, look(b.page, (i+1)*step))
	}
	t.Log(heldTable(all))
	const between = steps - 5 // the fewest steps between the looks that requireFlat compares
	for _, kind := range kinds {
		requireFlat(t, kind, all, between*step/2, func(h held) int { return h.objects[kind] })
	}
	for _, metric := range metrics[:3] {
		requireFlat(t, metric, all, between*step/2, func(h held) int { return h.metrics[metric] })
	}
	requireFlat(t, heapSize, all, between*step/2*bytesOfAStream, func(h held) int { return h.metrics[heapSize] })
	require.Equal(t, all[steps/2].memory, all[steps-1].memory, "bytes of WebAssembly")
}

// requireFlat compares the last three counts with the first three. They go up and down, because
// released objects are held until Go collects: if every second stream leaks, the lowest of the last
// counts is higher than the highest of the first, by more than the slack.
func requireFlat(t *testing.T, name string, all []held, slack int, count func(held) int) {
	t.Helper()
	highest, lowest := 0, math.MaxInt
	for _, h := range all[:3] {
		highest = max(highest, count(h))
	}
	for _, h := range all[len(all)-3:] {
		lowest = min(lowest, count(h))
	}
	require.LessOrEqual(t, lowest, highest+slack, name)
}

// look counts what a page holds.
func look(p *test.Page, streams int) held {
	test.Call(p, heapprofiler.CollectGarbage, cdp.Empty{})
	h := held{streams: streams, objects: map[string]int{}, metrics: map[string]int{}}
	for _, metric := range test.Call(p, performance.GetMetrics, cdp.Empty{}).Metrics {
		h.metrics[metric.Name] = int(metric.Value)
	}
	for _, kind := range kinds {
		h.objects[kind] = query(p, kind, "all => all.length")
	}
	h.memory = query(p, "WebAssembly.Memory", "all => all.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)")
	return h
}

// query finds all live objects of a class, and returns what a function says about them.
func query(p *test.Page, class, count string) int {
	const group = "leaks"
	prototype := test.Call(p, runtime.Evaluate, runtime.EvaluateParams{Expression: class + ".prototype", ObjectGroup: group}).Result
	objects := test.Call(p, runtime.QueryObjects, runtime.QueryObjectsParams{PrototypeObjectID: prototype.ObjectID, ObjectGroup: group}).Objects
	byValue := true
	result := test.Call(p, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function () { return (" + count + ")(this) }", ObjectID: objects.ObjectID, ReturnByValue: &byValue,
	}).Result
	test.Call(p, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: group})
	var n int
	_, _ = fmt.Sscan(string(result.Value), &n) // an unreadable one is 0, which no count is
	return n
}

func heldTable(all []held) string {
	var text strings.Builder
	fmt.Fprintf(&text, "\n| streams | wasm memory | %s | %s |\n|%s\n", strings.Join(metrics, " | "), strings.Join(kinds, " | "),
		strings.Repeat(" ---: |", 2+len(metrics)+len(kinds)))
	for _, h := range all {
		fmt.Fprintf(&text, "| %d | %d |", h.streams, h.memory)
		for _, metric := range metrics {
			fmt.Fprintf(&text, " %d |", h.metrics[metric])
		}
		for _, kind := range kinds {
			fmt.Fprintf(&text, " %d |", h.objects[kind])
		}
		text.WriteString("\n")
	}
	return text.String()
}
