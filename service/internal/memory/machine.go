package memory

import (
	"cmp"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Machine decides what may happen to the memories of one user and agent at one moment. It is
// pure: it keeps everything in memory and has no clock. Call Changes at the end.
type Machine struct {
	rules   Rules
	now     float64
	barred  []*record
	erased  map[string]bool
	records []*record // oldest first
	// stored and spent come from State.
	stored, spent int
	pairs         [][2]string
	edited        []string
	duplicates    int
	reading       *Reading
}

// record is a memory and how it came here.
type record struct {
	wire.Memory
	stored string // the status that the store has, empty for a new memory
	form   *canon.Form
	at     int // its index in the reading, -1 for none
	// changed reports whether the store has other values, apart from the status.
	changed bool
	// verdicts are the comparisons of a memory that was found, by index in the reading.
	verdicts []verdict
}

// read reads the content, unless it was read before.
func (m *Machine) read(r *record) canon.Form {
	if r.form != nil {
		return *r.form
	}
	if r.at >= 0 {
		return m.reading.forms[r.at]
	}
	f := canon.Of(r.MemoryContent)
	r.form = &f
	return f
}

func (m *Machine) same(r, found *record) bool {
	if found.verdicts != nil && r.at >= 0 {
		return found.verdicts[r.at].same
	}
	return m.read(r).SameAs(m.read(found))
}

func (m *Machine) contradicts(r, found *record) bool {
	if found.verdicts != nil && r.at >= 0 {
		return found.verdicts[r.at].contradicts
	}
	return m.read(r).Contradicts(m.read(found))
}

// Changes are the changes to store.
type Changes struct {
	// Added are new memories, oldest first.
	Added []wire.Memory
	// Updated are memories of which anything but the source changed.
	Updated []wire.Memory
	// Edited are the ids of memories with a new statement: their previous conflicts must be
	// removed.
	Edited []string
	// Conflicts are pairs of ids, a new memory first, that cannot both be true.
	Conflicts [][2]string
	// Spent is how many memories to remove: the oldest that are superseded or expired, including
	// these changes.
	Spent int
	// Key takes a key for the request that makes the changes; nil takes none. The Machine
	// doesn't use it.
	Key *once.UsedKey
}

// NewMachine begins with what is known of the owner. Detect needs all of it, the other methods
// only Memories. now is in seconds since the Unix epoch.
func NewMachine(rules Rules, state State, now float64) *Machine {
	m := &Machine{rules: rules, now: now, erased: state.Erased, stored: state.Stored, spent: state.Spent, reading: state.Reading}
	for _, one := range state.Memories {
		m.records = append(m.records, &record{Memory: AsOf(one, now), stored: one.Status, at: m.reading.find(one.MemoryContent)})
	}
	for _, one := range state.Barred {
		m.barred = append(m.barred, &record{Memory: one, at: m.reading.find(one.MemoryContent)})
	}
	return m
}

// AsOf returns a memory as it is at a time: a pending memory is rejected from the instant of its
// expiry on, even if the Store doesn't have the change yet.
func AsOf(memory wire.Memory, now float64) wire.Memory {
	if memory.Status == wire.MemoryPending && now >= memory.ExpiresAt {
		return rejected(memory, wire.RejectedExpired, memory.ExpiresAt)
	}
	return memory
}

func rejected(memory wire.Memory, reason string, at float64) wire.Memory {
	memory.Status, memory.RejectReason = wire.MemoryRejected, reason
	memory.RejectedAt, memory.UpdatedAt, memory.ExpiresAt = at, at, 0
	memory.ConflictsWith, memory.ConflictsWithPending = nil, nil
	return memory
}

// Changes returns what has happened so far.
func (m *Machine) Changes() Changes {
	changes := Changes{Conflicts: m.pairs, Edited: m.edited, Spent: m.excess(m.added())}
	for _, r := range m.records {
		switch {
		case r.stored == "":
			changes.Added = append(changes.Added, r.Memory)
		case r.changed || r.stored != r.Status:
			changes.Updated = append(changes.Updated, r.Memory)
		}
	}
	return changes
}

// Get returns a memory in its current state.
func (m *Machine) Get(id string) (wire.Memory, bool) {
	for _, r := range m.records {
		if r.ID == id {
			return r.Memory, true
		}
	}
	return wire.Memory{}, false
}

// Approve takes a pending memory into use, with another statement if content is not empty.
// Approved memories that contradict it are superseded, and so are those approved first if there
// are more than the limit. Their ids are returned in order. A memory that was superseded by one
// that is no longer in use may be approved again. Any other memory that is not pending is a
// CONFLICT.
func (m *Machine) Approve(id, content, by string) (superseded []string, err error) {
	r, err := m.approvable(id)
	if err != nil {
		return nil, err
	}
	switch {
	case content != "" && content != r.MemoryContent:
		err = m.edit(r, content, by)
	case r.Status == wire.MemoryRejected:
		err = m.sayAgain(r)
	}
	if err != nil {
		return nil, err
	}
	return m.approve(r, by), nil
}

// Reject rejects a pending memory, which is final.
func (m *Machine) Reject(id, by string) error {
	r, err := m.pending(id)
	if err != nil {
		return err
	}
	r.Memory = rejected(r.Memory, wire.RejectedByReviewer, m.now)
	r.DecidedBy = by
	return nil
}

func (m *Machine) approvable(id string) (*record, error) {
	for _, r := range m.records {
		if r.ID == id && r.SupersededBy != "" && r.Status == wire.MemoryRejected && !m.inUse(r.SupersededBy) {
			return r, nil
		}
	}
	return m.pending(id)
}

func (m *Machine) inUse(id string) bool {
	one, found := m.Get(id)
	return found && one.Status == wire.MemoryApproved
}

func (m *Machine) pending(id string) (*record, error) {
	for _, r := range m.records {
		if r.ID == id && r.Status == wire.MemoryPending {
			return r, nil
		}
	}
	return nil, errDecided
}

func (m *Machine) approve(r *record, by string) []string {
	superseded := m.supersedeContradicted(r)
	approved := m.having(wire.MemoryApproved)
	slices.SortFunc(approved, func(a, b *record) int {
		return cmp.Or(cmp.Compare(a.ApprovedAt, b.ApprovedAt), cmp.Compare(a.ID, b.ID))
	})
	for ; len(approved) >= m.rules.Max; approved = approved[1:] {
		superseded = append(superseded, m.supersede(approved[0], r))
	}
	r.Status, r.ApprovedAt, r.UpdatedAt, r.ExpiresAt = wire.MemoryApproved, m.now, m.now, 0
	r.RejectedAt, r.RejectReason, r.SupersededBy, r.DecidedBy = 0, "", "", by
	r.ConflictsWith, r.ConflictsWithPending = nil, nil
	slices.Sort(superseded)
	return superseded
}

// supersedeContradicted supersedes what contradicts a memory, and returns the ids.
func (m *Machine) supersedeContradicted(r *record) []string {
	superseded := []string{}
	for _, other := range m.having(wire.MemoryApproved) {
		if other != r && m.contradicts(other, r) {
			superseded = append(superseded, m.supersede(other, r))
		}
	}
	return superseded
}

func (m *Machine) supersede(other, by *record) string {
	other.Memory = rejected(other.Memory, wire.RejectedSuperseded, m.now)
	other.SupersededBy = by.ID
	return other.ID
}

func (m *Machine) having(status string) (found []*record) {
	for _, r := range m.records {
		if r.Status == status {
			found = append(found, r)
		}
	}
	return found
}

// Detect adds what was found in a message, unless the settings or an older memory forbid it.
func (m *Machine) Detect(found Detected) {
	r := &record{
		Memory: found.Memory, form: &found.Form, at: m.reading.find(found.Memory.MemoryContent), verdicts: found.verdicts,
	}
	if !m.rules.Enabled || !slices.Contains(m.rules.Types, r.MemoryType) || m.bars(r, found.Hashes) || m.isFull() {
		return
	}
	r.Status, r.CreatedAt, r.UpdatedAt, r.ExpiresAt = wire.MemoryPending, m.now, m.now, m.now+m.rules.Lifetime
	r.Origin = wire.OriginUser
	contradicted := m.contradicted(r)
	r.CloseTo = m.closeTo(r)
	r.WaitsFor = m.waitsFor(r, found)
	m.records = append(m.records, r)
	switch {
	case r.WaitsFor == "":
		m.approve(r, wire.ByAutoApprove)
	case !m.makeRoom(r):
		m.records = slices.DeleteFunc(m.records, func(other *record) bool { return other == r })
		return
	}
	for _, id := range contradicted {
		m.pairs = append(m.pairs, [2]string{r.ID, id})
	}
}

// waitsFor returns why a memory is not approved automatically, the most serious reason first.
func (m *Machine) waitsFor(r *record, found Detected) string {
	switch {
	case found.Waits != "" && found.Waits != wire.WaitsReview:
		return found.Waits
	case m.resembles(found.Hashes):
		return wire.WaitsDeleted
	case len(r.CloseTo) > 0:
		return wire.WaitsClose
	case !m.rules.AutoApprove:
		return wire.WaitsReview
	}
	return found.Waits
}

// bars reports whether a memory existed before. A memory that expired or was superseded may come
// back.
func (m *Machine) bars(found *record, hashes Hashes) bool {
	if m.erased[hashes.Whole] {
		return true
	}
	same := func(r *record) bool { return m.same(r, found) || m.wasSame(r, found) && !m.contradicts(r, found) }
	duplicate := slices.ContainsFunc(m.barred, same) || slices.ContainsFunc(m.records, func(r *record) bool { return r.open() && same(r) })
	if duplicate {
		m.duplicates++
	}
	return duplicate
}

// wasSame reports whether a memory said the same before it was edited. If it now says the opposite,
// the found statement is new.
func (m *Machine) wasSame(r, found *record) bool {
	if r.OriginalContent == "" {
		return false
	}
	if at := m.reading.find(r.OriginalContent); found.verdicts != nil && at >= 0 {
		return found.verdicts[at].same
	}
	return canon.Of(r.OriginalContent).SameAs(m.read(found))
}

// Duplicates returns how many of the memories that were found repeat one that is pending,
// approved or rejected by a reviewer.
func (m *Machine) Duplicates() int { return m.duplicates }

// open reports whether a memory is pending or approved.
func (r *record) open() bool { return r.Status != wire.MemoryRejected }

// resembles reports whether a memory may be a paraphrase of a deleted one, so that a reviewer has
// to see it. It is careful: if a memory of one type was deleted, all statements of that type are
// suspected, whatever their words.
func (m *Machine) resembles(hashes Hashes) bool {
	return slices.ContainsFunc(hashes.Parts, func(part string) bool { return m.erased[part] })
}

// maxClose is how many ids a new memory's close_to has at most.
const maxClose = 10

// closeTo returns the ids of memories that say nearly the same and don't contradict.
func (m *Machine) closeTo(found *record) (ids []string) {
	for _, r := range slices.Concat(m.records, m.barred) {
		inForce := r.open() || r.RejectReason == wire.RejectedByReviewer
		if inForce && len(ids) < maxClose && m.isClose(r, found) && !m.contradicts(r, found) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func (m *Machine) isClose(r, found *record) bool {
	if found.verdicts != nil && r.at >= 0 {
		return found.verdicts[r.at].close
	}
	return m.read(r).CloseTo(m.read(found))
}

// contradicted returns the ids of memories that cannot be true together with one.
func (m *Machine) contradicted(found *record) (ids []string) {
	for _, r := range m.records {
		if r.open() && m.contradicts(r, found) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// makeRoom keeps the number of pending memories within the limit: the least confident is removed,
// and of equally confident ones the oldest. It reports whether the new one stays.
func (m *Machine) makeRoom(added *record) bool {
	stays := true
	pending := m.having(wire.MemoryPending)
	for ; len(pending) > m.rules.Max; pending = m.having(wire.MemoryPending) {
		least := slices.MinFunc(pending, func(a, b *record) int { // the first of equals, which is the oldest
			return cmp.Compare(a.ConfidenceScore, b.ConfidenceScore)
		})
		least.Memory = rejected(least.Memory, wire.RejectedSuperseded, m.now)
		stays = stays && least != added
	}
	return stays
}
