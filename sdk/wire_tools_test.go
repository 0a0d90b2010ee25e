package sdk_test

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// join joins groups of tests.
func join(groups ...map[reflect.Type]func(*testing.T)) map[reflect.Type]func(*testing.T) {
	all := map[reflect.Type]func(*testing.T){}
	for _, group := range groups {
		maps.Copy(all, group)
	}
	return all
}

// toolAnswers are answers for the responses about tool calls.
func toolAnswers() map[reflect.Type]func(*testing.T) {
	return map[reflect.Type]func(*testing.T){
		reflect.TypeFor[wire.ListToolCallsResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.ListToolCallsResponse, error) {
				return c.ListToolCalls(t.Context(), sdk.ListToolCallsOptions{})
			})
		},
		reflect.TypeFor[wire.ToolCall](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.ToolCall, error) { return c.GetToolCall(t.Context(), "t1") })
		},
		reflect.TypeFor[wire.ClaimResponse](): func(t *testing.T) {}, // TestAClaimIsRenewedWhileItsCallIsCarriedOut
		reflect.TypeFor[wire.ToolCallResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.ToolCallResponse, error) {
				return c.ApproveToolCall(t.Context(), "t1", sdk.ApproveToolCallOptions{})
			})
			agree(t, func(c *sdk.Client) (*wire.ToolCallResponse, error) {
				return c.DenyToolCall(t.Context(), "t1", "", sdk.DenyToolCallOptions{})
			})
		},
	}
}

// toolRequests are requests about tools and their calls.
func toolRequests() map[reflect.Type]func(*testing.T) {
	return map[reflect.Type]func(*testing.T){
		reflect.TypeFor[wire.DecisionRequest](): func(t *testing.T) {
			full := wire.DecisionRequest{Action: wire.DecisionApprove, Arguments: ptr(`{"a":"\"b"}`), Reason: "r"}
			agreeRequest(t, true, full, func(c *sdk.Client) {
				_, _ = c.ApproveToolCall(t.Context(), "t1", sdk.ApproveToolCallOptions{Arguments: wire.JSON(*full.Arguments), Reason: "r"})
			})
			agreeRequest(t, false, wire.DecisionRequest{Action: wire.DecisionApprove}, func(c *sdk.Client) {
				_, _ = c.ApproveToolCall(t.Context(), "t1", sdk.ApproveToolCallOptions{})
			})
			agreeRequest(t, false, wire.DecisionRequest{Action: wire.DecisionDeny, Reason: "no"}, func(c *sdk.Client) {
				_, _ = c.DenyToolCall(t.Context(), "t1", "no", sdk.DenyToolCallOptions{})
			})
			agreeRequest(t, false, wire.DecisionRequest{Action: wire.DecisionDeny}, func(c *sdk.Client) {
				_, _ = c.DenyToolCall(t.Context(), "t1", "", sdk.DenyToolCallOptions{})
			})
		},
		reflect.TypeFor[wire.PageTool](): func(t *testing.T) {
			full := sdk.Tool{
				Name: "look", Description: "D\"", Parameters: wire.JSON(`{"type":"object","properties":{"at":{"type":"string"}}}`),
				Approval: wire.ApprovalNever, Idempotent: true, Timeout: 2500e6, Run: runs(""),
			}
			for _, tool := range []sdk.Tool{full, {Name: "look", Description: "D", Parameters: wire.JSON(`{"type":"object"}`), Run: runs("")}} {
				want := wire.PageTool{Description: tool.Description, Parameters: tool.Parameters, Approval: tool.Approval, Idempotent: tool.Idempotent, Timeout: tool.Timeout.Seconds()}
				client, script := open(t, configOf(tool), jsonReply(answerText))
				_, err := client.SendMessage(t.Context(), "hi", sdk.SendMessageOptions{})
				require.NoError(t, err)
				for _, field := range script.requests[0].Form {
					if field.Name == wire.FieldPageTools {
						requireSameJSON(t, marshal(t, map[string]wire.PageTool{"look": want}), []byte(field.Text))
						return
					}
				}
				t.Fatal("no page_tools were sent")
			}
		},
		reflect.TypeFor[wire.ClaimRequest](): func(t *testing.T) { claimAgrees(t) },
		reflect.TypeFor[wire.ResultRequest](): func(t *testing.T) {
			long := strings.Repeat("x", sdk.MaxResult)
			resultAgrees(t, wire.ResultRequest{Result: ptr("done")}, func() (string, error) { return "done", nil })
			resultAgrees(t, wire.ResultRequest{Result: &long, Truncated: true}, func() (string, error) { return long + "y", nil })
			resultAgrees(t, wire.ResultRequest{Error: ptr("it failed")}, func() (string, error) { return "", errorText("it failed") })
		},
	}
}

type errorText string

func (e errorText) Error() string { return string(e) }

// carriedOut returns the claim and the result that a page sends when it carries out a call.
func carriedOut(t *testing.T, run func() (string, error)) (claim, result []byte, definition sdk.Tool) {
	t.Helper()
	tool := lookTool(func(context.Context, wire.JSON, string) (string, error) { return run() })
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.makes(wire.CallApproved, "t1")
		l := asks(t, d.open(t, configOf(tool)))
		claim, result = []byte(d.requests("POST /tool-calls/t1/claim")[0].body), []byte(d.requests("POST /tool-calls/t1/result")[0].body)
		d.finishes("done")
		<-l.ended
	})
	return claim, result, tool
}

func claimAgrees(t *testing.T) {
	claim, _, tool := carriedOut(t, func() (string, error) { return "", nil })
	var got wire.ClaimRequest
	require.NoError(t, json.Unmarshal(claim, &got))
	require.Regexp(t, "^[0-9A-F]{32}$", got.Claim)
	definition := wire.PageTool{Description: tool.Description, Parameters: tool.Parameters}
	requireSameJSON(t, marshal(t, wire.ClaimRequest{Claim: got.Claim, Definition: marshal(t, definition)}), claim)
}

func resultAgrees(t *testing.T, want wire.ResultRequest, run func() (string, error)) {
	claim, result, _ := carriedOut(t, run)
	var made wire.ClaimRequest
	require.NoError(t, json.Unmarshal(claim, &made))
	want.Claim = made.Claim
	requireSameJSON(t, marshal(t, want), result)
}
