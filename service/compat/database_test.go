//go:build unix

package compat_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// The old service is stopped in the middle of an answer, and the new service continues with its
// database. Everything is there and works, also with an old SDK.
func TestAnOldDatabase(t *testing.T) {
	t.Parallel()
	stores := []struct {
		name string
		env  func(t *testing.T) []string
	}{
		{"SQLite", func(*testing.T) []string { return nil }},
		{"PostgreSQL", func(t *testing.T) []string { return []string{"DATABASE_URL=" + pgtest.New(t)} }},
	}
	for _, store := range stores {
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			t.Run(store.name+", "+signal.String(), func(t *testing.T) {
				t.Parallel()
				m, folder, env := newModel(t), t.TempDir(), append(store.env(t), "DRAIN=1s")
				p := start(t, oldVersion, folder, m, env...)
				l := leave(t, p, m)
				p.end(signal)
				p = start(t, newVersion, folder, m, env...)
				l.find(newClient(t, newVersion, p.address, "ann"), newClient(t, newVersion, p.address, ""))
				l.look(newClient(t, oldVersion, p.address, "ann"))
			})
		}
	}
}

// left is what the old service returned before it was stopped.
type left struct {
	t                   *testing.T
	history             wire.ChatHistoryResponse // of a chat whose last answer was interrupted
	keyed, broken       string                   // ids of messages
	document            string                   // its key
	approved, pending   string                   // ids of memories
	deleted, regenerate string                   // ids of a deleted chat, and of an answer to regenerate
}

// leave fills a database, and leaves an answer unfinished.
func leave(t *testing.T, p *process, m *model) *left {
	l := &left{t: t}
	ann, admin := newClient(t, oldVersion, p.address, "ann"), newClient(t, oldVersion, p.address, "")
	admin.done(order{Do: "enable", ID: agentID, Yes: true})
	upload := do[wire.UploadDocumentResponse](ann, order{Do: "upload", ID: "herons.md", Text: "# Herons\n\n" + heron})
	l.document = upload.DocumentKey
	eventually(ann, order{Do: "document", ID: l.document}, func(d wire.Document) bool { return d.Text != "" })
	gone := do[wire.SendMessageResponse](ann, order{Do: "send", Text: "Forget this?"})
	l.deleted = gone.ChatID
	ann.done(order{Do: "deleteChat", Chat: gone.ChatID})

	first := do[wire.SendMessageResponse](ann, order{Do: "send", Text: "I work at a hospital.", Key: "k"})
	chat := first.ChatID
	l.keyed, l.regenerate = first.MessageID, first.MessageID
	do[wire.SendMessageResponse](ann, order{Do: "send", Chat: chat, Text: "I have two daughters."})
	pending := eventually(ann, order{Do: "pending"}, func(list wire.ListPendingMemoriesResponse) bool { return len(list.Approvals) == 2 })
	l.approved, l.pending = pending.Approvals[0].ID, pending.Approvals[1].ID
	ann.done(order{Do: "approve", ID: l.approved})
	ann.done(order{Do: "feedback", Chat: chat, ID: first.MessageID, Yes: true})
	second := ann.begin(order{Do: "stream", Chat: chat, Text: "Two?"}).answer()
	ann.begin(order{Do: "regenerate", Chat: chat, ID: second.ID}).answer()
	stopping := ann.begin(order{Do: "stream", Chat: chat, Text: waitPrefix + "Three?"}).until(wire.EventChunk)
	do[wire.StopReceipt](ann, order{Do: "stop", ID: stopping.start.StreamID})
	stopping.answer()
	unfinished := ann.begin(order{Do: "stream", Chat: chat, Text: waitPrefix + "Four?"}).until(wire.EventChunk)
	l.broken = unfinished.start.MessageID
	l.history = do[wire.ChatHistoryResponse](ann, order{Do: "history", Chat: chat})
	require.Len(t, l.history.Messages, 10)
	return l
}

// find requires that the new service has everything in l, and continues to use it.
func (l *left) find(ann, admin *client) {
	t, chat := l.t, l.history.ChatID
	history := eventually(ann, order{Do: "history", Chat: chat}, func(h wire.ChatHistoryResponse) bool { return h.Messages[len(h.Messages)-1].StreamID == "" })
	parent := ""
	require.Len(t, history.Messages, len(l.history.Messages))
	for i, message := range history.Messages {
		was := l.history.Messages[i]
		if message.ID == l.broken {
			require.Equal(t, wire.FinishError, message.FinishReason)
			require.NotEmpty(t, message.Content, "an interrupted answer keeps what its readers received")
			was.FinishReason, was.Content, was.StreamID = message.FinishReason, message.Content, ""
		}
		require.Equal(t, parent, message.ParentID, "each message continues the one before it")
		parent = message.ID
		message.ParentID = ""
		require.Equal(t, was, message)
	}
	again := do[wire.SendMessageResponse](ann, order{Do: "send", Text: "I work at a hospital.", Key: "k"})
	require.Equal(t, l.keyed, again.MessageID, "a key is valid for a day")
	ann.fails(404, order{Do: "history", Chat: l.deleted})

	require.Contains(t, do[wire.Document](ann, order{Do: "document", ID: l.document}).Text, "April")
	sourced := do[wire.SendMessageResponse](ann, order{Do: "send", Chat: chat, Text: "When does a heron nest?", Documents: []string{l.document}})
	require.NotEmpty(t, sourced.Message.Sources)
	require.Equal(t, []string{l.approved}, sourced.Message.MemoryIDs)
	ann.done(order{Do: "approve", ID: l.pending})
	require.Equal(t, 2, do[wire.MemoryStats](admin, order{Do: "stats", ID: agentID}).Approved)

	regenerated := ann.begin(order{Do: "regenerate", Chat: chat, ID: l.regenerate}).answer()
	require.Equal(t, "I work at a hospital.", do[wire.ChatHistoryResponse](ann, order{Do: "history", Chat: chat}).Messages[0].Content)
	require.NotEqual(t, l.regenerate, regenerated.ID)
}

// look continues the same chat with an old SDK.
func (l *left) look(ann *client) {
	chat := l.history.ChatID
	history := do[wire.ChatHistoryResponse](ann, order{Do: "history", Chat: chat})
	require.Len(l.t, history.Messages, 2, "the history follows the branch of the latest answer")
	message := ann.begin(order{Do: "stream", Chat: chat, Text: "Five?"}).answer()
	require.Equal(l.t, whole("Five?", 1), message.Content)
	require.Len(l.t, do[wire.ChatHistoryResponse](ann, order{Do: "history", Chat: chat}).Messages, 4)
}
