package sdk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
)

// Of the calls whose answer holds something, each refuses an answer without it.
func TestAnAnswerOfAnotherShapeIsAnAPIError(t *testing.T) {
	t.Parallel()
	free := map[string]bool{
		"deleteChat": true, "updateChatName": true, "sendFeedback": true, "deleteDocument": true, "deleteMemory": true, // say only that it is done
		"getMemorySettings": true, // a service without settings
	}
	for name, call := range calls() {
		if free[name] {
			continue
		}
		for _, text := range []string{`{}`, `{"ok":true}`, `{"code":0,"data":{"chats":[]}}`} {
			t.Run(name+" "+text, func(t *testing.T) {
				t.Parallel()
				client, _ := openPage(t, jsonReply(text))
				failure := apiError(t, call(t.Context(), client))
				require.Contains(t, failure.Message, name+": the answer cannot be read: it has no ")
				require.Equal(t, 200, failure.Status)
			})
		}
	}
}

func TestAListOfAnotherShapeIsAnAPIError(t *testing.T) {
	t.Parallel()
	for _, list := range []string{`null`, `{}`, `"x"`, `5`, `true`, `[null]`, `[5]`, `[["a"]]`, `[{},null]`} {
		t.Run(list, func(t *testing.T) {
			t.Parallel()
			client, _ := openPage(t, jsonReply(`{"chats":`+list+`}`), jsonReply(`{"messages":`+list+`}`), jsonReply(`{"memories":`+list+`,"has_more":false}`))
			_, err := client.ListChats(t.Context(), sdk.ListChatsOptions{})
			require.Equal(t, "listChats: the answer cannot be read: it has no chats", apiError(t, err).Message)
			_, err = client.GetChatHistory(t.Context(), "c1", sdk.GetChatHistoryOptions{})
			require.Equal(t, "getChatHistory: the answer cannot be read: it has no messages", apiError(t, err).Message)
			_, err = client.ListUserMemories(t.Context(), "a1", "u1", sdk.ListUserMemoriesOptions{})
			require.Equal(t, "listUserMemories: the answer cannot be read: it has no memories", apiError(t, err).Message)
		})
	}
}
