package sdk

import "github.com/chatsdk/chatsdk/sdk/wire"

// The types of the answers, as in package wire.
type (
	Chat                = wire.Chat
	ListChatsResponse   = wire.ListChatsResponse
	ChatHistoryResponse = wire.ChatHistoryResponse
	Message             = wire.Message
	Source              = wire.Source
	Usage               = wire.Usage
	LeftOut             = wire.LeftOut
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
