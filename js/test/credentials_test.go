package test_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// tokenService records the credentials of each request.
func tokenService(t *testing.T) (*test.Fake, <-chan string) {
	seen := make(chan string, 100)
	return suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("Authorization")
		empty(w, r)
	}), seen
}

func TestAnAccessTokenMayBeAFunction(t *testing.T) {
	t.Parallel()
	service, seen := tokenService(t)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	for name, function := range map[string]string{
		"string":         `"t1"`,
		"function":       `() => "t1"`,
		"async function": `async () => "t1"`,
		"late promise":   `() => new Promise((resolve) => setTimeout(resolve, 0, "t1"))`,
		"thenable":       `() => ({then(resolve) { resolve("t1"); }})`,
	} {
		t.Run(name, func(t *testing.T) {
			p := p.For(t)
			p.Do(`await new ChatSDK({...config, accessToken: ` + function + `}).listChats()`)
			require.Equal(t, "Bearer t1", <-seen)
		})
	}
	t.Run("asked once", func(t *testing.T) {
		p := p.For(t)
		p.Do(`let n = 0; const counting = new ChatSDK({...config, accessToken: () => "t" + ++n});
			await Promise.all([counting.listChats(), counting.listChats()]); await counting.listChats()`)
		require.Equal(t, []string{"Bearer t1", "Bearer t1", "Bearer t1"}, []string{<-seen, <-seen, <-seen})
	})
	t.Run("not asked when an SDK is made", func(t *testing.T) {
		require.Zero(t, test.Eval[int](p.For(t), `let n = 0; new ChatSDK({...config, accessToken: () => "t" + ++n}); return n`))
	})
}

func TestAnAccessTokenFunctionThatFails(t *testing.T) {
	t.Parallel()
	service, _ := tokenService(t)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	for name, tt := range map[string]struct{ function, cause string }{
		"throws":                              {`() => { throw new Error("mine"); }`, "Error: mine"},
		"rejects":                             {`async () => { throw new RangeError("mine"); }`, "RangeError: mine"},
		"throws a string":                     {`() => { throw "mine"; }`, "mine"},
		"throws nothing":                      {`() => { throw undefined; }`, ""},
		"throws null":                         {`async () => { throw null; }`, ""},
		"throws a BigInt":                     {`async () => { throw 7n; }`, "7"},
		"throws an object without text":       {`async () => { throw {toString() { throw new Error("worse"); }, message: 7}; }`, ""},
		"returns undefined":                   {`() => undefined`, ""},
		"returns null":                        {`async () => null`, ""},
		"returns an empty string":             {`() => ""`, ""},
		"returns a number":                    {`() => 7`, ""},
		"returns a BigInt":                    {`() => 7n`, ""},
		"returns a symbol":                    {`() => Symbol("t")`, ""},
		"returns an object":                   {`() => ({token: "t"})`, ""},
		"returns a line break":                {`() => "t1\r\nx-role: admin"`, ""},
		"returns a character outside Latin-1": {`() => "t→"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := p.For(t)
			p.Do(`globalThis.failing = new ChatSDK({...config, accessToken: ` + tt.function + `})`)
			if name == "throws an object without text" {
				// describe would turn the cause into text
				require.Equal(t, 0, test.Eval[int](p, `return failing.listChats().catch((error) => error instanceof ChatSDK.APIError ? error.status : error)`))
				return
			}
			got := test.Eval[failure](p, `return kit.failure(failing.listChats())`)
			requireAPIError(t, got, 0, "AUTHENTICATION")
			require.Contains(t, got.Message, "accessToken")
			if tt.cause != "" {
				require.Equal(t, tt.cause, got.Cause)
			}
			streamed := test.Eval[streamed](p, `return kit.stream(failing, "hi")`)
			require.Equal(t, []string{"onError", "onMessageEnd"}, streamed.Names)
		})
	}
	require.Empty(t, service.Calls())
}

// A page may hold the secret if it explicitly says so.
func TestASecretInAPage(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.Page(t, service.URL+test.ScriptPage)
	config := test.Config{
		"baseUrl": service.URL, "projectId": test.Project, "apiKey": test.APIKey, "apiSecret": test.APISecret,
		"userId": "ada", "dangerouslyAllowBrowser": true,
	}
	got := test.Eval[map[string]any](p, `
		const admin = new ChatSDK($1);
		const chat = await admin.createChat("mine");
		const { access_token, expires_at } = await admin.createAccessToken({userId: "ada", expiresIn: 60});
		const user = new ChatSDK({baseUrl: $1.baseUrl, projectId: $1.projectId, accessToken: access_token});
		return { owner: chat.user_id, name: (await user.getChatHistory(chat.chat_id)).name, whole: Number.isInteger(expires_at) };`, config)
	require.Equal(t, map[string]any{"owner": "ada", "name": "mine", "whole": true}, got)

	delete(config, "dangerouslyAllowBrowser")
	refused := test.Eval[failure](p, `return kit.failure(() => new ChatSDK($1))`, config)
	require.Equal(t, "TypeError", refused.Name)
	require.NotContains(t, refused.Message, test.APISecret)
}

// A page of another allowed origin may call, and can read the headers that matter.
func TestAPageOfAnotherOrigin(t *testing.T) {
	t.Parallel()
	site := suite.Fake(t, http.NotFound)
	model := test.NewModel(t)
	service := suite.Service(t, append(model.Env(), "ALLOWED_ORIGINS="+site.URL, "SENDS_PER_MINUTE=2")...)
	p := suite.SDKPage(t, site.Origin, test.ModulePage, service.Config(t, "ada"))
	require.Equal(t, "hello", test.Eval[streamed](p, `return kit.stream(sdk, "hello")`).Text)
	p.Do(`await sdk.deleteChat((await sdk.createChat()).chat_id); await sdk.sendMessage("hi")`)
	got := test.Eval[failure](p, `return kit.failure(sdk.sendMessage("hi"))`)
	requireAPIError(t, got, 429, "RATE_LIMITED")
	require.NotEmpty(t, got.RequestID)
	require.Positive(t, got.RetryAfter)

	foreign := suite.Service(t)
	p.Do(`globalThis.foreign = new ChatSDK($1)`, foreign.Config(t, "ada"))
	requireAPIError(t, test.Eval[failure](p, `return kit.failure(foreign.listChats())`), 0, "NETWORK")
	p.ExpectOfBrowser("blocked by CORS policy")
}

// A key in a page is for development. From another origin the service has to allow it, and the error says so.
func TestAKeyFromAnotherOrigin(t *testing.T) {
	t.Parallel()
	site := suite.Fake(t, http.NotFound)
	page := func(more ...string) *test.Page {
		service := suite.Service(t, append(test.NewModel(t).Env(), append(more, "ALLOWED_ORIGINS="+site.URL)...)...)
		return suite.SDKPage(t, site.Origin, test.ModulePage, test.Config{
			"baseUrl": service.URL, "projectId": test.Project, "apiKey": test.APIKey, "apiSecret": test.APISecret, "userId": "ada",
			"dangerouslyAllowBrowser": true, "maxRetries": 0,
		})
	}
	p := page()
	got := test.Eval[failure](p, `return kit.failure(sdk.listChats())`)
	requireAPIError(t, got, 0, "NETWORK")
	require.Contains(t, got.Advice, "its ALLOWED_HEADERS x-api-key, x-api-secret, x-user-id")
	p.ExpectOfBrowser("blocked by CORS policy")
	page("ALLOWED_HEADERS=x-api-key,x-api-secret,x-user-id").Do(`await sdk.listChats()`)
}

// A page's own headers are sent with each request, from a worker too.
func TestHeadersOfAPage(t *testing.T) {
	t.Parallel()
	for _, worker := range []bool{false, true} {
		t.Run(fmt.Sprint("worker ", worker), func(t *testing.T) {
			t.Parallel()
			seen := make(chan string, 10)
			service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
				seen <- r.Header.Get("X-Tenant")
				if strings.HasSuffix(r.URL.Path, "/message") {
					test.NewStream(w).Chunk("hi").Complete()
					return
				}
				empty(w, r)
			})
			config := service.Config()
			config["worker"], config["headers"] = worker, map[string]string{"X-Tenant": "t1"}
			p := suite.SDKPage(t, service.Origin, test.ModulePage, config, watch)
			p.Do(`await sdk.listChats(); await sdk.sendMessageStream("hi"); await sdk.sendMessageStream("hi", { onUploadProgress() {} })`)
			require.Equal(t, []string{"t1", "t1", "t1"}, []string{<-seen, <-seen, <-seen})
			require.Equal(t, worker, len(watchedIn(p).Workers) == 1)
		})
	}
}

// From another origin a browser sends them if the service allows their names, and the error says so.
func TestHeadersFromAnotherOrigin(t *testing.T) {
	t.Parallel()
	for _, worker := range []bool{false, true} {
		t.Run(fmt.Sprint("worker ", worker), func(t *testing.T) {
			t.Parallel()
			site := suite.Fake(t, http.NotFound)
			page := func(more ...string) *test.Page {
				service := suite.Service(t, append(test.NewModel(t).Env(), append(more, "ALLOWED_ORIGINS="+site.URL)...)...)
				config := service.Config(t, "ada")
				config["worker"], config["headers"], config["maxRetries"] = worker, map[string]string{"X-Tenant": "t1"}, 0
				return suite.SDKPage(t, site.Origin, test.ModulePage, config)
			}
			p := page()
			got := test.Eval[failure](p, `return kit.failure(sdk.listChats())`)
			requireAPIError(t, got, 0, "NETWORK")
			require.Contains(t, got.Advice, "its ALLOWED_HEADERS all names in headers")
			p.ExpectOfBrowser("blocked by CORS policy")
			p = page("ALLOWED_HEADERS=X-Tenant")
			require.Equal(t, "hello", test.Eval[streamed](p, `return kit.stream(sdk, "hello")`).Text)
			p.Do(`await sdk.createChat("mine")`)
		})
	}
}

// No call uses cookies, a cache or a redirect.
func TestRequestsCarryTheTokenAndNothingElse(t *testing.T) {
	t.Parallel()
	headers := make(chan http.Header, 10)
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		headers <- r.Header.Clone()
		w.Header().Set("Cache-Control", "max-age=3600")
		if r.URL.Path == "/project/demo/agents" {
			http.Redirect(w, r, "/project/demo/chat", http.StatusFound)
			return
		}
		empty(w, r)
	})
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	p.Do(`document.cookie = "session=1; path=/"; await sdk.listChats(); await sdk.listChats()`)
	for range 2 {
		header := <-headers
		require.Equal(t, "Bearer token", header.Get("Authorization"))
		require.Empty(t, header.Get("Cookie"))
	}
	requireAPIError(t, test.Eval[failure](p, `return kit.failure(sdk.listAgents())`), 0, "NETWORK")
	require.Len(t, headers, 1, "the token follows no redirect")
}
