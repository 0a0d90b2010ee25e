package bench_test

import (
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"

	"github.com/chatsdk/chatsdk/js/test"
)

// wasmMemory is the size of the WebAssembly memory of a page in bytes, which no
// script of the page can reach.
func wasmMemory(p *test.Page) int {
	const group = "memories"
	prototype := test.Call(p, runtime.Evaluate, runtime.EvaluateParams{Expression: "WebAssembly.Memory.prototype", ObjectGroup: group}).Result
	memories := test.Call(p, runtime.QueryObjects, runtime.QueryObjectsParams{PrototypeObjectID: prototype.ObjectID, ObjectGroup: group}).Objects
	byValue := true
	result := test.Call(p, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function () { return this.reduce((sum, { buffer }) => sum + buffer.byteLength, 0) }",
		ObjectID:            memories.ObjectID, ReturnByValue: &byValue,
	}).Result
	test.Call(p, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: group})
	var bytes int
	_, _ = fmt.Sscan(string(result.Value), &bytes)
	return bytes
}

// heap is the size of a page's JavaScript heap after a collection, in bytes.
func heap(p *test.Page) int {
	test.Call(p, heapprofiler.CollectGarbage, cdp.Empty{})
	return int(test.Call(p, runtime.GetHeapUsage, cdp.Empty{}).UsedSize)
}

// memory measures what a page with only ChatSDK holds.
func (b *bench) memory() {
	var rows [][]string
	p := suite.Page(b.t, b.server.URL+test.ModulePage).Patient(5 * time.Minute)
	look := func(when string) {
		rows = append(rows, []string{when, megabytes(wasmMemory(p)), megabytes(heap(p))})
	}
	look("before")
	p.Do(`await ChatSDK.preload()`)
	look("after load")
	p.Do(`
		const sdk = new ChatSDK({ baseUrl: $1, projectId: "demo", accessToken: "token" });
		for (let i = 0; i < $2; i++) await sdk.listChats(undefined, 100);`, b.server.URL+"/calls", b.manyCalls)
	look(fmt.Sprintf("after %d calls", b.manyCalls))
	p.Do(`
		const sdk = new ChatSDK({ baseUrl: $1, projectId: "demo", accessToken: "token" });
		let chunks = 0;
		await sdk.sendMessageStream("hi", { onChunk: () => { chunks++; } });
		if (chunks !== $2) throw new Error("only " + chunks + " chunks came");`, b.server.prepare("chatsdk", b.manyChunks, 0), b.manyChunks)
	look(fmt.Sprintf("after %d chunks of one answer", b.manyChunks))
	b.table("Memory of a page", []string{"", "WebAssembly memory, MB", "JavaScript heap, MB"}, rows)
}
