package crash_test

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// comparison compares the memories that are listed now with a ledger.
type comparison struct {
	*ledger
	listed map[string]wire.Memory
	faults []string
}

func (c *comparison) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// compare finds impossible states of memories: decisions that were lost, carried out
// twice or only half carried out.
func (l *ledger) compare(listed map[string]wire.Memory) []string {
	c := &comparison{ledger: l, listed: listed}
	ids := map[string]bool{}
	for id := range l.lastListed {
		ids[id] = true
	}
	for id := range listed {
		ids[id] = true
	}
	for _, d := range l.decisions {
		ids[d.memory.ID] = true
		c.checkRefusal(d)
	}
	for id := range ids {
		c.checkMemory(id)
	}
	c.checkContents()
	c.checkConflicts()
	return c.faults
}

// checkRefusal checks the reason of a refusal: the memory was decided already, or no longer exists.
func (c *comparison) checkRefusal(d *decision) {
	now, there := c.listed[d.memory.ID]
	switch d.status {
	case 0, http.StatusOK:
	case http.StatusConflict:
		if there && now.Status == wire.MemoryPending {
			c.fault("%s was refused as decided already, but the memory is pending: %s", d.action, brief(now))
		}
	case http.StatusNotFound:
		if there {
			c.fault("%s was refused as unknown, but the memory is listed: %s", d.action, brief(now))
		}
	default:
		c.fault("%s %s: status %d", d.action, d.memory.ID, d.status)
	}
}

func (c *comparison) checkMemory(id string) {
	now, there := c.listed[id]
	decisions := c.about(id)
	deletions := slices.DeleteFunc(slices.Clone(decisions), func(d *decision) bool { return d.action != actionDelete || !d.mayBeDone() })
	_, gone := c.gone[id]
	switch {
	case there && (gone || slices.ContainsFunc(deletions, func(d *decision) bool { return d.status == http.StatusOK })):
		c.fault("was deleted, but is listed: %s", brief(now))
	case !there && !gone && len(deletions) == 0:
		c.fault("is lost: %s", brief(c.before(id, decisions)))
	}
	c.checkWinner(id, decisions)
	if there && !slices.ContainsFunc(c.fates(id, decisions, now), func(fate wire.Memory) bool { return same(fate, now) }) {
		c.fault("is impossible: %s\n\tbefore: %s%s", brief(now), brief(c.before(id, decisions)), describe(decisions))
	}
}

// checkWinner finds memories that were decided twice.
func (c *comparison) checkWinner(id string, decisions []*decision) {
	won := 0
	if before, known := c.lastListed[id]; known && before.Status != wire.MemoryPending {
		won = 1
	}
	for _, d := range decisions {
		if d.action != actionDelete && d.status == http.StatusOK {
			won++
		}
	}
	if won > 1 && !c.wasSuperseded(id) { // it may be approved again after its successor is deleted
		c.fault("was decided twice: %s%s", brief(c.before(id, decisions)), describe(decisions))
	}
}

// wasSuperseded reports whether an approval superseded a memory or may have done so.
func (c *comparison) wasSuperseded(id string) bool {
	before, known := c.lastListed[id]
	return known && before.SupersededBy != "" || slices.ContainsFunc(c.decisions, func(d *decision) bool {
		return d.action == wire.ActionApprove && (d.status == 0 || slices.Contains(d.told.Superseded, id))
	})
}

// before returns a memory as it was last seen.
func (c *comparison) before(id string, decisions []*decision) wire.Memory {
	if memory, known := c.lastListed[id]; known || len(decisions) == 0 {
		return memory
	}
	return decisions[0].memory
}

// fates returns the states that a memory may have now. Times and names that no client was told are
// taken from its current state.
func (c *comparison) fates(id string, decisions []*decision, now wire.Memory) []wire.Memory {
	before := c.before(id, decisions)
	if before.ID == "" { // it is new
		before = now
		before.Status = wire.MemoryPending
	}
	fates := []wire.Memory{before}
	var told []wire.Memory
	for _, d := range decisions {
		switch {
		case d.action == actionDelete:
		case d.status == http.StatusOK:
			told = append(told, d.told.Memory)
		case d.status == 0 && (before.Status == wire.MemoryPending || before.SupersededBy != ""):
			fate := decided(before, d.action, now.UpdatedAt)
			fate.DecidedBy = now.DecidedBy
			fates = append(fates, fate)
		}
	}
	if told != nil {
		return c.superseded(told, now)
	}
	return c.superseded(fates, now)
}

func decided(memory wire.Memory, action string, at float64) wire.Memory {
	memory.UpdatedAt, memory.ExpiresAt = at, 0
	memory.SupersededBy, memory.RejectReason, memory.RejectedAt = "", "", 0
	if action == wire.ActionApprove {
		memory.Status, memory.ApprovedAt = wire.MemoryApproved, at
		return memory
	}
	memory.Status, memory.RejectReason, memory.RejectedAt = wire.MemoryRejected, wire.RejectedByReviewer, at
	return memory
}

// superseded adds to each approved state the state after a later approval superseded the memory. If a
// reviewer was told that the memory was superseded, only the superseded states remain.
func (c *comparison) superseded(fates []wire.Memory, now wire.Memory) (all []wire.Memory) {
	told, possible := c.superseders(now)
	if told > 1 {
		c.fault("was superseded twice: %s", brief(now))
	}
	for _, fate := range fates {
		if fate.Status == wire.MemoryApproved && possible {
			later := fate
			later.Status, later.RejectReason = wire.MemoryRejected, wire.RejectedSuperseded
			later.RejectedAt, later.UpdatedAt, later.SupersededBy = now.RejectedAt, now.RejectedAt, now.SupersededBy
			all = append(all, later)
		}
		if told == 0 {
			all = append(all, fate)
		}
	}
	return all
}

// superseders counts the reviewers who were told that their approval superseded a memory. Possible
// reports whether an approval, confirmed or unanswered, may have done so: both have the same time.
func (c *comparison) superseders(memory wire.Memory) (told int, possible bool) {
	for _, d := range c.decisions {
		if d.action != wire.ActionApprove || d.memory.UserID != memory.UserID {
			continue
		}
		by, there := c.listed[d.memory.ID]
		switch {
		case d.status == http.StatusOK && slices.Contains(d.told.Superseded, memory.ID):
			told++
			possible = possible || d.told.Memory.ApprovedAt == memory.RejectedAt
		case d.status == 0:
			possible = possible || !there || by.ApprovedAt == memory.RejectedAt
		}
	}
	return told, possible
}

// checkContents finds statements that are stored twice, or stored again after their deletion. No two
// messages make the same statement.
func (c *comparison) checkContents() {
	type statement struct{ userID, content string }
	ids := map[statement]string{}
	for _, all := range []map[string]wire.Memory{c.gone, c.listed} {
		for id, memory := range all {
			s := statement{memory.UserID, memory.MemoryContent}
			if other, twice := ids[s]; twice && other != id {
				c.fault("is also stored as %s: %s", other, brief(memory))
			}
			ids[s] = id
		}
	}
}

// checkConflicts finds memories that were approved since the last check although a memory that
// contradicts them is still approved. Only half of such an approval was carried out.
func (c *comparison) checkConflicts() {
	for id, memory := range c.listed {
		if memory.Status != wire.MemoryApproved || c.lastListed[id].Status == wire.MemoryApproved {
			continue
		}
		for _, other := range c.listed {
			if other.Status == wire.MemoryApproved && other.UserID == memory.UserID && other.ID != id &&
				canon.Conflict(other.MemoryContent, memory.MemoryContent) {
				c.fault("contradicts another approved memory: %s\n\t%s", brief(memory), brief(other))
			}
		}
	}
}
