package memory

import (
	"cmp"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// Write adds a memory that an administrator wrote. It is in use at once, and supersedes other
// memories like an approval. If a pending or approved memory says the same, or if the user may
// not have more memories, the error is a CONFLICT.
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

// Edit changes the statement of a pending or approved memory. If the memory is approved, it then
// supersedes what contradicts it. Any other memory is a CONFLICT.
func (m *Machine) Edit(id, content, memoryType, by string) error {
	at := slices.IndexFunc(m.records, func(r *record) bool { return r.ID == id && r.open() })
	if at < 0 {
		return errRejected
	}
	r := m.records[at]
	if content == r.MemoryContent && memoryType == r.MemoryType {
		return nil // a repeat
	}
	if content == r.MemoryContent {
		m.keepEdit(r, content, by)
	} else {
		if err := m.edit(r, content, by); err != nil {
			return err
		}
		r.Origin = wire.OriginAdministrator // the original content keeps the user's words
	}
	r.MemoryType = memoryType
	if r.Status == wire.MemoryApproved {
		m.supersedeContradicted(r)
	}
	return nil
}

// edit changes the statement to one that no other memory has.
func (m *Machine) edit(r *record, content, by string) error {
	f := canon.Of(content)
	said := *r
	r.MemoryContent, r.form, r.at, r.verdicts = content, &f, -1, nil
	if err := m.sayAgain(r); err != nil {
		*r = said
		return err
	}
	r.OriginalContent = cmp.Or(r.OriginalContent, said.MemoryContent)
	m.keepEdit(r, said.MemoryContent, by)
	return nil
}

// A memory keeps at most mostEdits edits with mostEditBytes bytes of text: the first one and the
// newest ones.
const (
	mostEdits     = 100
	mostEditBytes = 16 << 10
)

// keepEdit records an edit of a statement that said before.
func (m *Machine) keepEdit(r *record, before, by string) {
	edits := append(slices.Clone(r.Edits), wire.MemoryEdit{Text: before, By: by, At: m.now})
	for len(edits) > 2 && (len(edits) > mostEdits || editBytes(edits) > mostEditBytes) {
		edits = slices.Delete(edits, 1, 2)
	}
	r.changed, r.Edits = true, edits
	r.EditedBy, r.EditedAt, r.UpdatedAt = by, m.now, m.now
}

// sayAgain takes a statement back into use, which no other memory may have by now.
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

// saying returns another pending or approved memory that says the same; nil for none.
func (m *Machine) saying(r *record) *record {
	for _, other := range m.records {
		if other != r && other.open() && m.read(other).SameAs(m.read(r)) {
			return other
		}
	}
	return nil
}

// contradictAgain records what a new statement contradicts.
func (m *Machine) contradictAgain(r *record) {
	for _, other := range m.records {
		if other != r && other.open() && m.contradicts(other, r) {
			m.pairs = append(m.pairs, [2]string{r.ID, other.ID})
		}
	}
}
