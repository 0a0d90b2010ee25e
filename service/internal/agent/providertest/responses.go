package providertest

import (
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/responses"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
)

// Responses is OpenAI's Responses API.
var Responses = Kind{
	Name: "openai-responses",
	New:  func(config upstream.Config) (Provider, error) { return responses.New(config) },
	IsEnded: func(stream string) bool {
		return strings.Contains(whole(stream), `"type":"response.completed"`) || isIncomplete(stream)
	},
	Cases: responseCases,
}

func isIncomplete(stream string) bool {
	return strings.Contains(whole(stream), `"type":"response.incomplete"`)
}

// whole is a stream without an event that was cut.
func whole(stream string) string { return stream[:strings.LastIndex("\n\n"+stream, "\n\n")] }

// ResponseEvent is an event with these members.
func ResponseEvent(kind, members string) string {
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\",\"sequence_number\":1," + members + "}\n\n"
}

// response is the whole response with these members.
func response(status, members string) string {
	return `"response":{"id":"resp_1","object":"response","created_at":1780000000,"model":"gpt-5","status":"` + status + `","tools":[],` +
		`"tool_choice":"auto","parallel_tool_calls":true,"temperature":1,"top_p":1,"metadata":{},"instructions":null,` + members + `}`
}

// ResponseStart is what streams begin with.
func ResponseStart() string {
	const nothing = `"error":null,"incomplete_details":null,"output":[],"usage":null`
	return ResponseEvent("response.created", response("in_progress", nothing)) + ResponseEvent("response.in_progress", response("in_progress", nothing))
}

const responseUsage = `"usage":{"input_tokens":115,"input_tokens_details":{"cached_tokens":100},"output_tokens":30,` +
	`"output_tokens_details":{"reasoning_tokens":12},"total_tokens":145}`

// ResponseEnds is the end of a stream with these items.
func ResponseEnds(items ...string) string {
	return ResponseEvent("response.completed", response("completed", `"error":null,"incomplete_details":null,"output":[`+strings.Join(items, ",")+`],`+
		responseUsage))
}

func responseIncomplete(reason string) string {
	return ResponseEvent("response.incomplete", response("incomplete", `"error":null,"incomplete_details":{"reason":"`+reason+`"},"output":[],`+responseUsage))
}

func responseFailed(code, text string) string {
	return ResponseEvent("response.failed", response("failed",
		`"error":{"code":"`+code+`","message":"`+text+`"},"incomplete_details":null,"output":[],"usage":null`))
}

// ResponseItem is an item with the events between its beginning and its end.
func ResponseItem(index int, begins, ends string, between ...string) string {
	return ResponseEvent("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":%s`, index, begins)) + strings.Join(between, "") +
		ResponseEvent("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, index, ends))
}

// ResponseMessageItem is a message as it is at its end.
func ResponseMessageItem(text string) string {
	return `{"id":"msg_1","type":"message","status":"completed","role":"assistant",` +
		`"content":[{"type":"output_text","text":` + text + `,"annotations":[],"logprobs":[]}]}`
}

// ResponseText is a message with text, each piece a JSON string, and the whole text.
func ResponseText(index int, text string, literals ...string) string {
	place := fmt.Sprintf(`"item_id":"msg_1","output_index":%d,"content_index":0`, index)
	between := []string{ResponseEvent("response.content_part.added", place+`,"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}`)}
	for _, one := range literals {
		between = append(between, ResponseEvent("response.output_text.delta", place+`,"delta":`+one+`,"logprobs":[]`))
	}
	between = append(between, ResponseEvent("response.output_text.done", place+`,"text":`+text+`,"logprobs":[]`),
		ResponseEvent("response.content_part.done", place+`,"part":{"type":"output_text","text":`+text+`,"annotations":[],"logprobs":[]}`))
	return ResponseItem(index, `{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}`, ResponseMessageItem(text), between...)
}

// ResponseCallItem is a call of look as it is at its end.
func ResponseCallItem(id, arguments string) string {
	return `{"id":"fc_1","type":"function_call","status":"completed","call_id":"` + id + `","name":"look","arguments":` + Literal(arguments) + `}`
}

// ResponseCall is a call of look, its arguments in pieces.
func ResponseCall(index int, id string, arguments ...string) string {
	place := fmt.Sprintf(`"item_id":"fc_1","output_index":%d`, index)
	var between []string
	for _, one := range arguments {
		between = append(between, ResponseEvent("response.function_call_arguments.delta", place+`,"delta":`+Literal(one)))
	}
	all := strings.Join(arguments, "")
	between = append(between, ResponseEvent("response.function_call_arguments.done", place+`,"name":"look","arguments":`+Literal(all)))
	return ResponseItem(index, `{"id":"fc_1","type":"function_call","status":"in_progress","call_id":"`+id+`","name":"look","arguments":""}`,
		ResponseCallItem(id, all), between...)
}

// ResponseThoughtItem is reasoning as it is at its end.
func ResponseThoughtItem(summary ...string) string {
	var all []string
	for _, one := range summary {
		all = append(all, `{"type":"summary_text","text":`+one+`}`)
	}
	return `{"id":"rs_1","type":"reasoning","summary":[` + strings.Join(all, ",") + `],"encrypted_content":"c2VjcmV0"}`
}

// ResponseThought is reasoning with the parts of its summary.
func ResponseThought(index int, summary ...string) string {
	var between []string
	for i, one := range summary {
		place := fmt.Sprintf(`"item_id":"rs_1","output_index":%d,"summary_index":%d`, index, i)
		between = append(between, ResponseEvent("response.reasoning_summary_part.added", place+`,"part":{"type":"summary_text","text":""}`),
			ResponseEvent("response.reasoning_summary_text.delta", place+`,"delta":`+one),
			ResponseEvent("response.reasoning_summary_text.done", place+`,"text":`+one),
			ResponseEvent("response.reasoning_summary_part.done", place+`,"part":{"type":"summary_text","text":`+one+`}`))
	}
	return ResponseItem(index, `{"id":"rs_1","type":"reasoning","summary":[]}`, ResponseThoughtItem(summary...), between...)
}

// responseGood is the usual answer behind something else.
func responseGood(index int, before string) string {
	return ResponseStart() + before + ResponseText(index, `"Good answer"`, `"Good "`, `"answer"`) + ResponseEnds(ResponseMessageItem(`"Good answer"`))
}

func responseText(literal string) string { return ResponseStart() + ResponseText(0, literal, literal) }

func responseBroken(name, event, message string) Case {
	return Case{Name: name, Body: responseText(`"Good"`) + event, Text: "Good", Message: message, Requests: 1}
}

func responseRefused(status int, code, text, message string, requests int) Case {
	return Case{Name: fmt.Sprint(status, " ", code), Status: status, Message: message, Requests: requests,
		Body: `{"error":{"message":"` + text + `","type":"invalid_request_error","param":null,"code":"` + code + `"}}`}
}

func responseError(code, text string) string {
	return ResponseEvent("error", `"code":"`+code+`","message":"`+text+`","param":null`)
}

const wholeResponse = `{"id":"resp_1","object":"response","status":"completed","error":null,"incomplete_details":null,"output":[` +
	`{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Good answer","annotations":[]}]}]}`

var responseCases = []Case{
	{Name: "text", Body: responseGood(0, ""), Text: "Good answer", Finish: wire.FinishStop,
		Usage: &wire.Usage{InputTokens: 115, CachedTokens: 100, OutputTokens: 30, ReasoningTokens: 12}},
	good("only whole texts", ResponseStart()+ResponseText(0, `"Good answer"`)+ResponseEnds(ResponseMessageItem(`"Good answer"`))),
	odd(good("only the whole response", ResponseStart()+ResponseEnds(ResponseMessageItem(`"Good answer"`)))),
	odd(good("only the items", ResponseStart()+ResponseItem(0, ResponseMessageItem(`""`), ResponseMessageItem(`"Good answer"`))+ResponseEnds())),
	good("two messages", ResponseStart()+ResponseText(0, `"Good"`, `"Good"`)+ResponseText(1, `"answer"`, `"answer"`)+
		ResponseEnds(ResponseMessageItem(`"Good"`), ResponseMessageItem(`"answer"`))).says("Good\n\nanswer"),
	good("a refusal in words", ResponseStart()+ResponseItem(0, `{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}`,
		`{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"refusal","refusal":"No, I cannot."}]}`,
		ResponseEvent("response.refusal.delta", `"item_id":"msg_1","output_index":0,"content_index":0,"delta":"No, "`),
		ResponseEvent("response.refusal.delta", `"item_id":"msg_1","output_index":0,"content_index":0,"delta":"I cannot."`),
		ResponseEvent("response.refusal.done", `"item_id":"msg_1","output_index":0,"content_index":0,"refusal":"No, I cannot."`))+
		ResponseEnds()).says("No, I cannot."),
	reads("max_output_tokens", "Good", wire.FinishLength, responseText(`"Good"`)+responseIncomplete("max_output_tokens")),
	reads("incomplete for a reason that nobody knows", "Good", wire.FinishLength, responseText(`"Good"`)+responseIncomplete("steered")),
	{Name: "content_filter", Body: responseText(`"Good"`) + responseIncomplete("content_filter"), Text: "Good",
		Message: "The model's provider withheld", Requests: 1},
	{Name: "nothing", Body: ResponseStart() + ResponseEnds(), Message: "The model ended its answer without a word", Requests: 2},
	{Name: "nothing but reasoning", Body: ResponseStart() + ResponseThought(0) + responseIncomplete("max_output_tokens"),
		Message: "The model reached its limit before it said anything", Requests: 2},
	lost("a closed connection", "Good", responseText(`"Good"`)),
	lost("[DONE] alone", "Good", responseText(`"Good"`)+ChatDone),
	good("an event that nobody knows", responseGood(0, ResponseEvent("response.weather", `"sun":true`))),
	good("an item that nobody knows", responseGood(1, ResponseItem(0, `{"id":"w_1","type":"weather"}`, `{"id":"w_1","type":"weather","sun":true}`))),
	good("a citation", responseGood(0, ResponseEvent("response.output_text.annotation.added", `"item_id":"msg_1","output_index":0,"content_index":0,`+
		`"annotation_index":0,"annotation":{"type":"url_citation","url":"https://a.example","title":"A","start_index":0,"end_index":4}`))),

	{Name: "a summary", Body: responseGood(1, ResponseThought(0, `"Hm."`, `"Yes."`)), Text: "Good answer", Reasoning: "Hm.\n\nYes.", Finish: wire.FinishStop},
	{Name: "a summary only at its end",
		Body: responseGood(1, ResponseItem(0, `{"id":"rs_1","type":"reasoning","summary":[]}`, ResponseThoughtItem(`"Hm."`, `"Yes."`))),
		Text: "Good answer", Reasoning: "Hm.\n\nYes.", Finish: wire.FinishStop},
	{Name: "reasoning of an open model", Body: responseGood(1, ResponseItem(0, `{"id":"rs_1","type":"reasoning","summary":[]}`,
		`{"id":"rs_1","type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"Hm."}]}`,
		ResponseEvent("response.reasoning_text.delta", `"item_id":"rs_1","output_index":0,"content_index":0,"delta":"Hm."`))),
		Text: "Good answer", Reasoning: "Hm.", Finish: wire.FinishStop},

	calls("a call", ResponseStart()+ResponseCall(0, "c1", `{"q"`, `:"a"}`)+ResponseEnds(ResponseCallItem("c1", `{"q":"a"}`)), `{"q":"a"}`),
	calls("two calls", ResponseStart()+ResponseThought(0)+ResponseCall(1, "c1", `{"q":"a"}`)+ResponseCall(2, "c2", `{"q":"b"}`)+ResponseEnds(),
		`{"q":"a"}`, `{"q":"b"}`),
	odd(calls("calls only in the whole response", ResponseStart()+ResponseEnds(ResponseCallItem("c1", `{"q":"a"}`), ResponseCallItem("c2", `{"q":"b"}`)),
		`{"q":"a"}`, `{"q":"b"}`)),
	odd(calls("a call without deltas",
		ResponseStart()+ResponseItem(0, ResponseCallItem("c1", ""), ResponseCallItem("c1", `{"q":"a"}`))+ResponseEnds(), `{"q":"a"}`)),
	{Name: "text and a call", Body: responseText(`"Let me look."`) + ResponseCall(1, "c1", `{"q":"a"}`) + ResponseEnds(), Text: "Let me look.",
		Calls: []string{`{"q":"a"}`}, Finish: wire.FinishStop},

	odd(good("whole JSON", wholeResponse)),
	odd(good("[DONE] of a gateway", responseGood(0, "")+ChatDone)),
	odd(good("a character in two events",
		ResponseStart()+ResponseText(0, `"Good answ🙂er"`, `"Good answ\ud83d"`, `"\ude42er"`)+ResponseEnds())).says("Good answ🙂er"),
	odd(good("text without its item", ResponseStart()+ResponseEvent("response.output_text.delta", `"output_index":0,"content_index":0,"delta":"Good answer"`)+
		ResponseEnds())),

	responseBroken("failed", responseFailed("server_error", "The model failed to generate a response."), "The model's provider failed"),
	responseBroken("failed: rate_limit_exceeded", responseFailed("rate_limit_exceeded", "Rate limit reached."), "The model's provider takes no more questions"),
	responseBroken("failed: invalid_prompt", responseFailed("invalid_prompt", "Your prompt was flagged as potentially violating our usage policy."),
		"The model's provider rejected the question because of its content filter"),
	odd(responseBroken("failed without a word", ResponseEvent("response.failed", response("failed", `"error":null,"output":[]`)), "The model's provider failed")),
	odd(responseBroken("cancelled", ResponseEvent("response.cancelled", response("cancelled", `"error":null,"output":[]`)), "The model's provider failed")),
	responseBroken("error", responseError("server_error", "The server had an error."), "The model's provider failed"),
	responseBroken("error: rate_limit_exceeded", responseError("rate_limit_exceeded", "Rate limit reached."), "The model's provider takes no more questions"),
	responseRefused(400, "context_length_exceeded", "Your input exceeds the context window of this model.",
		"The model's provider rejected the question, because", 1),
	responseRefused(400, "invalid_value", "Invalid value: 'tool'.", "The model's provider rejected the question", 1),
	responseRefused(401, "invalid_api_key", "Incorrect API key provided.", "The model's provider does not accept this service's key", 1),
	responseRefused(403, "unsupported_country_region_territory", "Country, region, or territory not supported", "The model's provider does not let", 1),
	responseRefused(404, "model_not_found", "The requested model does not exist.", "The model does not exist at its provider", 1),
	responseRefused(413, "request_too_large", "Request too large", "The model's provider rejected the question, because", 1),
	responseRefused(429, "insufficient_quota", "You exceeded your current quota.", "This service's account", 1),
	responseRefused(429, "rate_limit_exceeded", "Rate limit reached.", "The model's provider takes no more questions", 3),
	responseRefused(500, "server_error", "The server had an error.", "The model's provider failed", 3),
	responseRefused(503, "server_overloaded", "Overloaded", "The model is busy", 3),
}
