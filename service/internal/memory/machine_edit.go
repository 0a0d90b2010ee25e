package memory

import (
	"cmp"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// Write adds a memory that an administrator wrote, which is in use at once, and
// supersedes as an approval does. One that says the same and is pending or approved is a
// CONFLICT, and so is a user who may have no more memories.
func (m *Machine) Write(written wire.Memory, by string) error {
	r := &record{Memory: written, at: -1}
	if other := m.saying(r); other != nil {
		return errSame(other.Memory)
	}
	if m.isFull() {
		return errFull
	}
	r.Origin, r.CreatedAt, r.UpdatedAt, r.ConfidenceScore = wire.OriginAdministrator, m.now, m.now, 1
	m.records = append(m.records, r)
	m.contradictAgain(r)
	m.approve(r, by)
	return nil
}

// Edit has a pending or approved memory say something else. In one that is approved it
// supersedes what contradicts it then. Any other memory is a CONFLICT.
func (m *Machine) Edit(id, content, memoryType, by string) error {
	at := slices.IndexFunc(m.records, func(r *record) bool { return r.ID == id && r.open() })
	if at < 0 {
		return errRejected
	}
	r := m.records[at]
	if content == r.MemoryContent && memoryType == r.MemoryType {
		return nil // a repeat
	}
	if content != r.MemoryContent {
		if err := m.edit(r, content, by); err != nil {
			return err
		}
		r.Origin = wire.OriginAdministrator // the user's words are its original
	}
	r.changed, r.MemoryType, r.EditedBy, r.EditedAt, r.UpdatedAt = true, memoryType, by, m.now, m.now
	if r.Status == wire.MemoryApproved {
		m.supersedeContradicted(r)
	}
	return nil
}

// edit changes the statement, which no other memory may make.
func (m *Machine) edit(r *record, content, by string) error {
	f := canon.Of(content)
	said := *r
	r.MemoryContent, r.form, r.at, r.verdicts = content, &f, -1, nil
	if err := m.sayAgain(r); err != nil {
		*r = said
		return err
	}
	r.changed, r.OriginalContent = true, cmp.Or(r.OriginalContent, said.MemoryContent)
	r.EditedBy, r.EditedAt, r.UpdatedAt = by, m.now, m.now
	return nil
}

// sayAgain puts a statement among the others again, which no other may make by now.
func (m *Machine) sayAgain(r *record) error {
	if other := m.saying(r); other != nil {
		return errSame(other.Memory)
	}
	if r.stored != "" {
		m.edited = append(m.edited, r.ID)
	}
	m.contradictAgain(r)
	return nil
}

// saying is another memory, pending or approved, that says the same; nil means none.
func (m *Machine) saying(r *record) *record {
	for _, other := range m.records {
		if other != r && other.open() && m.read(other).SameAs(m.read(r)) {
			return other
		}
	}
	return nil
}

// contradictAgain notes what a statement that is new contradicts.
func (m *Machine) contradictAgain(r *record) {
	for _, other := range m.records {
		if other != r && other.open() && m.contradicts(other, r) {
			m.pairs = append(m.pairs, [2]string{r.ID, other.ID})
		}
	}
}
