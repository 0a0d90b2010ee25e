package chat

import (
	"time"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// Call is a call of a tool as it is stored. Its Result is whole.
type Call struct {
	wire.ToolCall
	ProjectID string `json:"-"`
	// Owner is the user whom the chat belongs to, empty for none.
	Owner string `json:"-"`
	// Version counts the changes of the call: a change holds where it is still that of the
	// Store.
	Version int64 `json:"-"`
	// Over tells that the answer has ended.
	Over bool `json:"-"`

	// Operator tells that the tool is one of AGENTS.
	Operator   bool `json:"operator,omitempty"`
	Idempotent bool `json:"idempotent,omitempty"`
	// Timeout is the tool's timeout in seconds.
	Timeout float64 `json:"timeout"`
	// Attempts is how often it was begun to be carried out.
	Attempts int `json:"attempts,omitempty"`
	// Claim names the attempt: of a page it is the digest of its claim.
	Claim string `json:"claim,omitempty"`
	// ClaimedAt is when the attempt began, and RenewedAt when the page that makes it was heard
	// of last.
	ClaimedAt float64 `json:"claimed_at,omitempty"`
	RenewedAt float64 `json:"renewed_at,omitempty"`
}

// DefaultApprovalLifetime is how long a call waits for a decision.
const DefaultApprovalLifetime = 24 * time.Hour

const (
	// maxAttempts is how often an idempotent call is tried.
	maxAttempts = 3
	// maxClaim is how long a page may carry one out, however often it renews its claim.
	maxClaim = 10 * time.Minute
	// forgotten is how long after its timeout an attempt of the service is given up of which
	// nothing is stored: whoever made it has lost it.
	forgotten = time.Minute
	// ShownResult is what streams and histories have of a result, in bytes.
	ShownResult = 4 << 10
)

// IsSettled tells that nothing more becomes of a call with a status.
func IsSettled(status string) bool {
	switch status {
	case wire.CallAwaiting, wire.CallApproved, wire.CallRunning:
		return false
	}
	return true
}

// IsSettled tells that nothing more becomes of it.
func (c Call) IsSettled() bool { return IsSettled(c.Status) }

// Due is when something is to be done about the call if nothing happens before, in seconds
// since the Unix epoch: 0 is at once. A call that is settled is never due.
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

// AsOf is the call as it is at a time: that it has expired, or that its claim has ended, is a
// fact of the clock, whether or not the Store knows.
func (c Call) AsOf(now float64) Call {
	due, ever := c.Due()
	switch {
	case c.Over && c.Status != wire.CallRunning:
		c.stop(now)
	case !ever || due > now:
	case c.Status == wire.CallAwaiting, c.Status == wire.CallApproved && c.Kind == wire.ToolPage:
		c.cancel(wire.CallExpired, due)
	case c.Status == wire.CallRunning && c.Kind == wire.ToolPage:
		c.lose(due)
		return c.AsOf(now) // it may have expired since
	}
	return c
}

// Shown is the call as streams and histories have it.
func (c Call) Shown() wire.ToolCall {
	shown := c.ToolCall
	if len(shown.Result) > ShownResult {
		shown.Result, shown.Truncated = cut(shown.Result, ShownResult), true
	}
	return shown
}

// cut is the beginning of a text, of at most so many bytes, in whole code points.
func cut(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for bytes > 0 && !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes]
}

// CallEvent tells readers of a stream how a call stands.
func CallEvent(c Call) Event { return eventOf(wire.EventToolCall, c.Shown()) }

// approve has the call carried out, with the arguments that it has by now.
func (c *Call) approve(by string, now float64, lifetime time.Duration) {
	c.Status, c.DecidedAt, c.DecidedBy, c.ExpiresAt = wire.CallApproved, now, by, 0
	if c.Kind == wire.ToolPage {
		c.ExpiresAt = now + lifetime.Seconds()
	}
}

// deny settles a call that waits.
func (c *Call) deny(by, reason string, now float64) {
	c.cancel(wire.CallDenied, now)
	c.DecidedAt, c.DecidedBy, c.Reason = now, by, reason
}

// cancel settles a call that waits or is approved. Nobody knows what became of one that was
// attempted.
func (c *Call) cancel(status string, now float64) {
	if c.Attempts > 0 {
		status = wire.CallUnknown
	}
	c.Status, c.FinishedAt = status, now
}

// change settles a call whose tool is defined differently by now.
func (c *Call) change(now float64) {
	c.fail(wire.ErrorToolChanged, now)
}

// giveUp settles a call whose tool could not be reached for too long.
func (c *Call) giveUp(now float64) {
	c.fail("the tool's server could not be reached, and nothing was sent", now)
}

// fail settles a call that is approved, or waits, and can't be carried out.
func (c *Call) fail(why string, now float64) {
	if c.cancel(wire.CallFailed, now); c.Status == wire.CallFailed {
		c.Error = why
	}
}

// stop settles a call of an answer that is stopped, unless it is being carried out.
func (c *Call) stop(now float64) {
	switch {
	case c.Status == wire.CallRunning || c.IsSettled():
	case c.Attempts > 0:
		c.cancel(wire.CallUnknown, now)
	default:
		c.deny("", wire.ReasonStopped, now)
	}
}

// begin begins an attempt. A page does it with the digest of its claim.
func (c *Call) begin(claim string, now float64) {
	c.Status, c.Claim, c.ClaimedAt, c.RenewedAt = wire.CallRunning, claim, now, now
	c.Attempts++
}

// finish ends an attempt with what came of it.
func (c *Call) finish(outcome tool.Outcome, now float64) {
	if outcome.Status == wire.CallUnknown {
		c.lose(now)
		if c.Status == wire.CallUnknown {
			c.Error = outcome.Error
		}
		return
	}
	c.Status, c.FinishedAt, c.Error = outcome.Status, now, outcome.Error
	c.Result, c.ResultSize, c.Truncated = outcome.Result, len(outcome.Result), outcome.Truncated
}

// lose ends an attempt of which no whole answer came. An idempotent call is tried again.
func (c *Call) lose(now float64) {
	if c.Idempotent && c.Attempts < maxAttempts && !c.Over {
		c.Status, c.Claim = wire.CallApproved, ""
		return
	}
	c.Status, c.FinishedAt = wire.CallUnknown, now
}
