package sdk

import (
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// The decoders read the structs of package wire; a test compares them with encoding/json. Fields
// that are absent, null or of another type stay zero.

func decodeChat(v jsontext.Value) wire.Chat {
	chat := wire.Chat{Raw: wire.JSON(v)}
	v.Members(func(name string, v jsontext.Value) {
		switch name {
		case "chat_id":
			chat.ChatID = v.Text()
		case "name":
			chat.Name = v.Text()
		case "document_keys":
			chat.DocumentKeys = v.Texts()
		case "metadata":
			chat.Metadata = object(v)
		case "user_id":
			chat.UserID = v.Text()
		case "created_at":
			chat.CreatedAt = v.Float()
		case "updated_at":
			chat.UpdatedAt = v.Float()
		}
	})
	return chat
}

// object is the text of a value, nil if there is none.
func object(v jsontext.Value) wire.JSON {
	if !v.Exists() {
		return nil
	}
	return wire.JSON(v)
}

func decodeChats(v jsontext.Value) wire.ListChatsResponse {
	list := wire.ListChatsResponse{NextCursor: v.Get("next_cursor").Int(), HasMore: v.Get("has_more").True(), Raw: wire.JSON(v)}
	v.Get("chats").Elements(func(item jsontext.Value) {
		list.Chats = append(list.Chats, decodeChat(item))
	})
	return list
}

func decodeAgents(v jsontext.Value) wire.ListAgentsResponse {
	list := wire.ListAgentsResponse{Models: v.Get("models").Texts(), Raw: wire.JSON(v)}
	v.Get("agents").Elements(func(item jsontext.Value) {
		list.Agents = append(list.Agents, wire.Agent{
			ID: text(item, "id"), Name: text(item, "name"), Type: text(item, "type"), Model: text(item, "model"), Models: item.Get("models").Texts(),
			Raw: wire.JSON(item),
		})
	})
	return list
}

func text(v jsontext.Value, name string) string { return v.Get(name).Text() }

func decodeHistory(v jsontext.Value) wire.ChatHistoryResponse {
	history := wire.ChatHistoryResponse{Raw: wire.JSON(v)}
	v.Members(func(name string, v jsontext.Value) {
		switch name {
		case "id":
			history.ID = v.Text()
		case "chat_id":
			history.ChatID = v.Text()
		case "name":
			history.Name = v.Text()
		case "created_at":
			history.CreatedAt = v.Float()
		case "document_keys":
			history.DocumentKeys = v.Texts()
		case "metadata":
			history.Metadata = object(v)
		case "has_more":
			history.HasMore = v.True()
		case "messages":
			history.Messages = nil
			v.Elements(func(item jsontext.Value) { history.Messages = append(history.Messages, decodeMessage(item)) })
		}
	})
	return history
}

func decodeSend(v jsontext.Value) wire.SendMessageResponse {
	return wire.SendMessageResponse{
		Message: decodeMessage(v.Get("message")), ChatID: text(v, "chat_id"), MessageID: text(v, "message_id"),
		ChatName: text(v, "chat_name"), StreamID: text(v, "stream_id"), Raw: wire.JSON(v),
	}
}

// decodeMessage reads a message that normal has returned.
func decodeMessage(v jsontext.Value) wire.Message {
	m := wire.Message{Raw: wire.JSON(v)}
	v.Members(func(name string, v jsontext.Value) {
		switch name {
		case "id":
			m.ID = v.Text()
		case "chat_id":
			m.ChatID = v.Text()
		case "role":
			m.Role = v.Text()
		case "content":
			m.Content = v.Text()
		case "created_at":
			m.CreatedAt = v.Float()
		case "sources":
			m.Sources = decodeSources(v)
		case "image_urls":
			m.ImageURLs = v.Texts()
		case "feedback":
			m.Feedback = boolean(v)
		case "metadata":
			m.Metadata = object(v)
		case "model_name":
			m.ModelName = v.Text()
		case "agent_id":
			m.AgentID = v.Text()
		case "finish_reason":
			m.FinishReason = v.Text()
		case "memory_ids":
			m.MemoryIDs = v.Texts()
		case "is_test":
			m.IsTest = v.True()
		case "stream_id":
			m.StreamID = v.Text()
		case "parent_id":
			m.ParentID = v.Text()
		case "siblings":
			m.Siblings = v.Texts()
		case "tool_calls":
			v.Elements(func(item jsontext.Value) { m.ToolCalls = append(m.ToolCalls, decodeToolCall(item)) })
		case "usage":
			m.Usage = decodeUsage(v)
		case "left_out":
			m.LeftOut = decodeLeftOut(v)
		case "reasoning":
			m.Reasoning = v.Text()
		}
	})
	return m
}

func decodeUsage(v jsontext.Value) *wire.Usage {
	if v.Kind() != jsontext.Object {
		return nil
	}
	return &wire.Usage{
		InputTokens: v.Get("input_tokens").Int(), CachedTokens: v.Get("cached_tokens").Int(),
		OutputTokens: v.Get("output_tokens").Int(), ReasoningTokens: v.Get("reasoning_tokens").Int(),
	}
}

func decodeLeftOut(v jsontext.Value) *wire.LeftOut {
	if v.Kind() != jsontext.Object {
		return nil
	}
	return &wire.LeftOut{Messages: whole(v, "messages"), Images: whole(v, "images"), Tools: whole(v, "tools")}
}

func boolean(v jsontext.Value) *bool {
	if v.Kind() != jsontext.Bool {
		return nil
	}
	value := v.True()
	return &value
}

func decodeSources(v jsontext.Value) []wire.Source {
	var sources []wire.Source
	v.Elements(func(item jsontext.Value) {
		sources = append(sources, wire.Source{
			DocumentKey: text(item, "document_key"), Title: text(item, "title"), Snippet: text(item, "snippet"),
			Score: item.Get("score").Float(), PassageID: text(item, "passage_id"),
			Start: whole(item, "start"), End: whole(item, "end"), URL: text(item, "url"),
		})
	})
	return sources
}

func decodeMemory(v jsontext.Value) wire.Memory {
	m := wire.Memory{Raw: wire.JSON(v)}
	v.Members(func(name string, v jsontext.Value) {
		switch name {
		case "id":
			m.ID = v.Text()
		case "agent_id":
			m.AgentID = v.Text()
		case "user_id":
			m.UserID = v.Text()
		case "memory_content":
			m.MemoryContent = v.Text()
		case "memory_type":
			m.MemoryType = v.Text()
		case "confidence_score":
			m.ConfidenceScore = v.Float()
		case "status":
			m.Status = v.Text()
		case "created_at":
			m.CreatedAt = v.Float()
		case "updated_at":
			m.UpdatedAt = v.Float()
		case "approved_at":
			m.ApprovedAt = v.Float()
		case "rejected_at":
			m.RejectedAt = v.Float()
		case "reject_reason":
			m.RejectReason = v.Text()
		case "decided_by":
			m.DecidedBy = v.Text()
		case "original_content":
			m.OriginalContent = v.Text()
		case "edited_by":
			m.EditedBy = v.Text()
		case "edited_at":
			m.EditedAt = v.Float()
		case "edits":
			v.Elements(func(item jsontext.Value) {
				m.Edits = append(m.Edits, wire.MemoryEdit{Text: text(item, "text"), By: text(item, "by"), At: item.Get("at").Float()})
			})
		case "origin":
			m.Origin = v.Text()
		case "waits_for":
			m.WaitsFor = v.Text()
		case "close_to":
			m.CloseTo = v.Texts()
		case "superseded_by":
			m.SupersededBy = v.Text()
		case "expires_at":
			m.ExpiresAt = v.Float()
		case "source_chat_id":
			m.SourceChatID = v.Text()
		case "source_message_id":
			m.SourceMessageID = v.Text()
		case "triggering_message":
			m.TriggeringMessage = v.Text()
		case "span":
			m.Span = decodeSpan(v)
		case "conflicts_with":
			m.ConflictsWith = v.Texts()
		case "conflicts_with_pending":
			m.ConflictsWithPending = v.Texts()
		}
	})
	return m
}

func decodeSpan(v jsontext.Value) *wire.Span {
	if v.Kind() != jsontext.Object {
		return nil
	}
	return &wire.Span{Start: whole(v, "start"), End: whole(v, "end")}
}

func whole(v jsontext.Value, name string) int { return int(v.Get(name).Int()) }

func decodeMemoryList(v jsontext.Value) []wire.Memory {
	var list []wire.Memory
	v.Elements(func(item jsontext.Value) { list = append(list, decodeMemory(item)) })
	return list
}

func decodeMemories(v jsontext.Value) wire.ListMemoriesResponse {
	list := wire.ListMemoriesResponse{
		TotalUsers: whole(v, "total_users"), TotalMemories: whole(v, "total_memories"),
		NextCursor: text(v, "next_cursor"), HasMore: v.Get("has_more").True(), Raw: wire.JSON(v),
	}
	v.Get("memories_by_user").Members(func(user string, v jsontext.Value) {
		if list.MemoriesByUser == nil {
			list.MemoriesByUser = map[string][]wire.Memory{}
		}
		list.MemoriesByUser[user] = decodeMemoryList(v)
	})
	return list
}

func decodePendingMemories(v jsontext.Value) wire.ListPendingMemoriesResponse {
	return wire.ListPendingMemoriesResponse{
		Approvals: decodeMemoryList(v.Get("approvals")), Total: whole(v, "total"),
		NextCursor: text(v, "next_cursor"), HasMore: v.Get("has_more").True(), Raw: wire.JSON(v),
	}
}

func decodeUserMemories(v jsontext.Value) wire.ListUserMemoriesResponse {
	return wire.ListUserMemoriesResponse{
		Memories: decodeMemoryList(v.Get("memories")), NextCursor: text(v, "next_cursor"), HasMore: v.Get("has_more").True(),
	}
}

func decodeMemoryAction(v jsontext.Value) wire.MemoryActionResponse {
	return wire.MemoryActionResponse{
		Success: v.Get("success").True(), Message: text(v, "message"),
		Memory: decodeMemory(v.Get("memory")), Superseded: v.Get("superseded").Texts(), Raw: wire.JSON(v),
	}
}

func decodeMemoryDone(v jsontext.Value) wire.MemoryDoneResponse {
	return wire.MemoryDoneResponse{Success: v.Get("success").True(), Message: text(v, "message"), Deleted: number(v.Get("deleted"))}
}

func decodeMemorySettings(v jsontext.Value) wire.MemorySettings {
	settings := wire.MemorySettings{
		MemoryEnabled: boolean(v.Get("memory_enabled")), MaxMemories: number(v.Get("max_memories")),
		AutoApprove: boolean(v.Get("auto_approve")), Raw: wire.JSON(v),
	}
	if types := v.Get("memory_types"); types.Kind() == jsontext.Array {
		settings.MemoryTypes = append([]string{}, types.Texts()...)
	}
	return settings
}

func number(v jsontext.Value) *int {
	if v.Kind() != jsontext.Number {
		return nil
	}
	value := int(v.Int())
	return &value
}

func decodeMemorySettingsResponse(v jsontext.Value) wire.MemorySettingsResponse {
	return wire.MemorySettingsResponse{
		Success: v.Get("success").True(), Message: text(v, "message"), Settings: decodeMemorySettings(v.Get("settings")),
	}
}

func decodeMemoryStats(v jsontext.Value) wire.MemoryStats {
	stats := wire.MemoryStats{
		Total: whole(v, "total"), Approved: whole(v, "approved"), Pending: whole(v, "pending"),
		Rejected: whole(v, "rejected"), Superseded: whole(v, "superseded"), Users: whole(v, "users"), Raw: wire.JSON(v),
	}
	if room := v.Get("room"); room.Kind() == jsontext.Object {
		stats.Room = &wire.MemoryRoom{UsedBytes: whole(room, "used_bytes"), RoomBytes: whole(room, "room_bytes"), LeftOut: whole(room, "left_out")}
	}
	stats.Detection = decodeDetection(v.Get("detection"))
	return stats
}

func decodeDetection(v jsontext.Value) *wire.MemoryDetection {
	if v.Kind() != jsontext.Object {
		return nil
	}
	detection := &wire.MemoryDetection{Detector: text(v, "detector"), Waiting: whole(v, "waiting")}
	if failure := v.Get("failure"); failure.Kind() == jsontext.Object {
		detection.Failure = &wire.DetectionFailure{
			Since: failure.Get("since").Float(), Failures: whole(failure, "failures"), GivenUp: whole(failure, "given_up"),
			Code: text(failure, "code"), Status: whole(failure, "status"),
		}
	}
	return detection
}

func decodeDecisions(v jsontext.Value) wire.DecideMemoriesResponse {
	decisions := wire.DecideMemoriesResponse{Raw: wire.JSON(v)}
	v.Get("results").Elements(func(item jsontext.Value) {
		decisions.Results = append(decisions.Results, wire.MemoryDecision{
			MemoryID: text(item, "memory_id"), Status: whole(item, "status"), Superseded: item.Get("superseded").Texts(),
		})
	})
	return decisions
}

func decodeAnswersOfMemory(v jsontext.Value) wire.AnswersOfMemoryResponse {
	list := wire.AnswersOfMemoryResponse{NextCursor: text(v, "next_cursor"), HasMore: v.Get("has_more").True(), Raw: wire.JSON(v)}
	v.Get("answers").Elements(func(item jsontext.Value) {
		list.Answers = append(list.Answers, wire.MemoryAnswer{ChatID: text(item, "chat_id"), MessageID: text(item, "message_id")})
	})
	return list
}

func decodeErasures(v jsontext.Value) wire.ListErasuresResponse {
	list := wire.ListErasuresResponse{NextCursor: text(v, "next_cursor"), HasMore: v.Get("has_more").True(), Raw: wire.JSON(v)}
	v.Get("erasures").Elements(func(item jsontext.Value) {
		counts := item.Get("counts")
		list.Erasures = append(list.Erasures, wire.Erasure{
			Kind: text(item, "kind"), At: item.Get("at").Float(), By: text(item, "by"),
			Counts: wire.ErasureCounts{Memories: whole(counts, "memories"), Sources: whole(counts, "sources")},
		})
	})
	return list
}
