//go:build unix

package compat_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// scene is a service of one version and two clients, usually of the other version: a user, whose
// streams may be cut, and the administrator.
type scene struct {
	t       *testing.T
	model   *model
	service version
	cutter  *cutter
	ann     *client
	admin   *client
}

func newScene(t *testing.T, service, sdk version) *scene {
	t.Helper()
	s := &scene{t: t, model: newModel(t), service: service}
	p := start(t, service, t.TempDir(), s.model)
	s.cutter = newCutter(t, p.address)
	s.ann, s.admin = newClient(t, sdk, s.cutter.URL, "ann"), newClient(t, sdk, p.address, "")
	return s
}

// directions runs a test with the old SDK and the new service, and with the new SDK and the old service.
func directions(t *testing.T, do func(*testing.T, *scene)) {
	t.Helper()
	for _, d := range []struct {
		name         string
		service, sdk version
	}{{"the old SDK, the new service", newVersion, oldVersion}, {"the new SDK, the old service", oldVersion, newVersion}} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			do(t, newScene(t, d.service, d.sdk))
		})
	}
}

func TestChats(t *testing.T) {
	t.Parallel()
	directions(t, func(t *testing.T, s *scene) {
		agents := do[wire.ListAgentsResponse](s.ann, order{Do: "agents"})
		require.Len(t, agents.Agents, 1)
		require.Equal(t, agentID, agents.Agents[0].ID)
		chat := do[wire.Chat](s.ann, order{Do: "createChat"})
		require.Equal(t, "Untitled", chat.Name)
		s.ann.done(order{Do: "rename", Chat: chat.ChatID, Text: "Fish"})
		chats := do[wire.ListChatsResponse](s.ann, order{Do: "listChats"})
		require.Len(t, chats.Chats, 1)
		require.Equal(t, []any{chat.ChatID, "Fish"}, []any{chats.Chats[0].ChatID, chats.Chats[0].Name})

		sent := do[wire.SendMessageResponse](s.ann, order{Do: "send", Chat: chat.ChatID, Text: "One?"})
		require.Equal(t, []any{whole("One?", 1), wire.FinishStop}, []any{sent.Message.Content, sent.Message.FinishReason})
		s.ann.done(order{Do: "feedback", Chat: chat.ChatID, ID: sent.MessageID, Yes: true})
		history := do[wire.ChatHistoryResponse](s.ann, order{Do: "history", Chat: chat.ChatID})
		require.Len(t, history.Messages, 2)
		require.Equal(t, "One?", history.Messages[0].Content)
		require.True(t, *history.Messages[1].Feedback)

		again := do[wire.SendMessageResponse](s.ann, order{Do: "send", Chat: chat.ChatID, Text: "Two?", Key: "k"})
		require.Equal(t, again, do[wire.SendMessageResponse](s.ann, order{Do: "send", Chat: chat.ChatID, Text: "Two?", Key: "k"}), "the same key returns the same answer")
		s.ann.fails(http.StatusUnprocessableEntity, order{Do: "send", Chat: chat.ChatID, Text: "Three?", Key: "k"})

		s.ann.done(order{Do: "deleteChat", Chat: chat.ChatID})
		s.ann.fails(http.StatusNotFound, order{Do: "history", Chat: chat.ChatID})
	})
}

func TestStreams(t *testing.T) {
	t.Parallel()
	directions(t, func(t *testing.T, s *scene) {
		first := s.ann.begin(order{Do: "stream", Text: "One?"})
		message := first.answer()
		require.Equal(t, whole("One?", 1), message.Content)
		chat := message.ChatID

		s.cutter.left.Store(2)
		require.Equal(t, whole("Two?", 1), s.ann.begin(order{Do: "stream", Chat: chat, Text: "Two?"}).answer().Content)
		require.EqualValues(t, 2, s.cutter.cuts.Load(), "the stream was cut twice")

		waits := s.ann.begin(order{Do: "stream", Chat: chat, Text: waitPrefix + "Three?"}).until(wire.EventChunk)
		resumed := s.ann.begin(order{Do: "resume", Chat: chat}).until(wire.EventChunk)
		s.model.release()
		require.Equal(t, waits.answer(), resumed.answer())
		require.Equal(t, whole(waitPrefix+"Three?", 1), waits.text.String())

		stopping := s.ann.begin(order{Do: "stream", Chat: chat, Text: waitPrefix + "Four?"}).until(wire.EventChunk)
		receipt := do[wire.StopReceipt](s.ann, order{Do: "stop", ID: stopping.start.StreamID})
		require.True(t, receipt.Stopped)
		stopped := stopping.answer()
		require.Equal(t, []string{wire.FinishStopped, receipt.Message.Content}, []string{stopped.FinishReason, stopped.Content})
		require.False(t, do[wire.StopReceipt](s.ann, order{Do: "stop", ID: first.start.StreamID}).Stopped)

		history := do[wire.ChatHistoryResponse](s.ann, order{Do: "history", Chat: chat})
		require.Len(t, history.Messages, 8)
		require.Equal(t, stopped.Content, history.Messages[7].Content)
	})
}

func TestRegenerations(t *testing.T) {
	t.Parallel()
	directions(t, func(t *testing.T, s *scene) {
		one := s.ann.begin(order{Do: "stream", Text: "One?"}).answer()
		two := s.ann.begin(order{Do: "stream", Chat: one.ChatID, Text: "Two?"}).answer()
		again := s.ann.begin(order{Do: "regenerate", Chat: one.ChatID, ID: two.ID}).answer()
		require.Equal(t, whole("Two?", 2), again.Content)
		history := do[wire.ChatHistoryResponse](s.ann, order{Do: "history", Chat: one.ChatID})
		require.Len(t, history.Messages, 4)
		require.Equal(t, again.ID, history.Messages[3].ID)

		earlier := s.ann.begin(order{Do: "regenerate", Chat: one.ChatID, ID: one.ID})
		if s.service == oldVersion {
			require.Equal(t, http.StatusConflict, earlier.end().Status, "the old service has no branches")
			return
		}
		require.Equal(t, whole("One?", 2), earlier.answer().Content)
		history = do[wire.ChatHistoryResponse](s.ann, order{Do: "history", Chat: one.ChatID})
		require.Len(t, history.Messages, 2, "the history follows the new branch")
	})
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	directions(t, func(t *testing.T, s *scene) {
		const text = "# Herons\n\nA heron eats fish.\n\n" + heron
		upload := do[wire.UploadDocumentResponse](s.ann, order{Do: "upload", ID: "herons.md", Text: text, Key: "k"})
		require.Equal(t, upload.DocumentKey, do[wire.UploadDocumentResponse](s.ann, order{Do: "upload", ID: "herons.md", Text: text, Key: "k"}).DocumentKey)
		eventually(s.ann, order{Do: "documents"}, func(list wire.ListDocumentsResponse) bool {
			require.Len(t, list.Docs, 1)
			require.NotEqual(t, wire.DocumentFailed, list.Docs[0].Status)
			return list.Docs[0].Status == wire.DocumentSynced
		})
		document := do[wire.Document](s.ann, order{Do: "document", ID: upload.DocumentKey})
		require.Contains(t, document.Text, "A heron eats fish.")
		sent := do[wire.SendMessageResponse](s.ann, order{Do: "send", Text: "When does a heron nest?", Documents: []string{upload.DocumentKey}})
		require.NotEmpty(t, sent.Message.Sources)
		require.Equal(t, upload.DocumentKey, sent.Message.Sources[0].DocumentKey)
		require.True(t, s.model.prompted(heron))
		s.ann.done(order{Do: "deleteDocument", ID: upload.DocumentKey})
		s.ann.fails(http.StatusNotFound, order{Do: "document", ID: upload.DocumentKey})
	})
}

func TestMemories(t *testing.T) {
	t.Parallel()
	directions(t, func(t *testing.T, s *scene) {
		require.True(t, *do[wire.MemorySettingsResponse](s.admin, order{Do: "enable", ID: agentID, Yes: true}).Settings.MemoryEnabled)
		require.True(t, *do[wire.MemorySettings](s.ann, order{Do: "settings", ID: agentID}).MemoryEnabled)
		do[wire.SendMessageResponse](s.ann, order{Do: "send", Text: "I work at a hospital."})
		do[wire.SendMessageResponse](s.ann, order{Do: "send", Text: "I have two daughters."})
		pending := eventually(s.ann, order{Do: "pending"}, func(list wire.ListPendingMemoriesResponse) bool { return len(list.Approvals) == 2 })
		approved, rejected := pending.Approvals[0], pending.Approvals[1]
		require.Equal(t, wire.MemoryApproved, do[wire.MemoryActionResponse](s.ann, order{Do: "approve", ID: approved.ID}).Memory.Status)
		require.Equal(t, wire.MemoryRejected, do[wire.MemoryActionResponse](s.ann, order{Do: "reject", ID: rejected.ID}).Memory.Status)
		s.ann.fails(http.StatusConflict, order{Do: "approve", ID: rejected.ID})
		stats := do[wire.MemoryStats](s.admin, order{Do: "stats", ID: agentID})
		require.Equal(t, []int{2, 1, 1}, []int{stats.Total, stats.Approved, stats.Rejected})
		answer := do[wire.SendMessageResponse](s.ann, order{Do: "send", Text: "Who am I?"})
		require.Equal(t, []string{approved.ID}, answer.Message.MemoryIDs)
		s.ann.done(order{Do: "deleteMemory", ID: approved.ID})
		require.Equal(t, 1, do[wire.ListMemoriesResponse](s.admin, order{Do: "memories", ID: agentID}).TotalMemories)
	})
}

// Clients with both SDKs use one chat at the same time, with a service of either version.
func TestBothAtOnce(t *testing.T) {
	t.Parallel()
	for _, service := range []version{oldVersion, newVersion} {
		t.Run("the "+service.name+" service", func(t *testing.T) {
			t.Parallel()
			const each = 6
			s := newScene(t, service, oldVersion)
			clients := []*client{s.ann, newClient(t, newVersion, s.cutter.URL, "ann")}
			chat := do[wire.Chat](s.ann, order{Do: "createChat"}).ChatID
			s.cutter.left.Store(each) // half of the streams
			var all []*running
			for n := range each {
				for _, c := range clients {
					all = append(all, c.begin(order{Do: "stream", Chat: chat, Text: fmt.Sprintf("%d of %s?", n, c.name)}))
				}
			}
			answers := map[string]string{}
			for _, r := range all {
				message := r.answer()
				require.Equal(t, whole(r.order.Text, 1), message.Content)
				answers[r.order.Text] = message.ID
			}
			require.EqualValues(t, each, s.cutter.cuts.Load())

			asked := clients[0].begin(order{Do: "stream", Chat: chat, Text: waitPrefix + "Who?"}).until(wire.EventChunk)
			other := clients[1].begin(order{Do: "resume", Chat: chat}).until(wire.EventChunk)
			require.True(t, do[wire.StopReceipt](clients[1], order{Do: "stop", ID: asked.start.StreamID}).Stopped)
			mine, theirs := asked.answer(), other.answer() // the old SDK has no branches
			require.Equal(t, []string{mine.ID, mine.Content, mine.FinishReason}, []string{theirs.ID, theirs.Content, theirs.FinishReason})

			seen := do[wire.ChatHistoryResponse](clients[0], order{Do: "history", Chat: chat})
			also := do[wire.ChatHistoryResponse](clients[1], order{Do: "history", Chat: chat})
			require.Len(t, seen.Messages, 2*len(all)+2)
			for i, message := range seen.Messages {
				require.Equal(t, []string{message.ID, message.Role, message.Content}, []string{also.Messages[i].ID, also.Messages[i].Role, also.Messages[i].Content})
				if message.Role == wire.RoleUser && i < 2*len(all) {
					require.Equal(t, answers[message.Content], seen.Messages[i+1].ID, "each answer follows its question")
				}
			}
		})
	}
}
