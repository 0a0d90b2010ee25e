package test_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

func TestTwoSDKsOnOnePage(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	got := test.Eval[[]any](p, `
		const bob = new ChatSDK($1);
		await Promise.all([sdk.createChat("of ada"), bob.createChat("of bob")]);
		const streams = await Promise.all([kit.stream(sdk, "from ada"), kit.stream(bob, "from bob")]);
		const names = async (one) => (await one.listChats()).chats.map((chat) => chat.name).sort();
		return [await names(sdk), await names(bob), streams.map((one) => one.text)];`, service.Config(t, "bob"))
	require.Equal(t, []any{
		[]any{"from ada", "of ada"}, []any{"from bob", "of bob"}, []any{"from ada", "from bob"},
	}, got)
	require.Equal(t, 1, service.Count(wasmPath), "both use one module")
}

// The script and the module may be used in one page; each is a separate copy.
func TestTwoCopiesOnOnePage(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	got := test.Eval[map[string]any](p, `
		const module = await import("/dist/chatsdk.mjs");
		const other = new module.ChatSDK($1);
		const streams = await Promise.all([kit.stream(sdk, "by script"), kit.stream(other, "by module")]);
		const failure = await other.getChatHistory("nowhere").catch((error) => error);
		return {
			texts: streams.map((one) => one.text),
			same: module.ChatSDK === ChatSDK,
			ofModule: failure instanceof module.APIError && failure instanceof module.ChatSDK.APIError,
			ofScript: failure instanceof ChatSDK.APIError,
			name: failure.name,
		};`, service.Config(t, "bob"))
	require.Equal(t, map[string]any{
		"texts": []any{"by script", "by module"}, "same": false, "ofModule": true, "ofScript": false, "name": "APIError",
	}, got)
}

const globals = `Object.getOwnPropertyNames(globalThis).sort()`

func TestThePageGetsOneGlobal(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	for name, tt := range map[string]struct {
		load string
		want []string
	}{
		"script": {`await new Promise((resolve) => document.head.append(
			Object.assign(document.createElement("script"), {src: "/dist/chatsdk.js", onload: resolve})))`, []string{"ChatSDK"}},
		"module": {`globalThis.kit.module = await import("/dist/chatsdk.mjs")`, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := suite.Service(t, model.Env()...)
			p := suite.Page(t, service.URL+test.BlankPage)
			got := test.Eval[[]string](p, `
				const before = new Set(`+globals+`);
				`+tt.load+`;
				const sdk = new (kit.module?.ChatSDK ?? ChatSDK)($1);
				await sdk.createChat();
				await sdk.sendMessageStream("hi", {onChunk() {}});
				await sdk.getChatHistory("nowhere").catch(() => {});
				return `+globals+`.filter((name) => !before.has(name));`, service.Config(t, "ada"))
			require.Equal(t, tt.want, got)
		})
	}
}

// A page may define its own globals.
func TestGlobalsOfThePageStayAsTheyAre(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := suite.Page(t, service.URL+test.ScriptPage, `
		globalThis.Go = "mine"; globalThis.fs = "mine"; globalThis.process = "mine"; globalThis.path = "mine";
		globalThis.chatsdk = "mine"; globalThis.require = "mine"; globalThis.module = "mine"; globalThis.global = "mine";
		Object.prototype.polluted = "mine"; Array.prototype.polluted = "mine";`)
	got := test.Eval[map[string]any](p, `
		const sdk = new ChatSDK($1);
		const { text } = await kit.stream(sdk, "hello");
		await sdk.createChat("n", undefined, {metadata: {a: 1}});
		return { text, globals: [Go, fs, process, path, chatsdk, require, module, global] };`, service.Config(t, "ada"))
	mine := "mine"
	require.Equal(t, map[string]any{"text": "hello", "globals": []any{mine, mine, mine, mine, mine, mine, mine, mine}}, got)
}

// The class has exactly the members that the documentation names.
func TestWhatTheClassHas(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Fake(t, http.NotFound)
		p := suite.SDKPage(t, service.Origin, path, service.Config())
		require.Equal(t, []any{
			[]any{"ChatSDK", "APIError"},
			[]any{
				"allChats", "answersOfMemory", "approveMemory", "approveToolCall", "close", "createAccessToken", "createChat", "createMemory",
				"decideMemories", "deleteChat", "deleteDocument", "deleteMemory", "deleteUserMemories", "denyToolCall", "editMessage", "getChatHistory",
				"getDocument", "getMemorySettings", "getMemoryStats", "getMessage", "getToolCall", "listAgents", "listChats", "listDocuments",
				"listErasures", "listMemories", "listPendingMemories", "listToolCalls", "listUserMemories", "memoriesOfSource", "regenerateMessage",
				"rejectMemory", "resumeStream", "selectBranch", "sendFeedback", "sendMessage", "sendMessageStream", "stop", "stream", "updateChatName",
				"updateMemory", "updateMemorySettings", "uploadDocument",
			},
			[]any{"APIError", "preload"},
			[]any{},
		}, test.Eval[[]any](p, `return [
			[ChatSDK.name, ChatSDK.APIError.name],
			Object.getOwnPropertyNames(ChatSDK.prototype).filter((name) => name !== "constructor").sort(),
			Object.getOwnPropertyNames(ChatSDK).filter((name) => !["length", "name", "prototype"].includes(name)).sort(),
			Object.getOwnPropertyNames(sdk),
		]`))
	})
}
