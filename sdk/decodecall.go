package sdk

import (
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

func decodeToolCall(v jsontext.Value) wire.ToolCall {
	c := wire.ToolCall{Raw: wire.JSON(v)}
	v.Members(func(name string, v jsontext.Value) {
		switch name {
		case "id":
			c.ID = v.Text()
		case "agent_id":
			c.AgentID = v.Text()
		case "chat_id":
			c.ChatID = v.Text()
		case "message_id":
			c.MessageID = v.Text()
		case "stream_id":
			c.StreamID = v.Text()
		case "at":
			c.At = int(v.Int())
		case "name":
			c.Name = v.Text()
		case "kind":
			c.Kind = v.Text()
		case "tool":
			c.Tool = v.Text()
		case "approval":
			c.Approval = v.Text()
		case "description":
			c.Description = v.Text()
		case "arguments":
			c.Arguments = v.Text()
		case "model_arguments":
			c.ModelArguments = v.Text()
		case "status":
			c.Status = v.Text()
		case "requested_at":
			c.RequestedAt = v.Float()
		case "expires_at":
			c.ExpiresAt = v.Float()
		case "decided_at":
			c.DecidedAt = v.Float()
		case "decided_by":
			c.DecidedBy = v.Text()
		case "reason":
			c.Reason = v.Text()
		case "edited":
			c.Edited = v.True()
		case "finished_at":
			c.FinishedAt = v.Float()
		case "result":
			c.Result = v.Text()
		case "result_size":
			c.ResultSize = int(v.Int())
		case "truncated":
			c.Truncated = v.True()
		case "error":
			c.Error = v.Text()
		case "hidden":
			c.Hidden = v.True()
		}
	})
	return c
}
