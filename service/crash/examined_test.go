package crash_test

import (
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// examined compares the listed memories with the messages that they came from. When the queue is
// empty, every message must have yielded each of its memories exactly once.
func (l *ledger) examined(listed map[string]wire.Memory, queueIsEmpty bool) []string {
	c := &comparison{ledger: l, listed: listed}
	found := map[string][]string{} // contents by message id
	for _, memory := range listed {
		found[memory.SourceMessageID] = append(found[memory.SourceMessageID], memory.MemoryContent)
	}
	for _, memory := range l.gone {
		found[memory.SourceMessageID] = append(found[memory.SourceMessageID], memory.MemoryContent)
	}
	for _, m := range l.messages {
		c.checkMessage(m, found[m.id], queueIsEmpty)
		delete(found, m.id)
	}
	for id, contents := range found {
		c.fault("memories of message %q, which nobody sent: %q", id, contents)
	}
	return c.faults
}

func (c *comparison) checkMessage(m *message, found []string, queueIsEmpty bool) {
	want := wanted(m.text)
	slices.Sort(want)
	slices.Sort(found)
	switch {
	case slices.Equal(found, want):
		m.settled = m.settled || queueIsEmpty || len(want) > 0
	case len(found) > 0:
		c.fault("message %q gave %q, want %q", m.text, found, want)
	case m.settled:
		c.fault("message %q lost its memories, want %q", m.text, want)
	case queueIsEmpty && !m.excused:
		c.fault("message %q was never examined, want %q", m.text, want)
	}
}

// checkHistory compares the messages of a chat with what its user sent, and records their ids. A
// message that got no response may or may not be stored.
func (l *ledger) checkHistory(chatID string, history []wire.Message) []string {
	c := &comparison{ledger: l}
	stored := map[string][]string{} // ids by text
	for _, m := range history {
		if m.Role == wire.RoleUser {
			stored[m.Content] = append(stored[m.Content], m.ID)
		}
	}
	for _, m := range l.messages {
		if m.chatID != chatID {
			continue
		}
		switch ids := stored[m.text]; {
		case len(ids) == 1:
			m.id = ids[0]
		case len(ids) > 1:
			c.fault("message %q is stored more than once: %q", m.text, ids)
		case m.answered:
			c.fault("message %q was answered, but is lost", m.text)
		}
		delete(stored, m.text)
	}
	for text := range stored {
		c.fault("message %q is stored, but nobody sent it", text)
	}
	l.forget(func(m *message) bool { return m.chatID == chatID && m.id == "" })
	return c.faults
}

// unread returns the chats with messages whose ids are not known yet.
func (l *ledger) unread() (chats []string) {
	for _, m := range l.messages {
		if m.id == "" && !slices.Contains(chats, m.chatID) {
			chats = append(chats, m.chatID)
		}
	}
	return chats
}
