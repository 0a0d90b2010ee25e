package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// A service worker hides the events of uploads from the page. It answers uploads of documents itself, and passes on everything else.
const hiding = `
	addEventListener("install", () => skipWaiting());
	addEventListener("activate", (event) => event.waitUntil(clients.claim()));
	addEventListener("fetch", (event) => {
		const { request } = event;
		event.respondWith(!request.url.endsWith("/file") ? fetch(request) : request.arrayBuffer().then(() =>
			new Response('{"document_key":"d1","message":"by the service worker"}', { headers: { "content-type": "application/json" } })));
	});`

// An upload whose events nobody sees reports its progress at its end, so that no bar is left.
func TestUploadsUnderAServiceWorkerReportTheirProgress(t *testing.T) {
	t.Parallel()
	service, _ := formService(t)
	service.Script("/sw.js", []byte(hiding))
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	if !test.Eval[bool](p, `return "serviceWorker" in navigator`) {
		t.Skip("the browser has no service workers here")
	}
	p.Do(`
		const controlled = new Promise((resolve) => { navigator.serviceWorker.oncontrollerchange = resolve; });
		await navigator.serviceWorker.register("/sw.js", { scope: "/" });
		await controlled;`)
	got := test.Eval[struct {
		Told   string
		Sends  [][2]int
		Images [][2]int
		Upload [][2]int
	}](p, `
		const got = { Sends: [], Images: [], Upload: [] };
		await sdk.sendMessage("hello", { onUploadProgress: (...numbers) => got.Sends.push(numbers) });
		await sdk.sendMessage("look", { images: [new Blob([new Uint8Array(5000)])], onUploadProgress: (...numbers) => got.Images.push(numbers) });
		const { message } = await sdk.uploadDocument(new File(["x".repeat(7000)], "a.md"), { onProgress: (...numbers) => got.Upload.push(numbers) });
		return { ...got, Told: message };`)
	require.Equal(t, "by the service worker", got.Told)
	for least, progress := range map[int][][2]int{5: got.Sends, 5004: got.Images, 7000: got.Upload} {
		require.NotEmpty(t, progress)
		last := progress[len(progress)-1]
		require.Equal(t, last[1], last[0], "all is sent")
		require.GreaterOrEqual(t, last[0], least)
	}
}
