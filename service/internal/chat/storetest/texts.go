package storetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

var textRules = []rule{
	{"whatever a text holds is data", textsAreData},
	{"ids are compared exactly", idsAreExact},
}

// hostile are texts that a careless store changes or runs.
var hostile = []struct{ name, text string }{
	{"a statement", `'); DROP TABLE chats; --`},
	{"a union", `x' UNION SELECT * FROM messages WHERE '1'='1`},
	{"a condition", `' OR 1=1 --`},
	{"quotes", "'\"`´’„“"},
	{"placeholders", "? ?1 :a @a $1 %s %d {}"},
	{"patterns", `%_*[a-z]\`},
	{"a number", "007"},
	{"a float", "1e3"},
	{"a keyword", "NULL"},
	{"spaces", " \t a \n\r\n "},
	{"escapes", `\n\u0041\\`},
	{"control characters", "\u0001\u001f\u007f\u0085"},
	{"beyond the first plane", "😀👩‍👩‍👧🏽𝒳"},
	{"combining", "e\u0301 é \u202eabc\u2028\ufeff\ufffd\uffff"},
	{"other scripts", "日本語 العربية עברית ไทย"},
	{"much", strings.Repeat("x'\"é😀", 5000)},
}

func textsAreData(t *testing.T, store chat.Store) {
	create(t, store, ann, "bystander")
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) { keepsText(t, store, test.text) })
	}
	require.Equal(t, "bystander", listed(t, store, ann))
}

// keepsText puts text everywhere.
func keepsText(t *testing.T, store chat.Store, text string) {
	t.Helper()
	ctx, scope := t.Context(), access.Scope{ProjectID: "p" + text, UserID: "u" + text}
	turn := turnInNew("c"+text, "t"+text)
	turn.NewChat.DocumentKeys = []string{text, "d" + text}
	turn.Question.Content, turn.Question.ModelName, turn.Question.AgentID = text, text, text
	require.NoError(t, store.BeginTurn(ctx, scope, turn))
	require.NoError(t, store.AppendEvents(ctx, held(turn.StreamID), chunks(2, text, text)))
	require.NoError(t, rename(ctx, store, scope, "c"+text, text, 1))

	require.Equal(t, []wire.Chat{{
		ChatID: "c" + text, Name: text, DocumentKeys: turn.NewChat.DocumentKeys, CreatedAt: 199, UpdatedAt: 1,
	}}, list(t, store, scope))
	unfinished := turn.Answer
	unfinished.Content, unfinished.StreamID = text+text, turn.StreamID
	require.Equal(t, []wire.Message{turn.Question, unfinished}, history(t, store, scope, "c"+text).Messages)

	require.NoError(t, store.EndTurn(ctx, held(turn.StreamID), ended(turn, text), &chat.End{At: 300}))
	require.NoError(t, store.SetFeedback(ctx, scope, "c"+text, turn.Answer.ID, true))
	require.Equal(t, text, history(t, store, scope, "c"+text).Messages[1].Content)
	require.NoError(t, store.DeleteChat(ctx, scope, "c"+text, 300))
	require.Empty(t, list(t, store, scope))
}

func idsAreExact(t *testing.T, store chat.Store) {
	for _, id := range []string{"chat", "Chat", "chat ", " chat", "chät", "cha\u0308t", "7", "7.0", "07"} {
		scope := access.Scope{ProjectID: "project", UserID: id}
		create(t, store, scope, id)
		require.Equal(t, id, listed(t, store, scope))
	}
	require.Len(t, list(t, store, key), 9)
}
