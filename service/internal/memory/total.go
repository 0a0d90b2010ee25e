package memory

import "github.com/chatsdk/chatsdk/sdk/wire"

// isFull tells whether there is no room for one memory more, and none to be made.
func (m *Machine) isFull() bool {
	spent := m.spent
	for _, r := range m.records { // none of them was spent when it was read
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

// excess is how many memories have to go when so many are added. Where a limit
// that is new has been exceeded for long, what there is stays: each new memory
// takes the place of one.
func (m *Machine) excess(added int) int {
	if m.rules.Total == 0 {
		return 0
	}
	return min(added, max(0, m.stored+added-m.rules.Total))
}
