//go:build unix

package compat_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// A replica of the version before runs beside a new one until it is replaced. Chats, answers and
// deletions of both are seen by both, and the order of chats is that of their activity.
func TestReplicasOfTwoVersions(t *testing.T) {
	t.Parallel()
	m, database := newModel(t), "DATABASE_URL="+pgtest.New(t)
	var clients []*client
	for _, v := range []version{beforeVersion, newVersion} { // the new one migrates beside the running old one
		p := start(t, v, t.TempDir(), m, database, "REPLICA="+v.name)
		clients = append(clients, newClient(t, newVersion, p.address, "ann"))
	}
	var inOrder []string
	seenByBoth := func() {
		for _, c := range clients {
			var ids []string
			for _, one := range do[wire.ListChatsResponse](c, order{Do: "listChats"}).Chats {
				ids = append(ids, one.ChatID)
			}
			require.Equal(t, inOrder, ids)
		}
	}
	moved := func(id string) {
		inOrder = slices.Insert(slices.DeleteFunc(inOrder, func(one string) bool { return one == id }), 0, id)
		seenByBoth()
	}
	for i := range 6 {
		c, other := clients[i%2], clients[(i/2)%2]
		chat := do[wire.Chat](c, order{Do: "createChat"}).ChatID
		moved(chat)
		question := fmt.Sprint(i, "?")
		require.Equal(t, whole(question, 1), do[wire.SendMessageResponse](other, order{Do: "send", Chat: chat, Text: question}).Message.Content)
		moved(chat)
		older := inOrder[len(inOrder)-1]
		c.done(order{Do: "rename", Chat: older, Text: "Renamed"})
		moved(older)
	}
	answering := clients[0].begin(order{Do: "stream", Chat: inOrder[1], Text: waitPrefix + "Who?"}).until(wire.EventChunk)
	clients[1].done(order{Do: "deleteChat", Chat: inOrder[1]}) // while the old replica writes in it
	require.Equal(t, wire.CodeNotFound, answering.end().Code)
	clients[0].done(order{Do: "deleteChat", Chat: inOrder[2]})
	inOrder = slices.Delete(inOrder, 1, 3)
	seenByBoth()
}
