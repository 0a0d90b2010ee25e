package memory

import "github.com/chatsdk/chatsdk/sdk/wire"

// isFull reports whether there is no room for one more memory, even if old ones are removed.
func (m *Machine) isFull() bool {
	spent := m.spent
	for _, r := range m.records { // none of them was superseded or expired when it was read
		if r.Status == wire.MemoryRejected && r.RejectReason != wire.RejectedByReviewer {
			spent++
		}
	}
	return m.excess(m.added()+1) > spent
}

func (m *Machine) added() (count int) {
	for _, r := range m.records {
		if r.stored == "" {
			count++
		}
	}
	return count
}

// excess returns how many memories must be removed if this many are added. If the limit was
// lowered and there were already more, these stay: each new memory replaces only one.
func (m *Machine) excess(added int) int {
	if m.rules.Total == 0 {
		return 0
	}
	return min(added, max(0, m.stored+added-m.rules.Total))
}
