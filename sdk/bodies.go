package sdk

import (
	"strconv"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// The request bodies, field for field those of package wire; a test holds them
// to encoding/json.

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

func encodeDeleteChat(request wire.DeleteChatRequest) []byte {
	var o body
	o.string("project_id", request.ProjectID)
	o.string("chat_id", request.ChatID)
	return o.bytes()
}

func encodeUpdateChatName(request wire.UpdateChatNameRequest) []byte {
	var o body
	o.string("project_id", request.ProjectID)
	o.string("chat_id", request.ChatID)
	o.string("title", request.Title)
	return o.bytes()
}

func encodeSendFeedback(request wire.SendFeedbackRequest) []byte {
	var o body
	o.string("project_id", request.ProjectID)
	o.string("chat_id", request.ChatID)
	o.string("message_id", request.MessageID)
	o.flag("user_feedback", request.UserFeedback)
	return o.bytes()
}

func encodeMemorySettings(settings wire.MemorySettings) []byte {
	var o body
	o.flag("memory_enabled", settings.MemoryEnabled)
	if settings.MaxMemories != nil {
		o.key("max_memories")
		o.text = strconv.AppendInt(o.text, int64(*settings.MaxMemories), 10)
	}
	o.flag("auto_approve", settings.AutoApprove)
	if settings.MemoryTypes != nil {
		o.strings("memory_types", settings.MemoryTypes)
	}
	return o.bytes()
}

func encodeMemoryAction(request wire.MemoryActionRequest) []byte {
	var o body
	o.string("action", request.Action)
	return o.bytes()
}

func encodeRegenerate(request wire.RegenerateRequest) []byte {
	var o body
	o.string("project_id", request.ProjectID)
	o.string("chat_id", request.ChatID)
	o.string("message_id", request.MessageID)
	return o.bytes()
}

func encodeListDocuments(request wire.ListDocumentsRequest) []byte {
	var o body
	if request.Page != nil {
		o.raw("page", strconv.AppendInt(nil, int64(*request.Page), 10))
	}
	if request.ItemsPerPage != nil {
		o.raw("items_per_page", strconv.AppendInt(nil, int64(*request.ItemsPerPage), 10))
	}
	if request.NameSearch != "" {
		o.string("name_search", request.NameSearch)
	}
	return o.bytes()
}

// encodeDeleteDocuments writes a list of one.
func encodeDeleteDocuments(request wire.DeleteDocumentsRequest) []byte {
	var o, list body
	for _, resource := range request.Resources {
		list.string("name", resource.Name)
		list.string("key", resource.Key)
	}
	o.string("project_id", request.ProjectID)
	o.raw("resources", append(append([]byte{'['}, list.bytes()...), ']'))
	return o.bytes()
}
