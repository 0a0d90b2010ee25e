package memory

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// Marks recognise a statement whose text is gone: keyed hashes of its canonical
// form, which say nothing to whoever lacks the key, and differ for each owner.
type Marks struct {
	// Whole is the mark of the whole form.
	Whole string
	// Parts are those of the type, of the relation, and of each value, number
	// and other person, by which a paraphrase is suspected: one that shares none
	// of them would be of another kind, and about something else.
	Parts []string
}

// All are the marks to keep of a deleted memory.
func (m Marks) All() []string { return append([]string{m.Whole}, m.Parts...) }

// HashKey is the key of Marks, 32 random bytes that are kept apart from the
// database. With another key nothing that was deleted is recognised.
type HashKey []byte

// Detected is a memory that was found in a message, which was read before a Store
// holds everybody else up: content, type, confidence, id, owner and source are
// filled in.
type Detected struct {
	Memory wire.Memory
	// Form is that of the content, and Marks are its marks.
	Form  canon.Form
	Marks Marks
	// Waits is why it is not approved by itself, empty for nothing in itself.
	Waits string

	verdicts []verdict // by place in a Reading, nil: not compared yet
}

// Read makes a Found of a memory that was found.
func (k HashKey) Read(owner Owner, memory wire.Memory) Detected {
	f := canon.Of(memory.MemoryContent)
	return Detected{Memory: memory, Form: f, Marks: k.marks(owner, memory.MemoryType, f)}
}

func (k HashKey) marks(owner Owner, memoryType string, f canon.Form) Marks {
	marks := Marks{
		Whole: k.mark(owner, "form", f.Key()),
		Parts: []string{k.mark(owner, "type", memoryType), k.mark(owner, "relation", f.Person, f.Relation)},
	}
	for _, value := range slices.Concat(f.Values, f.Over, f.Numbers, others(f.Person)) {
		marks.Parts = append(marks.Parts, k.mark(owner, "value", value))
	}
	return marks
}

// others are the words for people and things beside the user that a person of a
// form names.
func others(person string) []string {
	return slices.DeleteFunc(strings.Fields(person), func(word string) bool { return word == "user" })
}

// mark hashes texts, each after its length, so that no two lists are alike.
func (k HashKey) mark(owner Owner, texts ...string) string {
	hash := hmac.New(sha256.New, k)
	for _, text := range append([]string{owner.ProjectID, owner.AgentID, owner.UserID}, texts...) {
		hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(text))))
		hash.Write([]byte(text))
	}
	return string(hash.Sum(nil))
}
