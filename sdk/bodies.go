package sdk

import (
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Request bodies besides those of Calls. They have the same fields as in package wire; a test
// compares them with encoding/json.

func encodeCreateChat(request wire.CreateChatRequest) []byte {
	var o body
	o.string("project_id", request.ProjectID)
	if request.Name != "" {
		o.string("name", request.Name)
	}
	if request.DocumentKeys != nil {
		o.strings("document_keys", request.DocumentKeys)
	}
	if len(request.Metadata) > 0 {
		o.raw("metadata", request.Metadata)
	}
	return o.bytes()
}

func encodeRegenerate(request wire.RegenerateRequest) []byte {
	var o body
	o.string("project_id", request.ProjectID)
	o.string("chat_id", request.ChatID)
	o.string("message_id", request.MessageID)
	if request.PageTools != nil {
		o.raw("page_tools", request.PageTools)
	}
	if request.ToolCalls {
		o.raw("tool_calls", []byte("true"))
	}
	if request.Reasoning {
		o.raw("reasoning", []byte("true"))
	}
	return o.bytes()
}

func encodePageTool(tool wire.PageTool) []byte {
	var o body
	o.string("description", tool.Description)
	o.raw("parameters", tool.Parameters)
	if tool.Approval != "" {
		o.string("approval", tool.Approval)
	}
	if tool.Idempotent {
		o.raw("idempotent", []byte("true"))
	}
	if tool.Timeout != 0 {
		o.raw("timeout", appendSeconds(nil, tool.Timeout))
	}
	return o.bytes()
}

func encodeClaim(request wire.ClaimRequest) []byte {
	var o body
	o.string("claim", request.Claim)
	o.raw("definition", request.Definition)
	return o.bytes()
}

func encodeResult(request wire.ResultRequest) []byte {
	var o body
	o.string("claim", request.Claim)
	if request.Result != nil {
		o.string("result", *request.Result)
	}
	if request.Truncated {
		o.raw("truncated", []byte("true"))
	}
	if request.Error != nil {
		o.string("error", *request.Error)
	}
	return o.bytes()
}
