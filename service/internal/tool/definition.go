package tool

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Definition describes a tool.
type Definition struct {
	// Kind is wire.ToolHTTP, wire.ToolMCP or wire.ToolPage.
	Kind string
	// Name is the name by which the model calls it.
	Name string
	// Description says what the tool does, for the model and for the person who approves.
	Description string
	// Address is the URL of an http tool, the prefix of an mcp one, empty for the page's.
	Address string
	// Parameters are a JSON Schema of draft 2020-12 with the type object. New removes white
	// space, and changes nothing else.
	Parameters wire.JSON
	// Approval says who must approve a call before it is carried out; empty means
	// wire.ApprovalUser.
	Approval string
	// Idempotent says that carrying a call out twice does no harm.
	Idempotent bool
	// Timeout limits one attempt; for a page it begins when its claim was last
	// renewed. 0 is DefaultTimeout or PageTimeout.
	Timeout time.Duration
}

// Digest returns the SHA-256, in hex, of all fields except the timeout. Each field is hashed with
// its length, so that different definitions have different digests.
func (d Definition) Digest() string {
	var all []byte
	for _, field := range []string{
		d.Kind, d.Address, d.Name, d.Description, string(d.Parameters), d.Approval, strconv.FormatBool(d.Idempotent),
	} {
		all = binary.BigEndian.AppendUint64(all, uint64(len(field)))
		all = append(all, field...)
	}
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:])
}
