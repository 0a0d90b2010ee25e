package test_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// A message can be used both as a string and as an object.
func TestAMessageIsItsTextAndAnObject(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Service(t, test.NewModel(t).Env()...)
		p := suite.SDKPage(t, service.Origin, path, service.Config(t, "ada"))
		got := test.Eval[map[string]map[string]any](p, `
			function look(message) {
				const copies = { json: JSON.parse(JSON.stringify(message)), clone: structuredClone(message), spread: { ...message } };
				const differs = Object.entries(copies)
					.filter(([, copy]) => "toString" in copy && copy.toString !== Object.prototype.toString)
					.map(([name]) => name);
				return {
					content: message.content,
					template: `+"`${message}`"+`,
					joined: "" + message,
					called: message.toString(),
					html: Object.assign(document.createElement("p"), { textContent: message }).textContent,
					keys: Object.keys(message).includes("toString"),
					differs,
					same: Object.values(copies).every((copy) => JSON.stringify(copy) === JSON.stringify(message)),
					plain: Object.getPrototypeOf(message) === Object.prototype,
				};
			}
			const sent = await sdk.sendMessage("hello");
			const streamed = kit.deferred();
			await sdk.sendMessageStream("hello", { onComplete: streamed.resolve });
			const history = await sdk.getChatHistory(sent.chat_id);
			return {
				sent: look(sent.message), streamed: look(await streamed.promise),
				question: look(history.messages[0]), answer: look(history.messages[1]),
			};`)
		for name, looks := range got {
			require.Equal(t, map[string]any{
				"content": "hello", "template": "hello", "joined": "hello", "called": "hello", "html": "hello",
				"keys": false, "differs": []any{}, "same": true, "plain": true,
			}, looks, name)
		}
	})
}

// Other services use other field names, and later versions may add fields.
func TestAnswersOfOtherServices(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, http.NotFound)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	reply := func(body string) {
		service.Play(func(w http.ResponseWriter, r *http.Request) { test.Reply(w, 200, "application/json", body) })
	}

	t.Run("unknown fields are kept", func(t *testing.T) {
		p := p.For(t)
		for call, body := range map[string]string{
			`createChat()`: `{"chat_id":"c1","name":"n","created_at":1,"x":{"y":[1,null,"ü"]},"big":12345678901234567890}`,
			`listChats()`:  `{"chats":[{"chat_id":"c1","name":"n","created_at":1,"updated_at":2,"x":1}],"has_more":false,"x":null}`,
			`listAgents()`: `{"agents":[{"id":"a","name":"A","type":"chat_agent","x":1}],"models":[],"x":""}`,
			`getChatHistory("c1")`: `{"id":"c1","chat_id":"c1","name":"n","created_at":1,"x":1,
				"messages":[{"id":"m1","chat_id":"c1","role":"assistant","content":"a","created_at":1,"finish_reason":"stop","x":{"y":1}}]}`,
			`sendMessage("hi")`: `{"message":{"id":"m1","chat_id":"c1","role":"assistant","content":"a","created_at":1,"x":[true]},
				"chat_id":"c1","message_id":"m1","x":"y"}`,
		} {
			reply(body)
			require.True(t, test.Eval[bool](p, `return JSON.stringify(await sdk.`+call+`) === JSON.stringify(JSON.parse($1))`, body), call)
		}
	})
	t.Run("the text may be named response", func(t *testing.T) {
		reply(`{"message":{"id":"m1","response":"a text","x":1},"chat_id":"c1","message_id":"m1"}`)
		require.Equal(t, "a text/a text/1", test.Eval[string](p.For(t),
			"const { message } = await sdk.sendMessage('hi'); return `${message.content}/${message}/${message.x}`"))
	})
	t.Run("the message may be a text", func(t *testing.T) {
		reply(`{"message":"a \"text\"\n","chat_id":"c1","message_id":"m1"}`)
		require.Equal(t, "a \"text\"\n", test.Eval[string](p.For(t), "return `${(await sdk.sendMessage('hi')).message}`"))
	})
	t.Run("a history may have both", func(t *testing.T) {
		reply(`{"id":"c1","chat_id":"c1","name":"n","created_at":1,"messages":[{"id":"m1","role":"user","content":"a"},{"id":"m2","response":"b"},"c"]}`)
		require.Equal(t, "abc", test.Eval[string](p.For(t), "return (await sdk.getChatHistory('c1')).messages.join('')"))
	})
	t.Run("a stream may be answered with JSON", func(t *testing.T) {
		reply(`{"message":{"id":"m1","response":"a text"},"chat_id":"c1","message_id":"m1","chat_name":"A name"}`)
		got := test.Eval[streamed](p.For(t), "return kit.stream(sdk, 'hi')")
		require.Equal(t, []string{"onChunk", "onChatNameUpdate", "onComplete", "onMessageEnd"}, got.Names)
		require.Equal(t, "a text", got.Text)
		require.Equal(t, "a text", heardAs[message](t, got, 2).Content)
	})
	t.Run("a stream without ids and proof is accepted", func(t *testing.T) {
		service.Play(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			_, _ = w.Write([]byte("\ufeffevent: chunk\r\ndata: {\"text\":\"a\"}\r\n\r\nevent:chunk\rdata:{\"text\":\"b\"}\r\r" +
				": comment\n\nevent: complete\ndata: {\"message\":\ndata: {\"id\":\"m1\",\"content\":\"ab\"}}\n\nevent: end\ndata: {}\n\n"))
		})
		got := test.Eval[streamed](p.For(t), "return kit.stream(sdk, 'hi')")
		require.Equal(t, []string{"onChunk", "onChunk", "onComplete", "onMessageEnd"}, got.Names)
		require.Equal(t, "ab", got.Text)
	})
	t.Run("images get their full address", func(t *testing.T) {
		reply(`{"message":{"id":"m1","content":"a","image_urls":["/v3/chat/image/1?exp=1&sig=2","https://x.y/z"]},"chat_id":"c1","message_id":"m1"}`)
		require.Equal(t, []string{service.URL + "/v3/chat/image/1?exp=1&sig=2", "https://x.y/z"},
			test.Eval[[]string](p.For(t), "return (await sdk.sendMessage('hi')).message.image_urls"))
	})
}

// The address may end with a slash and have a path.
func TestTheAddressMayHaveAPath(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		test.Reply(w, 200, "application/json", `{"chats":[],"has_more":false}`)
	})
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	for _, end := range []string{"", "/", "/api/v1", "/api/v1/"} {
		before := len(service.Calls())
		p.Do(`await new ChatSDK({...config, baseUrl: config.baseUrl + $1, projectId: "a/b?c#d%"}).listChats(7, 3)`, end)
		require.Equal(t, []string{"GET " + strings.TrimSuffix(end, "/") + "/project/a%2Fb%3Fc%23d%25/chat?cursor=7&limit=3"}, service.Calls()[before:])
	}
}
