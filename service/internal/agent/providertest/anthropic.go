package providertest

import (
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/anthropic"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
)

// Anthropic is the Messages API.
var Anthropic = Kind{
	Name:    "anthropic",
	New:     func(config upstream.Config) (Provider, error) { return anthropic.New(config) },
	IsEnded: isMessageEnded,
	Cases:   messageCases,
}

// isMessageEnded reports whether a part of a stream has a reason to stop behind all of its blocks.
func isMessageEnded(stream string) bool {
	reason, more := -1, 0
	events := strings.Split(stream, "\n\n")
	for i, event := range events[:len(events)-1] { // the last one is cut, or empty
		switch {
		case strings.Contains(event, `"stop_reason":"`):
			reason = i
		case strings.Contains(event, `"type":"content_block_start"`), strings.Contains(event, `"type":"content_block_delta"`):
			more = i
		case strings.Contains(event, `"type":"message_stop"`), strings.Contains(event, "[DONE]"), strings.HasPrefix(event, "event: error"):
			return reason >= more
		}
	}
	return reason >= more
}

// MessageEvent is an event with these members.
func MessageEvent(kind, members string) string {
	if members != "" {
		members = "," + members
	}
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"" + members + "}\n\n"
}

// MessageStart is the event at the beginning of streams.
func MessageStart() string {
	return MessageEvent("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5","content":[],`+
		`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":5,"cache_read_input_tokens":100,"output_tokens":1}}`)
}

// MessageBlock is a whole block: its beginning and its deltas, JSON objects.
func MessageBlock(index int, begins string, deltas ...string) string {
	all := MessageEvent("content_block_start", fmt.Sprintf(`"index":%d,"content_block":%s`, index, begins))
	for _, delta := range deltas {
		all += MessageEvent("content_block_delta", fmt.Sprintf(`"index":%d,"delta":%s`, index, delta))
	}
	return all + MessageEvent("content_block_stop", fmt.Sprintf(`"index":%d`, index))
}

// MessageText is a block with text, each piece a JSON string.
func MessageText(index int, literals ...string) string {
	var deltas []string
	for _, one := range literals {
		deltas = append(deltas, `{"type":"text_delta","text":`+one+`}`)
	}
	return MessageBlock(index, `{"type":"text","text":""}`, deltas...)
}

// MessageThought is a block with a thought and its signature.
func MessageThought(index int, thought string) string {
	return MessageBlock(index, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":`+thought+`}`,
		`{"type":"signature_delta","signature":"c2ln"}`)
}

// MessageCall is a block with a call of look, its arguments in pieces.
func MessageCall(index int, id string, arguments ...string) string {
	deltas := []string{`{"type":"input_json_delta","partial_json":""}`}
	for _, one := range arguments {
		deltas = append(deltas, `{"type":"input_json_delta","partial_json":`+Literal(one)+`}`)
	}
	return MessageBlock(index, `{"type":"tool_use","id":"`+id+`","name":"look","input":{}}`, deltas...)
}

// MessageDelta is the event with a reason to stop, and MessageEnds it and the last event.
func MessageDelta(reason string) string {
	return MessageEvent("message_delta", `"delta":{"stop_reason":"`+reason+`","stop_sequence":null},"usage":{"output_tokens":15}`)
}

// MessageEnds is the end of a stream.
func MessageEnds(reason string) string {
	return MessageDelta(reason) + MessageEvent("message_stop", "")
}

// messageFailure is an error as the API sends it.
func messageFailure(kind, text string) string {
	return `{"type":"error","error":{"type":"` + kind + `","message":"` + text + `"},"request_id":"req_1"}`
}

// messageGood is the usual answer behind something else.
func messageGood(index int, before string) string {
	return MessageStart() + before + MessageText(index, `"Good "`, `"answer"`) + MessageEnds("end_turn")
}

func messageBroken(kind, text, message string) Case {
	body := MessageStart() + MessageText(0, `"Good"`) + "event: error\ndata: " + messageFailure(kind, text) + "\n\n"
	return Case{Name: kind + " in a stream", Body: body, Text: "Good", Message: message, Requests: 1}
}

func messageRefused(status int, kind, text, message string, requests int) Case {
	return Case{Name: fmt.Sprint(status, " ", kind), Status: status, Body: messageFailure(kind, text), Message: message, Requests: requests}
}

// odd is a case that the provider's own library does not read.
func odd(c Case) Case {
	c.Odd = true
	return c
}

const wholeMessage = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5","content":[{"type":"text","text":"Good answer"}],` +
	`"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":15}}`

var messageCases = []Case{
	{Name: "text", Body: messageGood(0, ""), Text: "Good answer", Finish: wire.FinishStop,
		Usage: &wire.Usage{InputTokens: 115, CachedTokens: 100, OutputTokens: 15}},
	{Name: "counts of thoughts", Body: MessageStart() + MessageText(0, `"Good answer"`) + MessageEvent("message_delta",
		`"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":20,"cache_creation_input_tokens":0,`+
			`"cache_read_input_tokens":7,"output_tokens":30,"output_tokens_details":{"thinking_tokens":12}}`) + MessageEvent("message_stop", ""),
		Text: "Good answer", Finish: wire.FinishStop, Usage: &wire.Usage{InputTokens: 27, CachedTokens: 7, OutputTokens: 30, ReasoningTokens: 12}},
	good("ping", messageGood(0, MessageEvent("ping", ""))),
	good("two blocks", MessageStart()+MessageText(0, `"Good "`)+MessageText(1, `"answer"`)+MessageEnds("end_turn")),
	good("a text that begins its block", MessageStart()+MessageBlock(0, `{"type":"text","text":"Good "}`, `{"type":"text_delta","text":"answer"}`)+
		MessageEnds("end_turn")),
	good("an empty block", messageGood(1, MessageText(0))),
	good("stop_sequence", MessageStart()+MessageText(0, `"Good answer"`)+MessageEvent("message_delta",
		`"delta":{"stop_reason":"stop_sequence","stop_sequence":"END"},"usage":{"output_tokens":15}`)+MessageEvent("message_stop", "")),
	reads("max_tokens", "Good answer", wire.FinishLength, MessageStart()+MessageText(0, `"Good answer"`)+MessageEnds("max_tokens")),
	reads("model_context_window_exceeded", "Good answer", wire.FinishLength,
		MessageStart()+MessageText(0, `"Good answer"`)+MessageEnds("model_context_window_exceeded")),
	reads("pause_turn", "Good answer", wire.FinishLength, MessageStart()+MessageText(0, `"Good answer"`)+MessageEnds("pause_turn")),
	good("a reason that nobody knows", MessageStart()+MessageText(0, `"Good answer"`)+MessageEnds("satisfied")),
	{Name: "refusal in the middle", Body: MessageStart() + MessageText(0, `"Good"`) + MessageEvent("message_delta", `"delta":{"stop_reason":"refusal",`+
		`"stop_sequence":null,"stop_details":{"type":"refusal","category":"cyber","explanation":"No."}},"usage":{"output_tokens":15}`) +
		MessageEvent("message_stop", ""), Text: "Good", Message: "The model refused to answer"},
	{Name: "refusal at once", Body: MessageStart() + MessageEnds("refusal"), Message: "The model refused to answer", Requests: 1},
	{Name: "nothing", Body: MessageStart() + MessageEnds("end_turn"), Message: "The model ended its answer without a word", Requests: 2},
	{Name: "blanks", Body: MessageStart() + MessageText(0, `"\n\n"`) + MessageEnds("end_turn"), Message: "The model ended its answer without a word",
		Requests: 2, Odd: true},
	lost("no reason", "Good", MessageStart()+MessageText(0, `"Good"`)+MessageEvent("message_stop", "")),
	lost("a closed connection", "Good", MessageStart()+MessageText(0, `"Good"`)),
	good("no message_stop", MessageStart()+MessageText(0, `"Good answer"`)+MessageDelta("end_turn")),
	good("a failure after the end", MessageStart()+MessageText(0, `"Good answer"`)+MessageDelta("end_turn")+"event: error\ndata: "+
		messageFailure("api_error", "Internal server error")+"\n\n"),
	lost("text after a reason, and nothing", "Good ans", MessageStart()+MessageText(0, `"Good "`)+MessageDelta("end_turn")+MessageText(1, `"ans"`)),

	{Name: "a thought", Body: messageGood(1, MessageThought(0, `"Hm."`)), Text: "Good answer", Reasoning: "Hm.", Finish: wire.FinishStop},
	{Name: "two thoughts", Body: messageGood(3, MessageThought(0, `"Hm."`)+MessageBlock(1, `{"type":"redacted_thinking","data":"ZGF0YQ=="}`)+
		MessageThought(2, `"Yes."`)), Text: "Good answer", Reasoning: "Hm.\n\nYes.", Finish: wire.FinishStop, Odd: true},
	good("a thought that is not shown", messageGood(1, MessageBlock(0, `{"type":"thinking","thinking":"","signature":""}`,
		`{"type":"signature_delta","signature":"c2ln"}`))),
	good("a citation", MessageStart()+MessageBlock(0, `{"type":"text","text":"","citations":[]}`, `{"type":"text_delta","text":"Good answer"}`,
		`{"type":"citations_delta","citation":{"type":"char_location","cited_text":"Good","document_index":0,"document_title":"A","start_char_index":0,`+
			`"end_char_index":4,"file_id":null}}`)+MessageEnds("end_turn")),
	good("an event that nobody knows", messageGood(0, MessageEvent("weather", `"sun":true`))),
	good("a block that nobody knows", messageGood(1, MessageBlock(0, `{"type":"weather","sun":true}`, `{"type":"cloud_delta","cloud":1}`))),

	calls("a call", MessageStart()+MessageCall(0, "toolu_1", `{"q"`, `:"a"}`)+MessageEnds("tool_use"), `{"q":"a"}`),
	calls("two calls", MessageStart()+MessageThought(0, `""`)+MessageCall(1, "toolu_1", `{"q":"a"}`)+MessageCall(2, "toolu_2", `{"q":"b"}`)+
		MessageEnds("tool_use"), `{"q":"a"}`, `{"q":"b"}`),
	odd(calls("arguments at the beginning of the block", MessageStart()+MessageBlock(0, `{"type":"tool_use","id":"toolu_1","name":"look","input":{"q":"a"}}`)+
		MessageEnds("tool_use"), `{"q":"a"}`)),
	odd(calls("a call and end_turn", MessageStart()+MessageCall(0, "toolu_1", `{"q":"a"}`)+MessageEnds("end_turn"), `{"q":"a"}`)),
	{Name: "text and a call", Body: MessageStart() + MessageText(0, `"Let me look."`) + MessageCall(1, "toolu_1", `{"q":"a"}`) + MessageEnds("tool_use"),
		Text: "Let me look.", Calls: []string{`{"q":"a"}`}, Finish: wire.FinishStop},
	{Name: "tool_use without a call", Body: MessageStart() + MessageText(0, `"Let me look."`) + MessageEnds("tool_use"), Text: "Let me look.",
		Message: "The model asked for a tool", Odd: true},

	odd(good("whole JSON", wholeMessage)),
	odd(good("[DONE] of a gateway", MessageStart()+MessageText(0, `"Good answer"`)+MessageDelta("end_turn")+ChatDone)),
	odd(good("events without names", strings.NewReplacer("event: message_start\n", "", "event: content_block_start\n", "", "event: content_block_delta\n", "",
		"event: content_block_stop\n", "", "event: message_delta\n", "", "event: message_stop\n", "").Replace(messageGood(0, "")))),
	odd(good("a block that does not begin", MessageStart()+MessageEvent("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"Good answer"}`)+
		MessageEnds("end_turn"))),
	odd(good("a character in two events", MessageStart()+MessageText(0, `"Good "`, `"answ\ud83d"`, `"\ude42er"`)+MessageEnds("end_turn"))).says("Good answ🙂er"),

	messageBroken("overloaded_error", "Overloaded", "The model is busy"),
	messageBroken("api_error", "Internal server error", "The model's provider failed"),
	messageBroken("rate_limit_error", "This request would exceed your account's rate limit.", "The model's provider takes no more questions"),
	messageBroken("timeout_error", "Request timed out", "The model's provider failed"),
	messageRefused(400, "invalid_request_error", "messages: text content blocks must be non-empty", "The model's provider rejected the question", 1),
	messageRefused(400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum", "The model's provider rejected the question, because", 1),
	messageRefused(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", "This service's account", 1),
	messageRefused(401, "authentication_error", "invalid x-api-key", "The model's provider does not accept this service's key", 1),
	messageRefused(402, "billing_error", "There is an issue with your billing.", "This service's account", 1),
	messageRefused(403, "permission_error", "Your API key does not have permission to use the specified resource.", "The model's provider does not", 1),
	messageRefused(404, "not_found_error", "model: claude-opus-9", "The model does not exist at its provider", 1),
	messageRefused(413, "request_too_large", "Request exceeds the maximum size", "The model's provider rejected the question, because", 1),
	messageRefused(429, "rate_limit_error", "This request would exceed your account's rate limit.", "The model's provider takes no more questions", 3),
	messageRefused(500, "api_error", "Internal server error", "The model's provider failed", 3),
	messageRefused(504, "timeout_error", "Request timed out", "The model's provider failed", 3),
	messageRefused(529, "overloaded_error", "Overloaded", "The model is busy", 3),
}

// says is the case with another text.
func (c Case) says(text string) Case {
	c.Text = text
	return c
}
