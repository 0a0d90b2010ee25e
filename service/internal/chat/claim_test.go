package chat_test

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// A page's tool in the form of a send and of a claim.
const (
	paint      = `{"description":"Paints","parameters":` + schema + `,"approval":"never","timeout":60}`
	otherPaint = `{"description":"Paints all","parameters":` + schema + `,"approval":"never","timeout":60}`
	repaint    = `{"description":"Paints","parameters":` + schema + `,"approval":"never","timeout":60,"idempotent":true}`
)

func pageOffer(definition string) chat.Offer {
	return chat.Offer{Calls: true, PageTools: wire.JSON(`{"paint":` + definition + `}`)}
}

var (
	oneClaim   = strings.Repeat("1", 32)
	otherClaim = strings.Repeat("2", 32)
)

// painting is a service whose answer waits for the page to paint.
func painting(t *testing.T, definition string) (*service, wire.SendMessageResponse, string) {
	t.Helper()
	model := &rounds{say: [][]answering.Piece{{calls("paint", `{"n":1}`)}, {{Text: "Painted."}}}}
	s := start(t, model.script())
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: pageOffer(definition)})
	call := response.Message.ToolCalls[0]
	require.Equal(t, []string{wire.CallApproved, wire.ToolPage}, []string{call.Status, call.Kind})
	return s, response, call.ID
}

func (s *service) claim(callID, claim, definition string) error {
	_, err := s.Calls().Claim(s.t.Context(), ann, callID, wire.ClaimRequest{Claim: claim, Definition: wire.JSON(definition)})
	return err
}

func (s *service) result(callID, claim, result string) error {
	_, err := s.Calls().Result(s.t.Context(), ann, callID, wire.ResultRequest{Claim: claim, Result: &result})
	return err
}

func (s *service) status(callID string) string {
	s.t.Helper()
	call, err := s.Calls().Call(s.t.Context(), ann, callID)
	require.NoError(s.t, err)
	return call.Status
}

// settle does everything that is due.
func (s *service) settle() {
	s.t.Helper()
	for range 3 {
		require.NoError(s.t, s.Attend(s.t.Context()))
	}
}

func TestAPageCarriesItsToolOut(t *testing.T) {
	t.Parallel()
	s, response, callID := painting(t, paint)
	requireError(t, s.result(callID, oneClaim, "x"), wire.CodeConflict)
	requireError(t, s.claim(callID, "short", paint), wire.CodeValidation, "claim")
	requireError(t, s.claim(callID, oneClaim, otherPaint), wire.CodeConflict, "definition")
	requireError(t, s.claim(callID, oneClaim, `{"x":1}`), wire.CodeValidation, "definition")
	require.Equal(t, wire.CallApproved, s.status(callID), "it stays as it was")
	require.NoError(t, s.claim(callID, oneClaim, paint))
	require.NoError(t, s.claim(callID, oneClaim, paint), "it renews")
	requireError(t, s.claim(callID, otherClaim, paint), wire.CodeConflict)
	requireError(t, s.result(callID, otherClaim, "x"), wire.CodeConflict)
	require.NoError(t, s.result(callID, oneClaim, "red"))
	require.NoError(t, s.result(callID, oneClaim, "red"), "the same again")
	requireError(t, s.result(callID, oneClaim, "blue"), wire.CodeConflict)
	s.settle()
	whole := s.whole(response.StreamID)
	require.Equal(t, "Painted.", whole.Message.Content)
	require.Equal(t, "red", whole.Message.ToolCalls[0].Result)
	text, err := s.store.Call(t.Context(), "project", callID)
	require.NoError(t, err)
	require.NotContains(t, text.Claim, oneClaim, "only its digest is stored")
}

func TestAPageSaysThatItsToolFailed(t *testing.T) {
	t.Parallel()
	s, response, callID := painting(t, paint)
	require.NoError(t, s.claim(callID, oneClaim, paint))
	failed := "no colour"
	_, err := s.Calls().Result(t.Context(), ann, callID, wire.ResultRequest{Claim: oneClaim, Error: &failed})
	require.NoError(t, err)
	s.settle()
	call := s.whole(response.StreamID).Message.ToolCalls[0]
	require.Equal(t, []string{wire.CallFailed, failed}, []string{call.Status, call.Error})
}

func TestResultsHaveASizeLimit(t *testing.T) {
	t.Parallel()
	s, _, callID := painting(t, paint)
	require.NoError(t, s.claim(callID, oneClaim, paint))
	requireError(t, s.result(callID, oneClaim, strings.Repeat("x", toolcall.MaxResult+1)), wire.CodePayloadTooLarge, "result")
	text := strings.Repeat("x", 1001)
	_, err := s.Calls().Result(t.Context(), ann, callID, wire.ResultRequest{Claim: oneClaim, Error: &text})
	requireError(t, err, wire.CodeValidation, "error")
	_, err = s.Calls().Result(t.Context(), ann, callID, wire.ResultRequest{Claim: oneClaim})
	requireError(t, err, wire.CodeValidation, "result", "error")
	require.NoError(t, s.result(callID, oneClaim, strings.Repeat("x", toolcall.MaxResult)))
}

// The SDK cuts a result that is too long, and says so.
func TestAResultThatThePageHasCut(t *testing.T) {
	t.Parallel()
	s, _, callID := painting(t, paint)
	require.NoError(t, s.claim(callID, oneClaim, paint))
	text := "the beginning"
	call, err := s.Calls().Result(t.Context(), ann, callID, wire.ResultRequest{Claim: oneClaim, Result: &text, Truncated: true})
	require.NoError(t, err)
	require.True(t, call.Truncated)
	require.Equal(t, text, call.Result)
}

// If many pages try at once, one runs the call.
func TestOnlyOneOfManyPagesClaims(t *testing.T) {
	t.Parallel()
	s, _, callID := painting(t, repaint)
	var held atomic.Int64
	var pages sync.WaitGroup
	for i := range 8 {
		pages.Go(func() {
			if s.claim(callID, strings.Repeat(string(rune('a'+i)), 32), repaint) == nil {
				held.Add(1)
			}
		})
	}
	pages.Wait()
	require.EqualValues(t, 1, held.Load())
}

func TestAClaimEnds(t *testing.T) {
	t.Parallel()
	s, response, callID := painting(t, paint)
	require.NoError(t, s.claim(callID, oneClaim, paint))
	s.clock.pass(59 * time.Second)
	require.NoError(t, s.claim(callID, oneClaim, paint))
	s.clock.pass(60 * time.Second)
	require.Equal(t, wire.CallUnknown, s.status(callID))
	requireError(t, s.result(callID, oneClaim, "late"), wire.CodeConflict)
	requireError(t, s.claim(callID, oneClaim, paint), wire.CodeConflict)
	s.settle()
	require.Equal(t, wire.CallUnknown, s.whole(response.StreamID).Message.ToolCalls[0].Status)
}

func TestAClaimEndsHoweverOftenItIsRenewed(t *testing.T) {
	t.Parallel()
	s, _, callID := painting(t, paint)
	for range 11 {
		require.NoError(t, s.claim(callID, oneClaim, paint))
		s.clock.pass(59 * time.Second)
	}
	requireError(t, s.claim(callID, oneClaim, paint), wire.CodeConflict)
}

func TestAnIdempotentToolOfAPageIsTriedAgain(t *testing.T) {
	t.Parallel()
	s, _, callID := painting(t, repaint)
	for try, claim := range []string{oneClaim, otherClaim, strings.Repeat("3", 32)} {
		require.Equal(t, wire.CallApproved, s.status(callID), "try %d", try)
		require.NoError(t, s.claim(callID, claim, repaint))
		s.clock.pass(time.Minute)
		if try%2 == 0 {
			s.settle()
		}
	}
	require.Equal(t, wire.CallUnknown, s.status(callID))
	requireError(t, s.claim(callID, oneClaim, repaint), wire.CodeConflict)
}

func TestNoPageCarriesItOut(t *testing.T) {
	t.Parallel()
	s, response, callID := painting(t, paint)
	s.clock.pass(24 * time.Hour)
	require.Equal(t, wire.CallExpired, s.status(callID))
	requireError(t, s.claim(callID, oneClaim, paint), wire.CodeConflict)
	s.settle()
	require.Equal(t, wire.CallExpired, s.whole(response.StreamID).Message.ToolCalls[0].Status)
}

func TestWhoMayCarryOut(t *testing.T) {
	t.Parallel()
	s, _, callID := painting(t, paint)
	for _, test := range []struct {
		caller access.Caller
		code   string
	}{{admin, wire.CodePermissionDenied}, {bob, wire.CodeNotFound}, {administrator, wire.CodeNotFound}, {alien, wire.CodeNotFound}} {
		_, err := s.Calls().Claim(t.Context(), test.caller, callID, wire.ClaimRequest{Claim: oneClaim, Definition: wire.JSON(paint)})
		require.ErrorContains(t, err, test.code)
		result := "forged"
		_, err = s.Calls().Result(t.Context(), test.caller, callID, wire.ResultRequest{Claim: oneClaim, Result: &result})
		require.ErrorContains(t, err, test.code)
	}
	require.NoError(t, s.claim(callID, oneClaim, paint))
}

// In a chat without a user, an API key without a user counts as the user.
func TestAnAPIKeyIsTheUserOfAChatWithoutOne(t *testing.T) {
	t.Parallel()
	model := &rounds{say: [][]answering.Piece{{calls("paint", `{"n":1}`)}, {{Text: "Painted."}}}}
	s := start(t, model.script())
	definition := strings.Replace(paint, `"never"`, `"user"`, 1)
	call := s.waits(admin, chat.Send{Message: "Hi", Offer: pageOffer(definition)}).Message.ToolCalls[0]
	_, _, err := s.Calls().Decide(t.Context(), ann, call.ID, approve, once.Request{})
	requireError(t, err, wire.CodeNotFound, "call_id")
	s.decide(admin, call.ID, approve)
	_, err = s.Calls().Claim(t.Context(), admin, call.ID, wire.ClaimRequest{Claim: oneClaim, Definition: wire.JSON(definition)})
	require.NoError(t, err)
}

// A claim that does not fit is refused by its digest alone, whatever its schema would cost.
func TestAClaimWithAnotherSchemaCostsNothing(t *testing.T) {
	s, _, callID := painting(t, paint)
	wide := `{"description":"x","parameters":{"type":"object","allOf":[{}` + strings.Repeat(`,{}`, 3900) + `]}}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	requireError(t, s.claim(callID, oneClaim, wide), wire.CodeConflict, "definition")
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "compiling it takes 28 MB")
	require.Equal(t, wire.CallApproved, s.status(callID))
}
