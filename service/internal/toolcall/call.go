// Package toolcall is the life of tool calls. Call is a pure machine: its methods say what an event makes of a
// call at a time, without a clock or a store. Service shows, decides, claims and carries calls out.
//
// A call is carried out under the slots of its user, its tool and its server. Package chat makes calls of what
// a model wants, and continues the answers that wait for them.
package toolcall

import (
	"time"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// Call is a tool call as it is stored, with its whole Result.
type Call struct {
	wire.ToolCall
	ProjectID string `json:"-"`
	// Owner is the user who owns the chat, empty for none.
	Owner string `json:"-"`
	// Version counts the changes of the call: a change is only stored if the Store still has this
	// version.
	Version int64 `json:"-"`
	// Over reports whether the answer has ended.
	Over bool `json:"-"`

	// Operator reports whether the tool is configured in AGENTS.
	Operator   bool `json:"operator,omitempty"`
	Idempotent bool `json:"idempotent,omitempty"`
	// Timeout is the tool's timeout in seconds.
	Timeout float64 `json:"timeout"`
	// Attempts is how many attempts to carry it out have begun.
	Attempts int `json:"attempts,omitempty"`
	// Claim names the attempt. For a page it is the digest of the page's claim.
	Claim string `json:"claim,omitempty"`
	// ClaimedAt is when the attempt began, and RenewedAt when the page last renewed its claim.
	ClaimedAt float64 `json:"claimed_at,omitempty"`
	RenewedAt float64 `json:"renewed_at,omitempty"`
	// Images are the ids of the images that the tool gave.
	Images []string `json:"images,omitempty"`
}

// Bytes returns about how many bytes it takes in memory.
func (c Call) Bytes() int64 {
	return int64(2<<10 + len(c.Arguments) + len(c.ModelArguments) + len(c.Result) + len(c.Reason) + len(c.Error))
}

// DefaultApprovalLifetime is how long a call waits for a decision.
const DefaultApprovalLifetime = 24 * time.Hour

const (
	// maxAttempts is how often an idempotent call is tried.
	maxAttempts = 3
	// maxClaim is how long a page may take to carry out a call, however often it renews its
	// claim.
	maxClaim = 10 * time.Minute
	// forgotten is how long after its timeout an attempt of the service counts as lost if no
	// result is stored: the process that made it has probably ended.
	forgotten = time.Minute
	// ShownResult is how many bytes of a result streams and histories show.
	ShownResult = 4 << 10
)

// IsSettled reports whether a status is final.
func IsSettled(status string) bool {
	switch status {
	case wire.CallAwaiting, wire.CallApproved, wire.CallRunning:
		return false
	}
	return true
}

// IsSettled reports whether the status of the call is final.
func (c Call) IsSettled() bool { return IsSettled(c.Status) }

// Due returns when something must be done about the call if nothing happens first, in seconds
// since the Unix epoch; 0 means at once. A settled call is never due.
func (c Call) Due() (at float64, ever bool) {
	switch {
	case c.IsSettled():
		return 0, false
	case c.Status == wire.CallRunning && c.Kind == wire.ToolPage:
		return min(c.RenewedAt+c.Timeout, c.ClaimedAt+maxClaim.Seconds()), true
	case c.Status == wire.CallRunning:
		return c.ClaimedAt + c.Timeout + forgotten.Seconds(), true
	case c.Status == wire.CallApproved && c.Kind != wire.ToolPage:
		return 0, true
	}
	return c.ExpiresAt, true
}

// AsOf returns the call as it is at a time. Only the clock decides whether a call has expired or
// a claim has ended, even if the Store doesn't have the change yet.
func (c Call) AsOf(now float64) Call {
	due, ever := c.Due()
	switch {
	case c.Over && c.Status != wire.CallRunning:
		c.Stop(now)
	case !ever || due > now:
	case c.Status == wire.CallAwaiting, c.Status == wire.CallApproved && c.Kind == wire.ToolPage:
		c.cancel(wire.CallExpired, due)
	case c.Status == wire.CallRunning && c.Kind == wire.ToolPage:
		c.lose(due)
		return c.AsOf(now) // the approved call may have expired too
	}
	return c
}

// Shown returns the call as streams and histories have it.
func (c Call) Shown() wire.ToolCall {
	shown := c.ToolCall
	if len(shown.Result) > ShownResult {
		shown.Result, shown.Truncated = Cut(shown.Result, ShownResult), true
	}
	return shown
}

// Cut shortens a text to at most this many bytes, without cutting a code point.
func Cut(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for bytes > 0 && !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes]
}

// EventOf returns the event that tells readers of a stream the state of a call.
func EventOf(c Call) stream.Event {
	c.Hidden = false // it may change without an event
	return stream.EventOf(wire.EventToolCall, c.Shown())
}

// EventsOf returns the events that tell readers of a stream what a change has made of a call: its images come when it is
// settled.
func EventsOf(c Call) []stream.Event {
	events := []stream.Event{EventOf(c)}
	if c.IsSettled() && len(c.Images) > 0 {
		events = append(events, stream.Images(c.Images))
	}
	return events
}

// Approve approves the call with its current arguments.
func (c *Call) Approve(by string, now float64, lifetime time.Duration) {
	c.Status, c.DecidedAt, c.DecidedBy, c.ExpiresAt = wire.CallApproved, now, by, 0
	if c.Kind == wire.ToolPage {
		c.ExpiresAt = now + lifetime.Seconds()
	}
}

// Deny denies a call that waits.
func (c *Call) Deny(by, reason string, now float64) {
	c.cancel(wire.CallDenied, now)
	c.DecidedAt, c.DecidedBy, c.Reason = now, by, reason
}

// cancel settles a call that waits or is approved. If it was attempted, its outcome is unknown.
func (c *Call) cancel(status string, now float64) {
	if c.Attempts > 0 {
		status = wire.CallUnknown
	}
	c.Status, c.FinishedAt = status, now
}

// change fails a call because the definition of its tool has changed.
func (c *Call) change(now float64) {
	c.fail(wire.ErrorToolChanged, now)
}

// giveUp fails a call whose tool could not be reached for too long.
func (c *Call) giveUp(now float64) {
	c.fail("the tool's server could not be reached, and nothing was sent", now)
}

// fail fails a call that waits or is approved and can't be carried out.
func (c *Call) fail(why string, now float64) {
	if c.cancel(wire.CallFailed, now); c.Status == wire.CallFailed {
		c.Error = why
	}
}

// Stop settles a call because its answer was stopped, unless the call is being carried out.
func (c *Call) Stop(now float64) {
	switch {
	case c.Status == wire.CallRunning || c.IsSettled():
	case c.Attempts > 0:
		c.cancel(wire.CallUnknown, now)
	default:
		c.Deny("", wire.ReasonStopped, now)
	}
}

// begin begins an attempt. For a page, claim is the digest of the page's claim.
func (c *Call) begin(claim string, now float64) {
	c.Status, c.Claim, c.ClaimedAt, c.RenewedAt = wire.CallRunning, claim, now, now
	c.Attempts++
}

// finish ends an attempt with its outcome.
func (c *Call) finish(outcome tool.Outcome, now float64) {
	if outcome.Status == wire.CallUnknown {
		c.lose(now)
		if c.Status == wire.CallUnknown {
			c.Error = outcome.Error
		}
		return
	}
	c.Status, c.FinishedAt, c.Error = outcome.Status, now, outcome.Error
	c.Images = images.IDs(outcome.Images)
	c.Result, c.ResultSize, c.Truncated = outcome.Result, len(outcome.Result), outcome.Truncated
}

// lose ends an attempt without a complete outcome. An idempotent call is tried again.
func (c *Call) lose(now float64) {
	if c.Idempotent && c.Attempts < maxAttempts && !c.Over {
		c.Status, c.Claim = wire.CallApproved, ""
		return
	}
	c.Status, c.FinishedAt = wire.CallUnknown, now
}
