// Package tool knows which tools an agent has and who carries their calls out: an address of the
// operator (http), an MCP server (mcp), or the page (page). It keeps no calls and asks no model.
// Begin with Set.Offer. A Tool checks arguments and carries a call out.
//
// What tools say is data, never an instruction. Errors and logs of this package contain neither
// the arguments of a call nor a secret.
package tool

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

const (
	// DefaultTimeout is the timeout of a tool that sets none, PageTimeout that of a page's tool.
	DefaultTimeout = time.Minute
	PageTimeout    = 3 * time.Minute
	// MaxTimeout is the longest timeout.
	MaxTimeout = time.Hour

	// ResultBytes is how many bytes of a result are kept.
	ResultBytes = 256 << 10
	// ErrorCharacters is how many characters an error of a call may have.
	ErrorCharacters = 1000

	descriptionBytes = 8 << 10
	longestName      = 64
)

// Call is a call to carry out.
type Call struct {
	// ID is the same in each attempt, so that a tool can recognise a repeated call.
	ID string
	// UserID is the user who owns the chat, empty for none.
	UserID, ChatID string
	// Arguments are a JSON object that Tool.Check has accepted.
	Arguments string
}

// Outcome is the result of one attempt.
type Outcome struct {
	// Status is wire.CallDone, wire.CallFailed (it was refused before it was sent, or a complete
	// answer refused it) or wire.CallUnknown (anything else).
	Status string
	Result string
	// Images are what Result names as images that come with it.
	Images []images.File
	// Truncated reports whether Result is only the beginning of the tool's output.
	Truncated bool
	// Error says what failed, in at most ErrorCharacters.
	Error string
}

// Carrier carries calls out, each once. It is safe for concurrent use.
type Carrier interface {
	// Carry makes one attempt, until ctx ends. It reads little more than ResultBytes.
	Carry(ctx context.Context, call Call) Outcome
}

// Tool is a checked tool. It is safe for concurrent use, and never changes.
type Tool struct {
	Definition
	schema  compiled
	carrier Carrier
	digest  string
	// declared reports whether the operator defined it.
	declared bool
}

var names = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// New checks a definition of the operator, and fills in its defaults. An error is a *fault.Error that
// names the tool and, in Fields, the wrong field. The carrier of a page's tool is nil.
func New(d Definition, carrier Carrier) (*Tool, error) { return d.tool(carrier, operator) }

func (d Definition) tool(carrier Carrier, by author) (*Tool, error) {
	d, err := d.canonical()
	if err != nil {
		return nil, err
	}
	schema, err := compile(d.Parameters, d.Kind, by)
	if err != nil {
		return nil, d.invalid("parameters", "%v", err)
	}
	return &Tool{Definition: d, schema: schema, carrier: carrier, digest: d.Digest()}, nil
}

// canonical checks all but what the schema says, and returns the definition with its defaults and
// without white space, whose digest is that of the tool.
func (d Definition) canonical() (Definition, error) {
	d = d.withDefaults()
	if err := d.check(); err != nil {
		return d, err
	}
	parameters, err := canonical(d.Parameters)
	if err != nil {
		return d, d.invalid("parameters", "%v", err)
	}
	d.Parameters = parameters
	return d, nil
}

// Digest is the digest of the definition.
func (t *Tool) Digest() string { return t.digest }

// Schema returns the schema that arguments are checked against: the parameters without what is not checked.
func (t *Tool) Schema() wire.JSON {
	if t.schema.checked != nil {
		return t.schema.checked
	}
	return t.Parameters
}

// Declared reports whether the operator defined the tool, in AGENTS or by naming its server.
func (t *Tool) Declared() bool { return t.declared }

// Carry makes one attempt at a call. It blocks at most for the tool's timeout.
func (t *Tool) Carry(ctx context.Context, call Call) (out Outcome) {
	if t.carrier == nil {
		return Outcome{Status: wire.CallFailed, Error: "the page carries this tool out, not the service"}
	}
	defer func() {
		if p := recover(); p != nil {
			out = Outcome{Status: wire.CallUnknown, Error: "the service failed while it carried the call out"}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	return t.carrier.Carry(ctx, call).bounded()
}

func (o Outcome) bounded() Outcome {
	var cut bool
	o.Result, cut = cutBytes(o.Result, ResultBytes)
	o.Truncated = o.Truncated || cut
	o.Error = fault.Shorten(o.Error, ErrorCharacters)
	if !slices.Contains([]string{wire.CallDone, wire.CallFailed, wire.CallUnknown}, o.Status) {
		o.Status = wire.CallUnknown
	}
	return o
}

func (d Definition) withDefaults() Definition {
	if d.Approval == "" {
		d.Approval = wire.ApprovalUser
	}
	if d.Timeout == 0 {
		d.Timeout = DefaultTimeout
		if d.Kind == wire.ToolPage {
			d.Timeout = PageTimeout
		}
	}
	return d
}

// check finds what is wrong, apart from the schema.
func (d Definition) check() error {
	switch {
	case !names.MatchString(d.Name):
		return d.invalid("name", "want 1 to 64 of the characters a-z A-Z 0-9 _ -")
	case !slices.Contains([]string{wire.ToolHTTP, wire.ToolMCP, wire.ToolPage}, d.Kind):
		return d.invalid("kind", "want %s, %s or %s", wire.ToolHTTP, wire.ToolMCP, wire.ToolPage)
	case d.Description == "" && d.Kind != wire.ToolMCP:
		return d.invalid("description", "missing; say what the tool does, for the model and for the person who approves")
	case len(d.Description) > descriptionBytes:
		return d.invalid("description", "%d bytes, want at most %d", len(d.Description), descriptionBytes)
	}
	if field, err := (Traits{Approval: d.Approval, Timeout: d.Timeout}).check(); err != nil {
		return d.invalid(field, "%v", err)
	}
	return nil
}

// invalid refuses a field of the definition.
func (d Definition) invalid(field, format string, args ...any) *fault.Error {
	return fault.Invalid(field, "tool %q: %s: %s", fault.Shorten(d.Name, 64), field, fmt.Sprintf(format, args...))
}
