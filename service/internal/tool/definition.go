package tool

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Definition is what a tool is.
type Definition struct {
	// Kind is wire.ToolHTTP, wire.ToolMCP or wire.ToolPage.
	Kind string
	// Name is what the model calls it by.
	Name string
	// Description says what it does, to the model and to who approves.
	Description string
	// Address is the URL of an http tool, the prefix of an mcp one, empty for the page's.
	Address string
	// Parameters are a JSON Schema of draft 2020-12 with the type object. New makes them
	// compact, and changes nothing else.
	Parameters wire.JSON
	// Approval says who must agree before a call is carried out; empty means wire.ApprovalUser.
	Approval string
	// Idempotent tells that carrying it out twice does no harm.
	Idempotent bool
	// Timeout is for one attempt, of a page since its claim was last renewed; 0 is
	// DefaultTimeout or PageTimeout.
	Timeout time.Duration
}

// Digest is the SHA-256, in hex, of all that makes the tool what it is: all fields but the
// timeout. Each is written behind its length, so that no two definitions read alike.
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
