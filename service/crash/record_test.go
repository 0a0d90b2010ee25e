package crash_test

import (
	"fmt"
	"reflect"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// same compares two records, except the conflicts of a pending one, which are always current.
func same(a, b wire.Memory) bool {
	a.ConflictsWith, b.ConflictsWith = nil, nil
	return reflect.DeepEqual(a, b)
}

// brief describes the subject of a fault.
func brief(m wire.Memory) string {
	return fmt.Sprintf("%s of %s, %q, %s %s, updated %f, approved %f, rejected %f, expires %f",
		m.ID, m.UserID, m.MemoryContent, m.Status, m.RejectReason, m.UpdatedAt, m.ApprovedAt, m.RejectedAt, m.ExpiresAt)
}

func describe(decisions []*decision) (text string) {
	for _, d := range decisions {
		text += fmt.Sprintf("\n\t%s: %d", d.action, d.status)
		if d.told.Success {
			text += fmt.Sprintf(" %s, superseded %v", brief(d.told.Memory), d.told.Superseded)
		}
	}
	return text
}
