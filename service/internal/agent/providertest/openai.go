package providertest

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
)

// OpenAI is chat completions, as real providers, gateways and local servers send them.
var OpenAI = Kind{
	Name:    "openai",
	New:     func(config upstream.Config) (Provider, error) { return openai.New(config) },
	IsEnded: isChatEnded,
	Cases:   chatCases,
}

var (
	chatReason = regexp.MustCompile(`"(finish_reason|finishReason)":"[^"]`)
	chatMore   = regexp.MustCompile(`"(content|text|name|arguments)":"[^"]|"content":\[?"`)
)

// isChatEnded reports whether a part of a stream has a finish reason at or behind all of the answer, or one
// anywhere and [DONE] behind it.
func isChatEnded(stream string) bool {
	reason, more := -1, -1
	events := strings.Split(stream, "\n\n")
	for i, event := range events[:len(events)-1] { // the last one is cut, or empty
		if strings.Contains(event, "[DONE]") {
			return reason >= 0
		}
		if chatMore.MatchString(event) {
			more = i
		}
		if chatReason.MatchString(event) {
			reason = i
		}
	}
	return reason >= 0 && reason >= more
}

// ChatDone is the last event of a stream.
const ChatDone = "data: [DONE]\n\n"

// ChatChoice is an event whose first choice has these members.
func ChatChoice(members string) string {
	return `data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1780000000,` +
		`"model":"test-1","system_fingerprint":"fp_1","choices":[{"index":0,` + members + "}]}\n\n"
}

// ChatPiece is an event with text, a JSON string.
func ChatPiece(literal string) string {
	return ChatChoice(`"delta":{"content":` + literal + `},"logprobs":null,"finish_reason":null`)
}

// ChatEnds is an event with a finish reason.
func ChatEnds(reason string) string {
	return ChatChoice(`"delta":{},"logprobs":null,"finish_reason":"` + reason + `"`)
}

// ChatFirst is the event at the beginning of streams.
func ChatFirst() string {
	return ChatChoice(`"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null`)
}

// ChatParts is an event whose delta has parts of calls, JSON objects.
func ChatParts(objects ...string) string {
	return ChatChoice(`"delta":{"tool_calls":[` + strings.Join(objects, ",") + `]},"finish_reason":null`)
}

// ChatHead is the first part of a call, and ChatMore a further one; an index below 0 means none.
func ChatHead(index int, id, name, arguments string) string {
	return fmt.Sprintf(`{%s"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, ChatPlace(index), id, name, Literal(arguments))
}

// ChatMore is a further part of a call.
func ChatMore(index int, arguments string) string {
	return fmt.Sprintf(`{%s"function":{"arguments":%s}}`, ChatPlace(index), Literal(arguments))
}

// chatUsage is an event that reports a usage.
func chatUsage(usage string) string {
	return `data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1780000000,"model":"test-1","choices":[],"usage":` + usage + "}\n\n"
}

// ChatPlace is the member with the index of a call, empty below 0.
func ChatPlace(index int) string {
	if index < 0 {
		return ""
	}
	return fmt.Sprintf(`"index":%d,`, index)
}

// Literal is a JSON string with the bytes of a text, which may hold incomplete code points.
func Literal(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(text) + `"`
}

var chatCases = []Case{
	good("Together: eos", ChatPiece(`"Good answer"`)+ChatEnds("eos")+ChatDone),
	good("Bedrock: end_turn", ChatPiece(`"Good answer"`)+ChatEnds("end_turn")+ChatDone),
	good("end", ChatPiece(`"Good answer"`)+ChatEnds("end")+ChatDone),
	good("Gemini: STOP", ChatPiece(`"Good answer"`)+ChatEnds("STOP")+ChatDone),
	good("Anthropic: stop_sequence", ChatPiece(`"Good answer"`)+ChatEnds("stop_sequence")+ChatDone),
	good("Cohere: COMPLETE", ChatPiece(`"Good answer"`)+ChatEnds("COMPLETE")+ChatDone),
	reads("Anthropic: max_tokens", "Good answer", wire.FinishLength, ChatPiece(`"Good answer"`)+ChatEnds("max_tokens")+ChatDone),
	reads("Gemini: MAX_TOKENS", "Good answer", wire.FinishLength, ChatPiece(`"Good answer"`)+ChatEnds("MAX_TOKENS")+ChatDone),
	reads("Mistral: model_length", "Good answer", wire.FinishLength, ChatPiece(`"Good answer"`)+ChatEnds("model_length")+ChatDone),
	odd(good("camel case", ChatPiece(`"Good answer"`)+ChatChoice(`"delta":{},"finishReason":"stop"`)+ChatDone)),
	lost("Gemini: SAFETY", "Good", ChatPiece(`"Good"`)+ChatEnds("SAFETY")+ChatDone),
	lost("Gemini: RECITATION", "Good", ChatPiece(`"Good"`)+ChatEnds("RECITATION")+ChatDone),
	lost("[DONE] alone", "Good", ChatPiece(`"Good"`)+ChatDone),
	lost("a closed connection", "Good", ChatPiece(`"Good"`)),
	good("a reason in each chunk",
		ChatChoice(`"delta":{"content":"Good "},"finish_reason":"stop"`)+ChatChoice(`"delta":{"content":"answer"},"finish_reason":"stop"`)+ChatDone),
	thinks("Open WebUI: a reason after the reasoning", "hm",
		ChatChoice(`"delta":{"reasoning_content":"hm"},"finish_reason":"stop"`)+ChatPiece(`"Good answer"`)+ChatEnds("stop")+ChatDone),
	odd(good("text after a reason, and [DONE]", ChatEnds("stop")+ChatPiece(`"Good answer"`)+ChatDone)),
	lost("text after a reason, and nothing", "Good ans", ChatPiece(`"Good "`)+ChatEnds("stop")+ChatPiece(`"ans"`)),
	good("a reason twice", ChatPiece(`"Good answer"`)+ChatEnds("stop")+ChatChoice(`"delta":{"content":""},"finish_reason":"stop"`)+ChatDone),
	odd(thinks("Mistral: content as a list", "hm",
		ChatPiece(`[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]`)+ChatPiece(`[{"type":"text","text":"Good "}]`)+
			ChatPiece(`"answer"`)+ChatEnds("stop")+ChatDone)),
	odd(good("content as an object", ChatPiece(`{"type":"text","text":"Good answer"}`)+ChatEnds("stop")+ChatDone)),
	odd(good("content as a list of texts", ChatPiece(`["Good ","answer"]`)+ChatEnds("stop")+ChatDone)),
	odd(good("event: ping with a word", "event: ping\ndata: ping\n\n"+ChatPiece(`"Good answer"`)+ChatEnds("stop")+ChatDone)),
	odd(good("empty and odd data", "data:\n\ndata: \n\ndata: null\n\ndata: 1\n\ndata: \"x\"\n\n"+ChatPiece(`"Good answer"`)+ChatEnds("stop")+ChatDone)),
	odd(good("data twice", "data: "+ChatPiece(`"Good answer"`)+ChatEnds("stop")+ChatDone)),
	odd(thinks("<think>", "hm", ChatPiece(`"<th"`)+ChatPiece(`"ink>hm</think>\n\nGood answer"`)+ChatEnds("stop")+ChatDone)),
	thinks("reasoning", "hm",
		ChatChoice(`"delta":{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]}`)+ChatPiece(`"Good answer"`)+ChatEnds("stop")+ChatDone),
	used("OpenAI: the usage after the reason", wire.Usage{InputTokens: 9, CachedTokens: 4, OutputTokens: 6, ReasoningTokens: 3},
		ChatPiece(`"Good answer"`)+ChatEnds("stop")+chatUsage(`{"prompt_tokens":9,"completion_tokens":6,"total_tokens":15,`+
			`"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":3}}`)+ChatDone),
	odd(used("vLLM: the usage in each chunk", wire.Usage{InputTokens: 9, OutputTokens: 3},
		ChatPiece(`"Good answer"`)+chatUsage(`{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}`)+ChatEnds("stop")+
			chatUsage(`{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}`)+ChatDone)),
	odd(used("DeepSeek: tokens of its cache", wire.Usage{InputTokens: 9, CachedTokens: 8, OutputTokens: 2}, ChatPiece(`"Good answer"`)+ChatEnds("stop")+
		chatUsage(`{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":1}`)+ChatDone)),
	odd(used("Groq: the usage beside", wire.Usage{InputTokens: 9, OutputTokens: 2}, ChatPiece(`"Good answer"`)+
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],"+
		"\"x_groq\":{\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}}\n\n"+ChatDone)),
	thinks("vLLM: reasoning in pieces that cut a character", "hm 🙂",
		ChatChoice(`"delta":{"reasoning":"hm \ud83d"}`)+ChatChoice(`"delta":{"reasoning":"\ude42"}`)+ChatPiece(`"Good answer"`)+ChatEnds("stop")+ChatDone),
	thinks("OpenRouter: a summary and what is encrypted", "hm",
		ChatChoice(`"delta":{"reasoning_details":[{"type":"reasoning.summary","summary":"h","index":0}]}`)+
			ChatChoice(`"delta":{"reasoning_details":[{"type":"reasoning.summary","summary":"m","index":0},{"type":"reasoning.encrypted","data":"eA==","index":1}]}`)+
			ChatPiece(`"Good answer"`)+ChatEnds("stop")+ChatDone),
	thinks("one thought under two names", "hm",
		ChatChoice(`"delta":{"reasoning_content":"hm","reasoning":"hm"}`)+ChatPiece(`"Good answer"`)+ChatEnds("stop")+ChatDone),
	thinks("thoughts that are empty", "",
		ChatChoice(`"delta":{"reasoning_content":"","content":"Good "}`)+
			ChatChoice(`"delta":{"reasoning_content":null,"content":"answer"}`)+ChatEnds("stop")+ChatDone),
	thinks("LiteLLM: thinking blocks", "hm",
		ChatChoice(`"delta":{"reasoning_content":"hm","thinking_blocks":[{"type":"thinking","thinking":"hm","signature":null}]}`)+
			ChatChoice(`"delta":{"thinking_blocks":[{"type":"thinking","thinking":"","signature":"c2ln"}]}`)+ChatPiece(`"Good answer"`)+ChatEnds("stop")+ChatDone),
	odd(thinks("Qwen that thinks nothing", "", ChatPiece(`"<think>\n\n</think>\n\nGood answer"`)+ChatEnds("stop")+ChatDone)),
	odd(thinks("a whole message with reasoning", "hm",
		`{"choices":[{"message":{"role":"assistant","reasoning_content":"hm","content":"Good answer"},"finish_reason":"stop"}]}`)),
	odd(good("whole JSON", `{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"Good answer"},"finish_reason":"stop"}]}`)),
	odd(good("whole JSON in lines", "{\n \"choices\": [\n  {\"message\": {\"content\": \"Good answer\"},\n \"finish_reason\": \"stop\"}\n ]\n}\n")),
	odd(good("a JSON object in each line",
		`{"choices":[{"delta":{"content":"Good "}}]}`+"\n"+
			`{"choices":[{"delta":{"content":"answer"},"finish_reason":"stop"}]}`+"\n")),
	odd(good("a list of objects", `[{"choices":[{"delta":{"content":"Good "}}]},{"choices":[{"delta":{"content":"answer"},"finish_reason":"stop"}]}]`)),
	odd(lost("whole JSON, cut", "", `{"choices":[{"message":{"content":"Good answer"},"finish_re`)),
	odd(good("error: null", `data: {"error":null,"choices":[{"index":0,"delta":{"content":"Good answer"}}]}`+"\n\n"+ChatEnds("stop")+ChatDone)),
	odd(good("error: false, empty",
		`data: {"error":false,"choices":[]}`+"\n\n"+`data: {"error":""}`+"\n\n"+`data: {"error":{}}`+"\n\n"+
			`data: {"error":{"message":"","code":null}}`+"\n\n"+ChatPiece(`"Good answer"`)+ChatEnds("stop")+ChatDone)),
	good("indices as text", `data: {"choices":[{"index":"0","delta":{"content":"Good answer"},"finish_reason":"stop"}]}`+"\n\n"+ChatDone),
	good("two choices of one index",
		`data: {"choices":[{"index":0,"delta":{"content":"Good "}},`+
			`{"index":0,"delta":{"content":"answer"},"finish_reason":"stop"}]}`+"\n\n"+ChatDone),
	odd(good("a message in place of deltas", `data: {"choices":[{"index":0,"message":{"content":"Good answer"},"finish_reason":"stop"}]}`+"\n\n"+ChatDone)),
	good("the message beside each delta",
		`data: {"choices":[{"index":0,"delta":{"content":"Good answer"},`+
			`"message":{"content":"Good answer"},"finish_reason":"stop"}]}`+"\n\n"+ChatDone),
	odd(good("a text that is continued",
		`data: {"choices":[{"index":0,"text":"Good "}]}`+"\n\n"+
			`data: {"choices":[{"index":0,"text":"answer","finish_reason":"stop"}]}`+"\n\n"+ChatDone)),
	lost("no text at all", "", ChatFirst()+ChatEnds("stop")+ChatDone),

	calls("TOOL_CALLS", ChatParts(ChatHead(0, "c1", "look", `{"q":"a"}`))+ChatEnds("TOOL_CALLS")+ChatDone, `{"q":"a"}`),
	calls("tool_use", ChatParts(ChatHead(0, "c1", "look", `{"q":"a"}`))+ChatEnds("tool_use")+ChatDone, `{"q":"a"}`),
	calls("a reason behind each call",
		ChatParts(ChatHead(0, "c1", "look", `{"q":"a"}`))+ChatEnds("tool_calls")+ChatParts(ChatHead(1, "c2", "look",
			`{"q":"b"}`))+ChatEnds("tool_calls")+ChatDone,
		`{"q":"a"}`, `{"q":"b"}`),
	calls("null for an optional member", ChatParts(ChatHead(0, "c1", "look", `{"q":"a","n":null}`))+ChatEnds("tool_calls")+ChatDone, `{"q":"a"}`),
	calls("a number as text", ChatParts(ChatHead(0, "c1", "look", `{"q":"a","n":"5"}`))+ChatEnds("tool_calls")+ChatDone, `{"n":5,"q":"a"}`),
	calls("the object as text", ChatParts(ChatHead(0, "c1", "look", `"{\"q\":\"a\"}"`))+ChatEnds("tool_calls")+ChatDone, `{"q":"a"}`),
	calls("a tag behind", ChatParts(ChatHead(0, "c1", "look", `{"q":"a"}</tool_call>`))+ChatEnds("tool_calls")+ChatDone, `{"q":"a"}`),
	calls("a fence", ChatParts(ChatHead(0, "c1", "look", "```json\n{\"q\":\"a\"}\n```"))+ChatEnds("tool_calls")+ChatDone, `{"q":"a"}`),
	calls("{} first", ChatParts(ChatHead(0, "c1", "look", `{}`))+ChatParts(ChatMore(0, `{"q":"a"}`))+ChatEnds("tool_calls")+ChatDone, `{"q":"a"}`),
	odd(calls("the whole call again",
		ChatParts(ChatHead(0, "c1", "look", ""))+ChatParts(ChatMore(0, `{"q":"a"}`))+ChatParts(ChatHead(0, "c1", "look",
			`{"q":"a"}`))+ChatEnds("tool_calls")+ChatDone,
		`{"q":"a"}`)),
	calls("functions.look", ChatParts(ChatHead(0, "c1", "functions.look", `{"q":"a"}`))+ChatEnds("tool_calls")+ChatDone, `{"q":"a"}`),
	calls("look<|channel|>commentary",
		ChatParts(ChatHead(0, "c1", "look<|channel|>commentary", `{"q":"a"}`))+ChatEnds("tool_calls")+ChatDone,
		`{"q":"a"}`),
	odd(calls("the head under another index",
		ChatParts(ChatHead(0, "c1", "look", `{"q":"a"}`))+ChatParts(ChatHead(0, "c2", "look", ""))+ChatParts(ChatMore(1,
			`{"q":"b"}`))+ChatEnds("tool_calls")+ChatDone,
		`{"q":"a"}`, `{"q":"b"}`)),
	odd(calls("function_call",
		ChatChoice(`"delta":{"function_call":{"name":"look","arguments":""}}`)+ChatChoice(`"delta":{"function_call":{"arguments":"{\"q\":\"a\"}"}}`)+
			ChatEnds("function_call")+ChatDone,
		`{"q":"a"}`)),
	calls("a name in two pieces",
		ChatParts(ChatHead(0, "c1", "lo", ""))+ChatParts(ChatHead(0, "", "ok", ""))+ChatParts(ChatMore(0, `{"q":"a"}`))+ChatEnds("tool_calls")+ChatDone,
		`{"q":"a"}`),

	{Name: "408", Status: 408, Body: "", Message: "The model's provider failed", Requests: 3},
	{Odd: true, Name: "500", Status: 500, Body: `{"error":"internal"}`, Message: "The model's provider failed", Requests: 3},
	{Name: "502", Status: 502, Body: "<html>", Message: "The model's provider failed", Requests: 3},
	{Name: "504", Status: 504, Body: "", Message: "The model's provider failed", Requests: 3},
	{Name: "529", Status: 529, Body: `{"error":{"type":"overloaded_error"}}`, Message: "The model is busy", Requests: 3},
	{Name: "429 that will not pass", Status: 429, Body: `{"error":{"code":"insufficient_quota"}}`, Message: "This service's account", Requests: 1},
	{Name: "402", Status: 402, Body: "", Message: "This service's account", Requests: 1},
	{Name: "401", Status: 401, Body: "", Message: "The model's provider does not accept this service's key", Requests: 1},
}
