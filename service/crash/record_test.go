package crash_test

import (
	"fmt"
	"reflect"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// same compares two memories without their conflicts, which the service computes for each list.
func same(a, b wire.Memory) bool {
	a.ConflictsWith, b.ConflictsWith = nil, nil
	a.ConflictsWithPending, b.ConflictsWithPending = nil, nil
	return reflect.DeepEqual(a, b)
}

// brief describes a memory in the text of a fault.
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
