package sdk_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

type toolsVector struct {
	Name  string          `json:"name"`
	Tools json.RawMessage `json:"tools"`
	Error wrong           `json:"error"`
	Go    *bool           `json:"go"`
}

// tools converts the tools of a page to Go, sorted by name.
func (v toolsVector) tools(t *testing.T) []sdk.Tool {
	var all map[string]struct {
		Description, Approval string
		Parameters            json.RawMessage
		Idempotent, Run       bool
		Timeout               int64
	}
	require.NoError(t, json.Unmarshal(v.Tools, &all))
	var tools []sdk.Tool
	for _, name := range slices.Sorted(maps.Keys(all)) {
		tool := all[name]
		made := sdk.Tool{
			Name: name, Description: tool.Description, Parameters: wire.JSON(tool.Parameters), Approval: tool.Approval,
			Idempotent: tool.Idempotent, Timeout: time.Duration(tool.Timeout) * time.Millisecond,
		}
		if tool.Run {
			made.Run = runs("")
		}
		tools = append(tools, made)
	}
	return tools
}

func TestToolsVectors(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors[toolsVector](t, "tools.json") {
		if !goAsWell(v.Go) {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			requireConfig(t, v.tools(t), v.Error)
		})
	}
}

// requireConfig checks that a configuration with these tools is accepted, or refused for the wanted field.
func requireConfig(t *testing.T, tools []sdk.Tool, want wrong) {
	t.Helper()
	config := configOf(tools...)
	config.Transport = &script{}
	_, err := sdk.New(config)
	if want == nil {
		require.NoError(t, err)
		return
	}
	requireArgument(t, err, "ChatSDK", want.Field)
}

func TestToolsOfGo(t *testing.T) {
	t.Parallel()
	look := lookTool(runs(""))
	many := func(n int) []sdk.Tool {
		tools := make([]sdk.Tool, n)
		for i := range tools {
			tools[i] = look
			tools[i].Name = fmt.Sprintf("look%d", i)
		}
		return tools
	}
	broken := look
	broken.Parameters = wire.JSON(`{"type":"object"`)
	tests := []struct {
		name  string
		tools []sdk.Tool
		field string
	}{
		{"the same name twice", []sdk.Tool{look, look}, "tools.look"},
		{"parameters that are not JSON", []sdk.Tool{broken}, "tools.look.parameters"},
		{"too many", many(65), "tools"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			requireConfig(t, test.tools, &struct {
				Field string `json:"field"`
			}{test.field})
		})
	}
	requireConfig(t, many(64), nil)
}

func TestToolsAreOfferedInTheirOrder(t *testing.T) {
	t.Parallel()
	second := lookTool(runs(""))
	second.Name = "a"
	client, script := open(t, configOf(lookTool(runs("")), second), jsonReply(answerText))
	_, err := client.SendMessage(t.Context(), "hi", sdk.SendMessageOptions{})
	require.NoError(t, err)
	require.Equal(t, sdk.FormField{
		Name: "page_tools",
		Text: `{"look":{"description":"D","parameters":{"type":"object"}},"a":{"description":"D","parameters":{"type":"object"}}}`,
	}, script.requests[0].Form[3])
}

func TestDecisionsAreKeyed(t *testing.T) {
	t.Parallel()
	const call = `{"call":{"id":"t1","status":"approved"}}`
	client, script := open(t, retryConfig(), unreachable(), jsonReply(call), jsonReply(call))
	got, err := client.ApproveToolCall(t.Context(), "t1", sdk.ApproveToolCallOptions{})
	require.NoError(t, err)
	require.Equal(t, wire.CallApproved, got.Call.Status)
	require.NotEmpty(t, script.keys[0])
	require.Equal(t, script.keys[0], script.keys[1], "of the tries of one call")
	_, err = client.DenyToolCall(t.Context(), "t1", "", sdk.DenyToolCallOptions{IdempotencyKey: "k"})
	require.NoError(t, err)
	require.Equal(t, "k", script.keys[2])
}

func TestWhatIsWrongWithADecision(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, field string
		call        func(*sdk.Client) error
	}{
		{"no call", "callId", func(c *sdk.Client) error {
			_, err := c.ApproveToolCall(t.Context(), "", sdk.ApproveToolCallOptions{})
			return err
		}},
		{"arguments that are not an object", "arguments", func(c *sdk.Client) error {
			_, err := c.ApproveToolCall(t.Context(), "t1", sdk.ApproveToolCallOptions{Arguments: wire.JSON(`[1]`)})
			return err
		}},
		{"arguments that are not JSON", "arguments", func(c *sdk.Client) error {
			_, err := c.ApproveToolCall(t.Context(), "t1", sdk.ApproveToolCallOptions{Arguments: wire.JSON(`{"a":1`)})
			return err
		}},
		{"an unknown status", "status", func(c *sdk.Client) error {
			_, err := c.ListToolCalls(t.Context(), sdk.ListToolCallsOptions{Status: "pending"})
			return err
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t)
			require.Equal(t, test.field, argumentError(t, test.call(client)).Field)
			require.Empty(t, script.requests)
		})
	}
}
