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

// Hashes recognise a statement whose text was deleted: keyed hashes of its canonical form. They
// reveal nothing without the key, and differ for each owner.
type Hashes struct {
	// Whole is the hash of the whole form.
	Whole string
	// Parts are hashes of the type, of the relation, and of each value, number and other person. A
	// paraphrase is suspected by them: a statement that shares none of them would be of another
	// kind, and about something else.
	Parts []string
}

// All returns the hashes to keep of a deleted memory.
func (m Hashes) All() []string { return append([]string{m.Whole}, m.Parts...) }

// HashKey is the key of Hashes: 32 random bytes that are kept separate from the database. With
// another key no deleted memory is recognised.
type HashKey []byte

// Detected is a memory that was found in a message. It is read before the transaction that blocks
// others in a Store. Content, type, confidence, id, owner and source are set.
type Detected struct {
	Memory wire.Memory
	// Form is the form of the content, and Hashes are its hashes.
	Form   canon.Form
	Hashes Hashes
	// Waits is why it is not approved automatically, empty if the memory itself gives no reason.
	Waits string

	verdicts []verdict // by index in a Reading; nil if not compared yet
}

// Read makes a Detected of a memory that was found.
func (k HashKey) Read(owner Owner, memory wire.Memory) Detected {
	f := canon.Of(memory.MemoryContent)
	return Detected{Memory: memory, Form: f, Hashes: k.hashes(owner, memory.MemoryType, f)}
}

func (k HashKey) hashes(owner Owner, memoryType string, f canon.Form) Hashes {
	hashes := Hashes{
		Whole: k.hash(owner, "form", f.Key()),
		Parts: []string{k.hash(owner, "type", memoryType), k.hash(owner, "relation", f.Person, f.Relation)},
	}
	for _, value := range slices.Concat(f.Values, f.Over, f.Numbers, others(f.Person)) {
		hashes.Parts = append(hashes.Parts, k.hash(owner, "value", value))
	}
	return hashes
}

// others returns the words for people and things other than the user in the person of a form.
func others(person string) []string {
	return slices.DeleteFunc(strings.Fields(person), func(word string) bool { return word == "user" })
}

// hash hashes texts together with their lengths, so that different lists have different hashes.
func (k HashKey) hash(owner Owner, texts ...string) string {
	hash := hmac.New(sha256.New, k)
	for _, text := range append([]string{owner.ProjectID, owner.AgentID, owner.UserID}, texts...) {
		hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(text))))
		hash.Write([]byte(text))
	}
	return string(hash.Sum(nil))
}
