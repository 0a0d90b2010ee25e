package sqlite_test

import (
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/chat/storetest"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	knowledgetest "github.com/chatsdk/chatsdk/service/internal/knowledge/storetest"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

func TestLimitOfChats(t *testing.T) {
	t.Parallel()
	storetest.RunLimits(t, func(t *testing.T) (chat.Store, func(int)) {
		store := openNew(t)
		return store, func(chats int) { store.Limits.Chats = chats }
	})
}

func TestLimitsOfDocuments(t *testing.T) {
	t.Parallel()
	knowledgetest.RunLimits(t, func(t *testing.T) (knowledge.Store, func(documents, bytes int)) {
		store := openNew(t)
		return store, func(documents, bytes int) { store.Limits = sqlite.Limits{Documents: documents, DocumentBytes: bytes} }
	})
}
