package toolcall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// Conflict refuses a request because of the current state of a call.
type Conflict struct {
	Reason string
	// Fields names fields that are wrong in any state of the call; often none.
	Fields []string
	// Call is the call in its current state.
	Call wire.ToolCall
}

// Error returns the reason.
func (c *Conflict) Error() string { return c.Reason }

// Unwrap returns the error that the caller gets together with the call.
func (c *Conflict) Unwrap() error {
	return &fault.Error{Code: wire.CodeConflict, Message: c.Reason, Fields: c.Fields}
}

// maxReason is how many characters a reason and an error have at most.
const maxReason = 1000

// errNoCall says that the call does not exist for this caller.
var errNoCall = fault.NotFound("Call", "call_id")

// standing is the relation of a caller to a call.
type standing struct {
	user  bool // the user who owns the chat
	admin bool // an administrator of the agent
	key   bool // an API key that acts for no user
}

// standingOf returns the relation of a caller to a call: none if the caller may not use the
// agent. In a chat without a user, an API key that acts for no user counts as the chat's user.
func standingOf(caller access.Caller, call Call) standing {
	if !caller.MayUse(call.AgentID) {
		return standing{}
	}
	return standing{user: caller.UserID == call.Owner, admin: caller.Admin, key: caller.UserID == ""}
}

func (is standing) sees(approval string) bool {
	return is.user || is.key || is.admin && approval == wire.ApprovalAdmin
}

func (is standing) approves(approval string) bool {
	if approval == wire.ApprovalAdmin {
		return is.key || is.admin
	}
	return is.user
}

func (is standing) denies(approval string) bool { return is.user || is.approves(approval) }

// seenCall returns a call that the caller may see, in its current state.
func (s *Service) seenCall(ctx context.Context, caller access.Caller, callID string) (Call, standing, error) {
	call, err := s.config.Store.Call(ctx, caller.ProjectID, callID)
	is := standingOf(caller, call)
	if errors.Is(err, fault.ErrNotFound) || err == nil && !is.sees(call.Approval) {
		err = errNoCall
	}
	if err != nil {
		return Call{}, standing{}, err
	}
	call = call.AsOf(s.now())
	return call, is, s.hide(ctx, &call.ToolCall)
}

// Call returns a call with its whole result.
func (s *Service) Call(ctx context.Context, caller access.Caller, callID string) (wire.ToolCall, error) {
	call, _, err := s.seenCall(ctx, caller, callID)
	return call.ToolCall, err
}

// List returns the calls that the caller may see, newest first, and the Before of the next
// page, 0 for none.
func (s *Service) List(ctx context.Context, caller access.Caller, filter Filter) (calls []wire.ToolCall, next int64, err error) {
	filter.ProjectID, filter.UserID, filter.Administers, filter.Agents = caller.ProjectID, caller.UserID, caller.Admin, caller.Agents
	filter.Now = s.now()
	switch filter.Status {
	case "", wire.CallAwaiting, wire.CallApproved, wire.CallRunning, wire.CallDone, wire.CallFailed, wire.CallUnknown, wire.CallDenied, wire.CallExpired:
	default:
		return nil, 0, fault.Invalid("status", "status is unknown, want %s, %s or another status of a call", wire.CallAwaiting, wire.CallDone)
	}
	stored, next, err := s.config.Store.ListCalls(ctx, filter)
	calls = []wire.ToolCall{}
	for _, call := range stored {
		calls = append(calls, call.AsOf(filter.Now).Shown())
	}
	var all []*wire.ToolCall
	for i := range calls {
		all = append(all, &calls[i])
	}
	return calls, next, errors.Join(err, s.hide(ctx, all...))
}

// Decide approves or denies a call that waits: Action is wire.DecisionApprove or
// wire.DecisionDeny. If several decisions arrive, only one succeeds; the others get a
// *Conflict. A repeat of a request with its key gets the call.
func (s *Service) Decide(
	ctx context.Context, caller access.Caller, callID string, request wire.DecisionRequest, key once.Request,
) (call wire.ToolCall, replayed bool, err error) {
	if err := checkDecision(request); err != nil {
		return call, false, err
	}
	for {
		call, replayed, err = s.decidedBefore(ctx, caller, key)
		if err != nil || replayed {
			return call, replayed, err
		}
		call, err = s.tryDecide(ctx, caller, callID, request, key)
		var conflict *Conflict
		if errors.As(err, &conflict) {
			return s.decidedMeanwhile(ctx, caller, key, err)
		}
		if !errors.Is(err, ErrStale) && !errors.Is(err, once.ErrTaken) {
			return call, false, err
		}
	}
}

// decidedMeanwhile finds the call that a request with this key has decided since the key was looked for,
// or returns the refusal. The key is stored together with the decision that caused the refusal.
func (s *Service) decidedMeanwhile(ctx context.Context, caller access.Caller, key once.Request, refusal error) (wire.ToolCall, bool, error) {
	call, replayed, err := s.decidedBefore(ctx, caller, key)
	if err == nil && !replayed {
		err = refusal
	}
	return call, replayed, err
}

func checkDecision(request wire.DecisionRequest) error {
	switch {
	case request.Action != wire.DecisionApprove && request.Action != wire.DecisionDeny:
		return fault.Invalid("action", "action is unknown, want %s or %s", wire.DecisionApprove, wire.DecisionDeny)
	case request.Arguments != nil && request.Action == wire.DecisionDeny:
		return fault.Invalid("arguments", "arguments only go with an approval; leave them out of a denial")
	}
	return checkReason("reason", request.Reason)
}

func checkReason(field, text string) error {
	if count := utf8.RuneCountInString(text); count > maxReason {
		return fault.Invalid(field, "%s has %d characters, want at most %d", field, count, maxReason)
	}
	return nil
}

// unicodeOf replaces invalid Unicode in a text by U+FFFD.
func unicodeOf(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// decidedBefore finds the call that an earlier request with this key has decided.
func (s *Service) decidedBefore(ctx context.Context, caller access.Caller, key once.Request) (wire.ToolCall, bool, error) {
	used, found, err := key.Find(ctx, s.config.Store, caller.ProjectID, caller.UserID, s.now())
	if err != nil || !found {
		return wire.ToolCall{}, false, err
	}
	call, err := s.Call(ctx, caller, used.Subject)
	return call, err == nil, err
}

func (s *Service) tryDecide(
	ctx context.Context, caller access.Caller, callID string, request wire.DecisionRequest, key once.Request,
) (wire.ToolCall, error) {
	call, is, err := s.seenCall(ctx, caller, callID)
	if err != nil {
		return wire.ToolCall{}, err
	}
	if request.Action == wire.DecisionApprove && !is.approves(call.Approval) || !is.denies(call.Approval) {
		return wire.ToolCall{}, mayNot(request.Action, call)
	}
	if call.Status != wire.CallAwaiting {
		return wire.ToolCall{}, conflict(call, "The call is decided already: it is %s", call.Status)
	}
	one, err := s.toolNow(ctx, call)
	switch {
	case err == nil && one == nil:
		return wire.ToolCall{}, s.isChanged(ctx, &call)
	case request.Action == wire.DecisionDeny: // a denial works even before the tool's server has listed its tools
		call.Deny(caller.UserID, unicodeOf(request.Reason), s.now())
	case err != nil:
		return wire.ToolCall{}, err
	default:
		if err := s.approveWith(caller, &call, one, request); err != nil {
			return wire.ToolCall{}, err
		}
	}
	err = s.config.Store.SetCall(ctx, call, key.Use(caller.ProjectID, caller.UserID, callID, s.now()))
	if err == nil {
		s.isSet(call)
	}
	return call.ToolCall, orNoCall(err)
}

func mayNot(action string, call Call) error {
	return &fault.Error{
		Code: wire.CodePermissionDenied, Message: fmt.Sprintf("This caller may not %s a call whose approval is %s", action, call.Approval),
	}
}

func conflict(call Call, format string, args ...any) error {
	return &Conflict{Reason: fmt.Sprintf(format, args...), Call: call.Shown()}
}

func orNoCall(err error) error {
	if errors.Is(err, fault.ErrNotFound) {
		return errNoCall
	}
	return err
}

// approveWith approves a call, with the arguments of the request if it has some.
func (s *Service) approveWith(caller access.Caller, call *Call, one *tool.Tool, request wire.DecisionRequest) error {
	if request.Arguments != nil && *request.Arguments != call.Arguments {
		if err := one.Check(*request.Arguments); err != nil {
			return err
		}
		call.Arguments, call.Edited = *request.Arguments, true
	}
	call.Approve(caller.UserID, s.now(), s.config.Lifetime)
	call.Reason = unicodeOf(request.Reason)
	return nil
}

// toolNow returns the current tool of a call that waits; see toolOf.
func (s *Service) toolNow(ctx context.Context, call Call) (*tool.Tool, error) {
	if call.Operator {
		return s.toolOf(call, nil)
	}
	pageTools, err := s.config.PageTools(ctx, call.StreamID)
	if errors.Is(err, fault.ErrNotFound) {
		err = ErrStale // meanwhile its answer was stopped or deleted
	}
	if err != nil {
		return nil, err
	}
	return s.toolOf(call, pageTools)
}

// isChanged fails a call because the definition of its tool has changed, and returns the
// conflict.
func (s *Service) isChanged(ctx context.Context, call *Call) error {
	call.change(s.now())
	if err := s.set(ctx, call); err != nil {
		return orNoCall(err)
	}
	return conflict(*call, "The tool is defined differently by now: the call can no longer be carried out")
}
