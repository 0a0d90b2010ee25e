package providertest

import (
	"encoding/base64"
	"regexp"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/gemini"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
)

// Gemini is generateContent with streaming, as Google's servers and proxies send it.
var Gemini = Kind{
	Name:    "gemini",
	New:     func(config upstream.Config) (Provider, error) { return gemini.New(config) },
	IsEnded: isGeminiEnded,
	Cases:   geminiCases,
}

var (
	geminiReason = regexp.MustCompile(`(?i)"finishReason":"[a-eg-z]`) // FINISH_REASON_UNSPECIFIED is none
	geminiMore   = regexp.MustCompile(`"text":"[^"]|"functionCall"|"inlineData"`)
)

// isGeminiEnded reports whether a part of a stream has a finish reason at or behind all of the answer. Nothing is read
// behind the [DONE] of a gateway, or a failure.
func isGeminiEnded(stream string) bool {
	reason, more := -1, -1
	events := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(stream), "\n\n")
	for i, event := range events[:len(events)-1] { // the last one is cut, or empty
		if strings.Contains(event, "[DONE]") || strings.Contains(event, `"error":`) {
			break
		}
		if geminiMore.MatchString(event) && !strings.Contains(event, `"index":1`) {
			more = i
		}
		if geminiReason.MatchString(event) {
			reason = i
		}
	}
	return reason >= 0 && reason >= more
}

// GeminiEvent is an event with the members of a response.
func GeminiEvent(members string) string {
	return `data: {` + members + `,"modelVersion":"test-1","responseId":"r1"}` + "\r\n\r\n"
}

// GeminiParts is an event whose candidate has parts, JSON objects.
func GeminiParts(parts ...string) string { return GeminiEnds("", parts...) }

// GeminiEnds is an event whose candidate has parts, and the finish reason if there is one.
func GeminiEnds(reason string, parts ...string) string {
	if reason != "" {
		reason = `"finishReason":"` + reason + `",`
	}
	return GeminiEvent(`"candidates":[{"content":{"parts":[` + strings.Join(parts, ",") + `],"role":"model"},` + reason + `"index":0}]`)
}

// GeminiText is a part with text.
func GeminiText(text string) string { return `{"text":` + Literal(text) + `}` }

// geminiStatus is the body of a refusal: a google.rpc.Status with details.
func geminiStatus(code, message, status string, details ...string) string {
	return `{"error":{"code":` + code + `,"message":"` + message + `","status":"` + status + `","details":[` + strings.Join(details, ",") + `]}}`
}

const (
	geminiThought = `{"text":"**Greeting**\n\nHm.","thought":true}`
	geminiUsage   = `"usageMetadata":{"promptTokenCount":9,"cachedContentTokenCount":4,"candidatesTokenCount":3,"thoughtsTokenCount":5,"totalTokenCount":19,` +
		`"toolUsePromptTokenCount":2,"promptTokensDetails":[{"modality":"TEXT","tokenCount":9}]}`
	geminiSigned = `{"functionCall":{"name":"look","args":{"q":"a"}},"thoughtSignature":"c2ln"}`
	geminiFirst  = `{"functionCall":{"id":"f1","name":"look","args":{"q":"a","n":1}},"thoughtSignature":"c2ln"}`
	geminiSecond = `{"functionCall":{"id":"f2","name":"look","args":{"q":"b"}}}`
	retryLater   = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.07s"}`
	quotaOfDay   = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"generativelanguage.googleapis.com/requests",` +
		`"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier","quotaValue":"20"}]}`
	badKey = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com",` +
		`"metadata":{"service":"generativelanguage.googleapis.com"}}`
)

var tinyPNG = base64.StdEncoding.EncodeToString(imagetest.PNG(1, 1))

var geminiGood = GeminiParts(GeminiText("Good ")) + GeminiParts(GeminiText("answer"))

var geminiCases = []Case{
	good("STOP", geminiGood+GeminiEnds("STOP", GeminiText(""))),
	good("STOP in the event with the text", GeminiParts(GeminiText("Good "))+GeminiEnds("STOP", GeminiText("answer"))),
	good("STOP in each event, as of Gemini 1.0", GeminiEnds("STOP", GeminiText("Good "))+GeminiEnds("STOP", GeminiText("answer"))),
	good("STOP without content", geminiGood+GeminiEvent(`"candidates":[{"finishReason":"STOP","index":0}]`)),
	good("two texts in an event", GeminiEnds("STOP", GeminiText("Good "), GeminiText("answer"))),
	good("empty parts", GeminiParts()+GeminiEvent(`"candidates":[{"content":{},"index":0}]`)+GeminiParts(`{}`, GeminiText(""))+geminiGood+GeminiEnds("STOP")),
	good("no candidates in between", GeminiEvent(`"usageMetadata":{"promptTokenCount":9}`)+geminiGood+GeminiEvent(`"candidates":[]`)+GeminiEnds("STOP")),
	good("usage behind the end", geminiGood+GeminiEnds("STOP")+GeminiEvent(geminiUsage)),
	reads("MAX_TOKENS", "Good answer", wire.FinishLength, geminiGood+GeminiEnds("MAX_TOKENS")),
	odd(reads("CONTINUATION", "Good answer", wire.FinishLength, geminiGood+GeminiEnds("CONTINUATION"))), // the library would ask for more
	{Name: "usage", Body: geminiGood + GeminiEvent(`"candidates":[{"content":{"parts":[]},"finishReason":"STOP","index":0}],`+geminiUsage), Text: "Good answer",
		Finish: wire.FinishStop, Usage: &wire.Usage{InputTokens: 11, CachedTokens: 4, OutputTokens: 8, ReasoningTokens: 5}},
	{Name: "thoughts", Body: GeminiParts(geminiThought) + GeminiParts(`{"text":" So.","thought":true}`) + geminiGood +
		GeminiEnds("STOP", `{"text":"","thoughtSignature":"c2ln"}`), Text: "Good answer", Reasoning: "**Greeting**\n\nHm. So.", Finish: wire.FinishStop},
	good("a signature of the text", GeminiEnds("STOP", `{"text":"Good answer","thoughtSignature":"c2ln"}`)),
	good("ratings, grounding and citations", geminiGood+GeminiEvent(`"candidates":[{"content":{"parts":[]},"finishReason":"STOP","index":0,`+
		`"safetyRatings":[{"category":"HARM_CATEGORY_HARASSMENT","probability":"NEGLIGIBLE"}],"groundingMetadata":{"webSearchQueries":["x"]},`+
		`"citationMetadata":{"citationSources":[{"startIndex":0,"endIndex":4,"uri":"https://example.org/"}]},"avgLogprobs":-0.1}]`)),
	good("a second candidate", GeminiEvent(`"candidates":[{"content":{"parts":[{"text":"Bad"}]},"index":1}]`)+geminiGood+GeminiEnds("STOP")),
	good("code that Google ran", GeminiParts(`{"executableCode":{"language":"PYTHON","code":"1"}}`, `{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}`)+
		geminiGood+GeminiEnds("STOP")),
	{Name: "an image", Body: GeminiParts(GeminiText("Good answer")) + GeminiEnds("STOP", `{"inlineData":{"mimeType":"image/png","data":"`+tinyPNG+`"}}`),
		Text: "Good answer", Images: 1, Finish: wire.FinishStop},
	{Name: "an image alone", Body: GeminiEnds("STOP", `{"inlineData":{"mimeType":"image/png","data":"`+tinyPNG+`"},"thoughtSignature":"c2ln"}`),
		Images: 1, Finish: wire.FinishStop, Requests: 1},
	good("a file that is no image", geminiGood+GeminiEnds("STOP", `{"inlineData":{"mimeType":"audio/L16","data":"AAAA"}}`)),
	good("an image of a thought", GeminiParts(`{"inlineData":{"mimeType":"image/png","data":"`+tinyPNG+`"},"thought":true}`)+geminiGood+GeminiEnds("STOP")),

	calls("a call", GeminiParts(geminiSigned)+GeminiEnds("STOP", GeminiText("")), `{"q":"a"}`),
	calls("a call with an id", GeminiEnds("STOP", geminiFirst), `{"q":"a","n":1}`),
	calls("two calls in an event", GeminiEnds("STOP", geminiFirst, geminiSecond), `{"q":"a","n":1}`, `{"q":"b"}`),
	calls("two calls in two events", GeminiParts(geminiFirst)+GeminiParts(geminiSecond)+GeminiEnds("STOP"), `{"q":"a","n":1}`, `{"q":"b"}`),
	calls("two calls without ids", GeminiEnds("STOP", geminiSigned, geminiSigned), `{"q":"a"}`, `{"q":"a"}`),
	{Name: "thoughts, text and a call", Body: GeminiParts(geminiThought) + GeminiParts(GeminiText("Good answer")) + GeminiEnds("STOP", geminiSigned),
		Text: "Good answer", Reasoning: "**Greeting**\n\nHm.", Calls: []string{`{"q":"a"}`}, Finish: wire.FinishStop},

	lost("SAFETY", "Good answer", geminiGood+GeminiEnds("SAFETY")), lost("RECITATION", "Good answer", geminiGood+GeminiEnds("RECITATION")),
	lost("LANGUAGE", "Good answer", geminiGood+GeminiEnds("LANGUAGE")), lost("BLOCKLIST", "Good answer", geminiGood+GeminiEnds("BLOCKLIST")),
	lost("PROHIBITED_CONTENT", "Good answer", geminiGood+GeminiEnds("PROHIBITED_CONTENT")), lost("SPII", "Good answer", geminiGood+GeminiEnds("SPII")),
	lost("IMAGE_SAFETY", "", GeminiEnds("IMAGE_SAFETY")), lost("IMAGE_PROHIBITED_CONTENT", "", GeminiEnds("IMAGE_PROHIBITED_CONTENT")),
	lost("IMAGE_RECITATION", "", GeminiEnds("IMAGE_RECITATION")), lost("IMAGE_OTHER", "", GeminiEnds("IMAGE_OTHER")), lost("NO_IMAGE", "", GeminiEnds("NO_IMAGE")),
	lost("MALFORMED_FUNCTION_CALL", "", GeminiEvent(`"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL",`+
		`"finishMessage":"Malformed function call: print(look)","index":0}]`)),
	lost("UNEXPECTED_TOOL_CALL", "", GeminiEnds("UNEXPECTED_TOOL_CALL")), lost("TOO_MANY_TOOL_CALLS", "", GeminiEnds("TOO_MANY_TOOL_CALLS")),
	lost("OTHER", "Good answer", geminiGood+GeminiEnds("OTHER")),
	lost("FINISH_REASON_UNSPECIFIED", "Good answer", geminiGood+GeminiEnds("FINISH_REASON_UNSPECIFIED")),
	{Name: "MAX_TOKENS in the thoughts", Body: GeminiEnds("MAX_TOKENS"), Message: "The model reached its limit before it said anything", Requests: 2},
	{Name: "STOP and nothing", Body: GeminiEnds("STOP", GeminiText("")), Message: "The model ended its answer without a word", Requests: 2},
	{Name: "a prompt that is blocked", Body: GeminiEvent(`"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":9}`),
		Message: "The model's provider rejected the question because of its content filter", Requests: 1},
	{Name: "a prompt that is blocked for another reason", Body: GeminiEvent(`"promptFeedback":{"blockReason":"OTHER"}`),
		Message: "The model's provider rejected the question because of its content filter", Requests: 1},
	{Name: "no candidates at all", Body: GeminiEvent(geminiUsage), Message: "The model sent something that is not an answer", Requests: 1},
	{Name: "no reason", Body: geminiGood, Text: "Good answer", Message: "The model's answer broke off"},
	lost("text after a reason, and nothing", "Good answer", GeminiEnds("STOP", GeminiText("Good "))+GeminiParts(GeminiText("answer"))),
	{Name: "a failure in the stream", Body: geminiGood + "data: " + geminiStatus("503", "The model is overloaded.", "UNAVAILABLE") + "\r\n\r\n",
		Text: "Good answer", Message: "The model is busy"},
	{Name: "a quota in the stream", Body: "data: " + geminiStatus("429", "Resource has been exhausted (e.g. check quota).", "RESOURCE_EXHAUSTED") + "\r\n\r\n",
		Message: "The model's provider takes no more questions at the moment"},

	odd(good("[DONE]", geminiGood+GeminiEnds("STOP")+"data: [DONE]\n\n")),
	odd(good("a list of objects",
		`[{"candidates":[{"content":{"parts":[{"text":"Good "}]}}]},`+"\n"+
			`{"candidates":[{"content":{"parts":[{"text":"answer"}]},"finishReason":"STOP"}]}]`)),
	odd(good("whole JSON", `{"candidates":[{"content":{"parts":[{"text":"Good answer"}],"role":"model"},"finishReason":"STOP","index":0}]}`)),
	odd(lost("a list of objects, cut", "", `[{"candidates":[{"content":{"parts":[{"text":"Good "}]}}]},`+"\n"+`{"candidates":[{"con`)),
	odd(good("odd data", "data:\n\ndata: null\n\ndata: 1\n\n: ping\n\n"+geminiGood+GeminiEnds("STOP"))),
	odd(good("an end in small letters", geminiGood+GeminiEnds("stop"))),
	odd(lost("a call in parts", "",
		GeminiEnds("STOP", `{"functionCall":{"name":"look","partialArgs":[{"jsonPath":"$.q","stringValue":"a"}],"willContinue":true}}`))),
	odd(lost("candidates that are no list", "", GeminiEvent(`"candidates":{"content":"x"}`))),

	refusal("a wrong key", 400, geminiStatus("400", "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", badKey),
		"The model's provider does not accept this service's key", 1),
	refusal("an argument", 400, geminiStatus("400", "Invalid value at 'generation_config.top_k'", "INVALID_ARGUMENT"),
		"The model's provider rejected the question",
		1),
	refusal("a country", 400, geminiStatus("400", "User location is not supported for the API use.", "FAILED_PRECONDITION"),
		"The model's provider does not let this service ask this model", 1),
	refusal("too long", 400, geminiStatus("400", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", "INVALID_ARGUMENT"),
		"The model's provider rejected the question, because it and its chat are too long", 1),
	refusal("too large", 400, geminiStatus("400", "Request payload size exceeds the limit: 20971520 bytes.", "INVALID_ARGUMENT"),
		"The model's provider rejected the question, because it and its chat are too long", 1),
	refusal("a key that was reported", 403, geminiStatus("403", "Your API key was reported as leaked. Please use another API key.", "PERMISSION_DENIED"),
		"The model's provider does not accept this service's key", 1),
	refusal("no access", 403, geminiStatus("403", "The caller does not have permission", "PERMISSION_DENIED"),
		"The model's provider does not let this service ask this model", 1),
	refusal("no such model", 404, geminiStatus("404", "models/test-1 is not found for API version v1beta, or is not supported for generateContent.", "NOT_FOUND"),
		"The model does not exist at its provider", 1),
	refusal("a rate", 429, geminiStatus("429", "You exceeded your current quota. Please retry in 34.07s.", "RESOURCE_EXHAUSTED", retryLater),
		"The model's provider takes no more questions at the moment", 1),
	refusal("a quota of the day", 429, geminiStatus("429", "You exceeded your current quota.", "RESOURCE_EXHAUSTED", quotaOfDay, retryLater),
		"This service's account", 1),
	refusal("499", 499, geminiStatus("499", "The operation was cancelled.", "CANCELLED"), "The model's provider failed", 1),
	refusal("500", 500, geminiStatus("500", "An internal error has occurred.", "INTERNAL"), "The model's provider failed", 3),
	refusal("503", 503, geminiStatus("503", "The model is overloaded. Please try again later.", "UNAVAILABLE"), "The model is busy", 3),
	refusal("504", 504, geminiStatus("504", "Deadline expired before operation could complete.", "DEADLINE_EXCEEDED"), "The model's provider failed", 3),
	odd(refusal("a list", 400, "["+geminiStatus("400", "API key not valid.", "INVALID_ARGUMENT")+"]",
		"The model's provider does not accept this service's key", 1)),
}

func refusal(name string, status int, body, message string, requests int) Case {
	return Case{Name: name, Status: status, Body: body, Message: message, Requests: requests}
}
