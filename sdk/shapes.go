package sdk

import (
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// The types of the answers, as in package wire.
type (
	Chat                = wire.Chat
	ListChatsResponse   = wire.ListChatsResponse
	ChatHistoryResponse = wire.ChatHistoryResponse
	Message             = wire.Message
	Source              = wire.Source
	SendMessageResponse = wire.SendMessageResponse
	Agent               = wire.Agent
	ListAgentsResponse  = wire.ListAgentsResponse
	AccessToken         = wire.AccessTokenResponse

	Document               = wire.Document
	ListedDocument         = wire.ListedDocument
	Passage                = wire.Passage
	UploadDocumentResponse = wire.UploadDocumentResponse
	ListDocumentsResponse  = wire.ListDocumentsResponse

	ToolCall              = wire.ToolCall
	ListToolCallsResponse = wire.ListToolCallsResponse
	ToolCallResponse      = wire.ToolCallResponse

	Memory                      = wire.Memory
	Span                        = wire.Span
	MemorySettings              = wire.MemorySettings
	MemorySettingsResponse      = wire.MemorySettingsResponse
	ListMemoriesResponse        = wire.ListMemoriesResponse
	ListUserMemoriesResponse    = wire.ListUserMemoriesResponse
	ListPendingMemoriesResponse = wire.ListPendingMemoriesResponse
	MemoryActionResponse        = wire.MemoryActionResponse
	DeleteUserMemoriesResponse  = wire.MemoryDoneResponse
	MemoryStats                 = wire.MemoryStats
	MemoryRoom                  = wire.MemoryRoom
	MemoryDetection             = wire.MemoryDetection
	DetectionFailure            = wire.DetectionFailure
	WriteMemoryRequest          = wire.WriteMemoryRequest
	DecideMemoriesResponse      = wire.DecideMemoriesResponse
	MemoryDecision              = wire.MemoryDecision
	AnswersOfMemoryResponse     = wire.AnswersOfMemoryResponse
	MemoryAnswer                = wire.MemoryAnswer
	ListErasuresResponse        = wire.ListErasuresResponse
	Erasure                     = wire.Erasure
	ErasureCounts               = wire.ErasureCounts
)

// holds reports whether a value is of a kind, and holds only objects if it is a list.
func holds(value jsontext.Value, kind jsontext.Kind) bool {
	fits := value.Kind() == kind
	value.Elements(func(item jsontext.Value) { fits = fits && item.Kind() == jsontext.Object })
	return fits
}
