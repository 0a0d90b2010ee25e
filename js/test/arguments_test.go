package test_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// A wrong argument is a TypeError that names the field, and nothing is sent.
// sdk/testdata/arguments.json has more cases, which Node runs.
func TestWrongArgumentsAreNotSent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, call string
		want       []string
	}{
		{"limit of 0", `sdk.listChats(undefined, 0)`, []string{"listChats", "limit", "1 to 100"}},
		{"limit of -1", `sdk.listChats(undefined, -1)`, []string{"listChats", "limit", "-1"}},
		{"limit of 101", `sdk.listChats(undefined, 101)`, []string{"listChats", "limit", "101"}},
		{"limit of NaN", `sdk.listChats(undefined, NaN)`, []string{"listChats", "limit", "NaN"}},
		{"limit without bounds", `sdk.listChats(undefined, Infinity)`, []string{"listChats", "limit", "Infinity"}},
		{"limit that is a string", `sdk.listChats(undefined, "2")`, []string{"listChats", "limit", "string"}},
		{"limit that is a BigInt", `sdk.listChats(undefined, 2n)`, []string{"listChats", "limit"}},
		{"limit that is a symbol", `sdk.listChats(undefined, Symbol("x"))`, []string{"listChats", "limit"}},
		{"cursor that is a fraction", `sdk.listChats(1.5)`, []string{"listChats", "cursor", "1.5"}},
		{"limit of allChats", `(async () => { for await (const chat of sdk.allChats(101)); })()`, []string{"limit", "101"}},
		{"empty id", `sdk.getChatHistory("")`, []string{"getChatHistory", "chatId", "empty"}},
		{"id of a dot", `sdk.deleteChat(".")`, []string{"deleteChat", "chatId"}},
		{"id of two dots", `sdk.updateChatName("..", "n")`, []string{"updateChatName", "chatId"}},
		{"no id", `sdk.getChatHistory()`, []string{"getChatHistory", "chatId"}},
		{"id that is a number", `sdk.getChatHistory(7)`, []string{"getChatHistory", "chatId", "number"}},
		{"id that is an object", `sdk.getChatHistory({})`, []string{"getChatHistory", "chatId", "object"}},
		{"id that is a function", `sdk.getChatHistory(() => "c1")`, []string{"getChatHistory", "chatId"}},
		{"empty message id", `sdk.sendFeedback("", "c1", true)`, []string{"sendFeedback", "messageId"}},
		{"no feedback", `sdk.sendFeedback("m1", "c1")`, []string{"sendFeedback", "feedback", "true or false"}},
		{"feedback that is a string", `sdk.sendFeedback("m1", "c1", "yes")`, []string{"sendFeedback", "feedback", "string"}},
		{"blank message", `sdk.sendMessage(" \n")`, []string{"sendMessage", "message", "blank"}},
		{"blank streamed message", `sdk.sendMessageStream(" \n")`, []string{"sendMessageStream", "message", "blank"}},
		{"no message", `sdk.sendMessage()`, []string{"sendMessage", "message"}},
		{"empty chat", `sdk.sendMessage("hi", {chatId: ""})`, []string{"sendMessage", "chatId"}},
		{"chat of a dot", `sdk.sendMessageStream("hi", {chatId: "."})`, []string{"sendMessageStream", "chatId"}},
		{"misspelt option", `sdk.sendMessage("hi", {chatid: "c1"})`, []string{"sendMessage", "chatid", "did you mean chatId"}},
		{"misspelt callback", `sdk.sendMessageStream("hi", {onchunk() {}})`, []string{"onchunk", "did you mean onChunk"}},
		{"callback of a send without a stream", `sdk.sendMessage("hi", {onChunk() {}})`, []string{"sendMessage", "onChunk", "unknown"}},
		{"misspelt option of createChat", `sdk.createChat("n", undefined, {metaData: {}})`, []string{"createChat", "metaData", "did you mean metadata"}},
		{"callback that is not a function", `sdk.sendMessageStream("hi", {onChunk: "log"})`, []string{"onChunk", "string", "function"}},
		{"option of the wrong type", `sdk.sendMessage("hi", {isTest: "yes"})`, []string{"isTest", "string", "boolean"}},
		{"keys that are not an array", `sdk.sendMessage("hi", {documentKeys: "d1"})`, []string{"documentKeys"}},
		{"keys that are not strings", `sdk.createChat("n", [1])`, []string{"createChat", "documentKeys", "string"}},
		{"metadata that is a list", `sdk.sendMessage("hi", {metadata: [1]})`, []string{"metadata", "array"}},
		{"metadata with NaN inside", `sdk.sendMessage("hi", {metadata: {n: NaN}})`, []string{"metadata", "NaN"}},
		{"metadata with a cycle", `(() => { const metadata = {}; metadata.self = metadata; return sdk.sendMessage("hi", {metadata}); })()`,
			[]string{"sendMessage", "metadata"}},
		{"metadata with a BigInt", `sdk.sendMessage("hi", {metadata: {n: 1n}})`, []string{"sendMessage", "metadata"}},
		{"images that are not files", `sdk.sendMessage("hi", {images: ["a.png"]})`, []string{"sendMessage", "images", "File or Blob"}},
		{"callback instead of the options", `sdk.sendMessageStream("hi", () => {})`, []string{"sendMessageStream", "options are a function, want an object"}},
		{"chat instead of the options", `sdk.sendMessage("hi", "c1")`, []string{"sendMessage", "options are a string"}},
		{"number instead of the options", `sdk.listDocuments(3)`, []string{"listDocuments", "options are a number"}},
		{"callback for createChat", `sdk.createChat("n", [], () => {})`, []string{"createChat", "options are a function"}},
		{"callback for an upload", `sdk.uploadDocument(new Blob(["x"]), () => {})`, []string{"uploadDocument", "options are a function"}},
		{"callback for resumeStream", `sdk.resumeStream("c1", () => {})`, []string{"resumeStream", "options are a function"}},
		{"callback for stream", `sdk.stream("hi", () => {}).result`, []string{"stream", "options are a function"}},
		{"settings that are a list", `sdk.updateMemorySettings("a", [1])`, []string{"updateMemorySettings", "options are an Array"}},
		{"images that are not an array", `sdk.sendMessage("hi", {images: new Blob(["x"])})`, []string{"sendMessage", "images"}},
	}
	service := suite.Fake(t, http.NotFound)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := len(service.Calls())
			got := test.Eval[failure](p.For(t), `return kit.failure(() => `+tt.call+`)`)
			require.Equal(t, "TypeError", got.Name, got.Message)
			for _, want := range tt.want {
				require.Contains(t, got.Message, want)
			}
			require.Len(t, service.Calls(), before)
		})
	}
}

// A wrong argument is the page's own fault: the call rejects even with an onError, and no callback
// is called.
func TestWrongArgumentsDontReachCallbacks(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, http.NotFound)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	got := test.Eval[struct {
		Names   []string `json:"names"`
		Outcome failure  `json:"outcome"`
	}](p, `return kit.stream(sdk, "", {chatId: "c1"})`)
	require.Empty(t, got.Names)
	require.Equal(t, "TypeError", got.Outcome.Name)
	require.Empty(t, service.Calls())
}

// An error that a getter, a proxy or a toJSON throws goes to the page, and the SDK keeps working.
func TestArgumentsThatThrow(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	before := len(service.Calls())
	for name, options := range map[string]string{
		"getter":           `{get chatId() { throw new Error("mine"); }}`,
		"getter of images": `{get images() { throw new Error("mine"); }}`,
		"getter inside":    `{metadata: {get a() { throw new Error("mine"); }}}`,
		"toJSON":           `{metadata: {toJSON() { throw new Error("mine"); }}}`,
		"proxy":            `new Proxy({}, {ownKeys() { throw new Error("mine"); }})`,
		"proxy inside":     `{metadata: new Proxy({a: 1}, {get() { throw new Error("mine"); }})}`,
	} {
		for _, method := range []string{"sendMessage", "sendMessageStream"} {
			t.Run(name+" in "+method, func(t *testing.T) {
				got := test.Eval[failure](p.For(t), `return kit.failure(() => sdk.`+method+`("hi", `+options+`))`)
				require.Contains(t, got.Message, "mine")
			})
		}
	}
	require.Len(t, service.Calls(), before)
	require.Equal(t, "after", test.Eval[string](p, `return (await sdk.createChat("after")).name`))
}

func TestRightArgumentsAreAccepted(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	p.Do(`
		await sdk.listChats(null, null);
		await sdk.listChats(undefined, 1);
		await sdk.listChats(9007199254740991, 100);
		await sdk.createChat(null, null, null);
		await sdk.createChat("a", undefined, {metadata: undefined});
		await sdk.sendMessage("hi", null);
		await sdk.sendMessage("hi", {images: undefined, chatId: undefined, metadata: {a: undefined, b: new Date(0)}, documentKeys: null});
		await sdk.sendMessageStream("hi", {images: null, onChunk: undefined, agentType: "chat_agent", ignoreChatHistory: false});`)
}

func TestWrongSettings(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, http.NotFound)
	p := suite.Page(t, service.URL+test.ScriptPage)
	for name, tt := range map[string]struct {
		config string
		want   []string
	}{
		"no config":             {``, []string{"config"}},
		"null":                  {`null`, []string{"config"}},
		"blank address":         {`{baseUrl: " ", projectId: "p", accessToken: "t"}`, []string{"baseUrl"}},
		"address without http":  {`{baseUrl: "api.example.com", projectId: "p", accessToken: "t"}`, []string{"baseUrl", "https://"}},
		"no project":            {`{baseUrl: "https://a.b", accessToken: "t"}`, []string{"projectId"}},
		"no credentials":        {`{baseUrl: "https://a.b", projectId: "p"}`, []string{"accessToken"}},
		"token of a wrong type": {`{baseUrl: "https://a.b", projectId: "p", accessToken: 7}`, []string{"accessToken", "number"}},
		"key without secret":    {`{baseUrl: "https://a.b", projectId: "p", apiKey: "k"}`, []string{"apiSecret"}},
		"secret in a page":      {`{baseUrl: "https://a.b", projectId: "p", apiKey: "k", apiSecret: "s"}`, []string{"apiSecret", "dangerouslyAllowBrowser"}},
		"unknown setting":       {`{baseUrl: "https://a.b", projectId: "p", accessToken: "t", token: "t"}`, []string{"token", "unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.Eval[failure](p.For(t), `return kit.failure(() => new ChatSDK(`+tt.config+`))`)
			require.Equal(t, "TypeError", got.Name)
			for _, want := range tt.want {
				require.Contains(t, got.Message, want)
			}
		})
	}
	require.Empty(t, service.Calls())
}
