package wire

// Names of the events of a stream, in the "event" field of the event stream. Every stream begins
// with start, then has any number of the middle ones, and ends with complete or error, then end.
const (
	EventStart         = "start"
	EventChunk         = "chunk"
	EventReasoning     = "reasoning" // only in answers that were asked for with it
	EventMessageObject = "message_object"
	EventDocumentChunk = "document_chunk"
	EventChatName      = "chat_name"
	EventToolCall      = "tool_call" // the data is a ToolCall
	EventComplete      = "complete"
	EventError         = "error" // the data is an ErrorBody
	EventEnd           = "end"   // the data is {}
)

// Start is the data of the start event.
type Start struct {
	StreamID      string `json:"stream_id"`
	ChatID        string `json:"chat_id"`
	MessageID     string `json:"message_id"`
	UserMessageID string `json:"user_message_id"`
}

// Text is the data of the chunk, reasoning and document_chunk events.
type Text struct {
	Text string `json:"text"`
}

// ChatName is the data of the chat_name event.
type ChatName struct {
	Name string `json:"name"`
}

// Complete is the data of the complete event. With Chunks, Bytes and CRC32 the client checks that
// the chunks it read are the whole answer.
type Complete struct {
	Message Message `json:"message"`
	// Chunks is the number of chunk events.
	Chunks int `json:"chunks"`
	// Bytes is the length of the joined text in bytes of UTF-8.
	Bytes int `json:"bytes"`
	// CRC32 is the CRC-32 (IEEE) of the joined text, as eight lower-case hex digits.
	CRC32 string `json:"crc32"`
}
