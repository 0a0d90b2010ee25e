package toolcall

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// MaxResult is the largest size of a result, in bytes.
const MaxResult = 256 << 10

// claims match 128 random bits or more in hex, base64 or base32.
var claims = regexp.MustCompile(`^[A-Za-z0-9_=+/-]{22,128}$`)

// digestOfClaim returns what is stored for a claim. A reader of the database can't use it.
func digestOfClaim(claim string) (string, error) {
	if !claims.MatchString(claim) {
		return "", fault.Invalid("claim", "claim must be 128 random bits: 22 to 128 letters and digits")
	}
	sum := sha256.Sum256([]byte(claim))
	return hex.EncodeToString(sum[:]), nil
}

func (c Call) isClaimedBy(digest string) bool {
	return c.Claim != "" && subtle.ConstantTimeCompare([]byte(c.Claim), []byte(digest)) == 1
}

// pageCall returns a call to the page that carries it out.
func (s *Service) pageCall(ctx context.Context, caller access.Caller, callID string) (Call, error) {
	call, is, err := s.seenCall(ctx, caller, callID)
	switch {
	case err != nil:
		return Call{}, err
	case !is.user && is.key:
		return Call{}, mayNot("carry out", call)
	case !is.user:
		return Call{}, errNoCall
	case call.Kind != wire.ToolPage:
		return Call{}, conflict(call, "The call is not for a page: the service carries it out")
	}
	return call, nil
}

// Claim gives a page the right to carry out an approved call, or renews that right. If the page
// may not, the error is a *Conflict.
func (s *Service) Claim(ctx context.Context, caller access.Caller, callID string, request wire.ClaimRequest) (wire.ClaimResponse, error) {
	digest, err := digestOfClaim(request.Claim)
	if err != nil {
		return wire.ClaimResponse{}, err
	}
	var timeout float64
	claimed, err := s.again(func() (wire.ToolCall, error) {
		call, err := s.pageCall(ctx, caller, callID)
		if err != nil {
			return wire.ToolCall{}, err
		}
		switch {
		case call.Status == wire.CallRunning && call.isClaimedBy(digest):
			call.RenewedAt = s.now()
		case call.Status != wire.CallApproved:
			return wire.ToolCall{}, conflict(call, "The call is %s: it can't be claimed", call.Status)
		default:
			if err := s.checkClaim(ctx, &call, request); err != nil {
				return wire.ToolCall{}, err
			}
			call.begin(digest, s.now())
		}
		err = s.set(ctx, &call)
		timeout = call.Timeout
		return call.ToolCall, orNoCall(err)
	})
	return wire.ClaimResponse{Call: claimed, Timeout: timeout}, err
}

// again repeats try as long as somebody else changes the call at the same time.
func (s *Service) again(try func() (wire.ToolCall, error)) (call wire.ToolCall, err error) {
	for {
		if call, err = try(); !errors.Is(err, ErrStale) {
			return call, err
		}
	}
}

// checkClaim refuses a claim if the service or the page has changed the tool's definition.
func (s *Service) checkClaim(ctx context.Context, call *Call, request wire.ClaimRequest) error {
	if call.Operator {
		one, err := s.toolOf(*call, nil)
		if err == nil && one == nil {
			err = s.isChanged(ctx, call)
		}
		return err
	}
	digest, err := tool.PageDigest(call.Name, request.Definition)
	if err != nil {
		return fault.Invalid("definition", "definition: %s", fault.Of(err).Message)
	}
	if digest != call.Tool {
		return &Conflict{
			Reason: "The page defines the tool differently than when it was called", Fields: []string{"definition"}, Call: call.Shown(),
		}
	}
	return nil
}

// Result stores the outcome of a call that a page has claimed. Sending the same outcome again is
// not an error. If the claim has ended, or another page has the call, the error is a
// *Conflict.
func (s *Service) Result(ctx context.Context, caller access.Caller, callID string, request wire.ResultRequest) (wire.ToolCall, error) {
	digest, err := digestOfClaim(request.Claim)
	if err != nil {
		return wire.ToolCall{}, err
	}
	outcome, err := outcomeOf(request)
	if err != nil {
		return wire.ToolCall{}, err
	}
	return s.again(func() (wire.ToolCall, error) {
		call, err := s.pageCall(ctx, caller, callID)
		switch {
		case err != nil:
			return wire.ToolCall{}, err
		case !call.isClaimedBy(digest):
			return wire.ToolCall{}, conflict(call, "The call is not claimed with this claim")
		case call.Status == outcome.Status && call.Result == outcome.Result && call.Error == outcome.Error:
			return call.ToolCall, nil
		case call.Status != wire.CallRunning:
			return wire.ToolCall{}, conflict(call, "The call is %s: its result comes too late", call.Status)
		}
		call.finish(outcome, s.now())
		err = s.set(ctx, &call)
		return call.ToolCall, orNoCall(err)
	})
}

func outcomeOf(request wire.ResultRequest) (tool.Outcome, error) {
	switch {
	case (request.Result == nil) == (request.Error == nil):
		return tool.Outcome{}, &fault.Error{Code: wire.CodeValidation, Message: "Send either result or error, not both", Fields: []string{"result", "error"}}
	case request.Error != nil:
		return tool.Outcome{Status: wire.CallFailed, Error: unicodeOf(*request.Error)}, checkReason("error", *request.Error)
	case len(*request.Result) > MaxResult:
		return tool.Outcome{}, &fault.Error{
			Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("result has %d bytes, want at most %d", len(*request.Result), MaxResult),
			Fields: []string{"result"},
		}
	}
	return tool.Outcome{Status: wire.CallDone, Result: unicodeOf(*request.Result), Truncated: request.Truncated}, nil
}
