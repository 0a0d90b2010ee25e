package sdk

import "github.com/chatsdk/chatsdk/sdk/wire"

// Request bodies beside those of Calls, field for field those of package wire; a
// test holds them to encoding/json.

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
	return o.bytes()
}
