package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// everyPage runs a test with the SDK as a script tag and as a module.
func everyPage(t *testing.T, run func(t *testing.T, path string)) {
	for _, page := range []struct{ name, path string }{{"script", test.ScriptPage}, {"module", test.ModulePage}} {
		t.Run(page.name, func(t *testing.T) {
			t.Parallel()
			run(t, page.path)
		})
	}
}

// message is a Message as a page gets it.
type message struct {
	ID           string         `json:"id"`
	ChatID       string         `json:"chat_id"`
	Role         string         `json:"role"`
	Content      string         `json:"content"`
	CreatedAt    float64        `json:"created_at"`
	Feedback     *bool          `json:"feedback"`
	Metadata     map[string]any `json:"metadata"`
	ModelName    string         `json:"model_name"`
	AgentID      string         `json:"agent_id"`
	FinishReason string         `json:"finish_reason"`
	IsTest       bool           `json:"is_test"`
	StreamID     string         `json:"stream_id"`
}

type history struct {
	ID       string    `json:"id"`
	ChatID   string    `json:"chat_id"`
	Name     string    `json:"name"`
	Messages []message `json:"messages"`
}

// historyOf reads a chat through the page's sdk.
func historyOf(p *test.Page, chatID string) history {
	return test.Eval[history](p, `return sdk.getChatHistory($1)`, chatID)
}

func TestEveryOperationOnChats(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Service(t, test.NewModel(t).Env()...)
		p := suite.SDKPage(t, service.Origin, path, service.Config(t, "ada"))

		require.Equal(t, map[string]any{
			"agents": []any{map[string]any{"id": "assistant", "name": "Assistant", "type": "chat_agent", "models": []any{test.ModelName}}},
			"models": []any{test.ModelName},
		}, test.Eval[any](p, `return sdk.listAgents()`))

		chat := test.Eval[map[string]any](p, `return sdk.createChat("Plans", undefined, {metadata: {colour: "red"}})`)
		id, _ := chat["chat_id"].(string)
		require.NotEmpty(t, id)
		require.Equal(t, "Plans", chat["name"])
		require.Equal(t, "ada", chat["user_id"])
		require.Equal(t, map[string]any{"colour": "red"}, chat["metadata"])
		require.Positive(t, chat["created_at"])
		require.Equal(t, "Untitled", test.Eval[string](p, `return (await sdk.createChat()).name`))

		require.Nil(t, test.Eval[any](p, `return sdk.updateChatName($1, "Renamed")`, id))
		got := historyOf(p, id)
		require.Equal(t, history{ID: id, ChatID: id, Name: "Renamed", Messages: []message{}}, got)

		require.Nil(t, test.Eval[any](p, `return sdk.deleteChat($1)`, id))
		require.Equal(t, 404, test.Eval[failure](p, `return kit.failure(sdk.getChatHistory($1))`, id).Status)
	})
}

func TestEveryOperationOnMessages(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Service(t, test.NewModel(t).Env()...)
		p := suite.SDKPage(t, service.Origin, path, service.Config(t, "ada"))
		id := test.Eval[string](p, `return (await sdk.createChat("Plans")).chat_id`)

		sent := test.Eval[struct {
			Message   message `json:"message"`
			ChatID    string  `json:"chat_id"`
			MessageID string  `json:"message_id"`
			ChatName  string  `json:"chat_name"`
		}](p, `return sdk.sendMessage("hello", {chatId: $1, metadata: {n: [1, null]}, isTest: true, modelName: $2})`, id, test.ModelName)
		require.Equal(t, id, sent.ChatID)
		require.Equal(t, sent.MessageID, sent.Message.ID)
		require.Equal(t, "hello", sent.Message.Content)
		require.Equal(t, "stop", sent.Message.FinishReason)
		require.Empty(t, sent.ChatName, "the chat has a name")

		streamed := test.Eval[streamed](p, `return kit.stream(sdk, "more", {chatId: $1})`, id)
		requireCompleted(t, streamed)
		require.Equal(t, "more", streamed.Text)

		require.Nil(t, test.Eval[any](p, `return sdk.sendFeedback($1, $2, true)`, sent.MessageID, id))
		require.Nil(t, test.Eval[any](p, `return sdk.sendFeedback($1, $2, false)`, sent.MessageID, id))
		messages := historyOf(p, id).Messages
		require.Len(t, messages, 4)
		question, answer := messages[0], messages[1]
		require.Equal(t, "user", question.Role)
		require.Equal(t, "hello", question.Content)
		require.Equal(t, map[string]any{"n": []any{1.0, nil}}, question.Metadata)
		require.True(t, question.IsTest)
		require.Equal(t, "assistant", answer.Role)
		require.Equal(t, "assistant", answer.AgentID)
		require.NotNil(t, answer.Feedback)
		require.False(t, *answer.Feedback)
	})
}

func TestChatsComeInPages(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Service(t)
		p := suite.SDKPage(t, service.Origin, path, service.Config(t, "ada"))
		p.Do(`for (const name of ["a", "b", "c", "d", "e"]) await sdk.createChat(name)`)

		type list struct {
			Chats []struct {
				Name      string  `json:"name"`
				UpdatedAt float64 `json:"updated_at"`
			} `json:"chats"`
			NextCursor float64 `json:"next_cursor"`
			HasMore    bool    `json:"has_more"`
		}
		first := test.Eval[list](p, `return sdk.listChats(undefined, 2)`)
		require.Len(t, first.Chats, 2)
		require.Equal(t, "e", first.Chats[0].Name)
		require.Positive(t, first.Chats[0].UpdatedAt)
		require.True(t, first.HasMore)
		second := test.Eval[list](p, `return sdk.listChats($1, 100)`, first.NextCursor)
		require.Len(t, second.Chats, 3)
		require.False(t, second.HasMore)
		require.Zero(t, second.NextCursor)
		require.Len(t, test.Eval[list](p, `return sdk.listChats()`).Chats, 5)

		before := len(service.Calls())
		require.Equal(t, []string{"e", "d", "c", "b", "a"},
			test.Eval[[]string](p, `const names = []; for await (const chat of sdk.allChats(2)) names.push(chat.name); return names`))
		require.Len(t, service.Calls()[before:], 3)

		before = len(service.Calls())
		require.Equal(t, "e", test.Eval[string](p, `for await (const chat of sdk.allChats(2)) return chat.name`))
		require.Len(t, service.Calls()[before:], 1, "a page that nobody needs is not requested")
	})
}

func TestUsersSeeOnlyTheirOwnChats(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
	got := test.Eval[struct {
		Chats   int     `json:"chats"`
		Failure failure `json:"failure"`
	}](p, `
		const bob = new ChatSDK($1);
		const { chat_id } = await sdk.createChat("mine");
		return { chats: (await bob.listChats()).chats.length, failure: await kit.failure(bob.getChatHistory(chat_id)) };`,
		service.Config(t, "bob"))
	require.Zero(t, got.Chats)
	require.Equal(t, 404, got.Failure.Status)
}
