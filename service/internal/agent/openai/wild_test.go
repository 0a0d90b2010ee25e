package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// wild are streams as real providers, gateways and local servers send them, each with what is right.
// Those with fails end as an error, with the text that came.
var wild = []struct {
	name, stream, text, finish string
	fails                      bool
}{
	{"Together: eos", piece(`"Good answer"`) + ends("eos") + done, "Good answer", wire.FinishStop, false},
	{"Bedrock: end_turn", piece(`"Good answer"`) + ends("end_turn") + done, "Good answer", wire.FinishStop, false},
	{"end", piece(`"Good answer"`) + ends("end") + done, "Good answer", wire.FinishStop, false},
	{"Gemini: STOP", piece(`"Good answer"`) + ends("STOP") + done, "Good answer", wire.FinishStop, false},
	{"Anthropic: stop_sequence", piece(`"Good answer"`) + ends("stop_sequence") + done, "Good answer", wire.FinishStop, false},
	{"Cohere: COMPLETE", piece(`"Good answer"`) + ends("COMPLETE") + done, "Good answer", wire.FinishStop, false},
	{"Anthropic: max_tokens", piece(`"Good answer"`) + ends("max_tokens") + done, "Good answer", wire.FinishLength, false},
	{"Gemini: MAX_TOKENS", piece(`"Good answer"`) + ends("MAX_TOKENS") + done, "Good answer", wire.FinishLength, false},
	{"Mistral: model_length", piece(`"Good answer"`) + ends("model_length") + done, "Good answer", wire.FinishLength, false},
	{"camel case", piece(`"Good answer"`) + choice(`"delta":{},"finishReason":"stop"`) + done, "Good answer", wire.FinishStop, false},
	{"Gemini: SAFETY", piece(`"Good"`) + ends("SAFETY") + done, "Good", "", true},
	{"Gemini: RECITATION", piece(`"Good"`) + ends("RECITATION") + done, "Good", "", true},
	{"[DONE] alone", piece(`"Good"`) + done, "Good", "", true},
	{"a closed connection", piece(`"Good"`), "Good", "", true},

	{"a reason in each chunk", choice(`"delta":{"content":"Good "},"finish_reason":"stop"`) + choice(`"delta":{"content":"answer"},"finish_reason":"stop"`) + done,
		"Good answer", wire.FinishStop, false},
	{"Open WebUI: a reason after the reasoning", choice(`"delta":{"reasoning_content":"hm"},"finish_reason":"stop"`) + piece(`"Good answer"`) + ends("stop") + done,
		"Good answer", wire.FinishStop, false},
	{"text after a reason, and [DONE]", ends("stop") + piece(`"Good answer"`) + done, "Good answer", wire.FinishStop, false},
	{"text after a reason, and nothing", piece(`"Good "`) + ends("stop") + piece(`"ans"`), "Good ans", "", true},
	{"a reason twice", piece(`"Good answer"`) + ends("stop") + choice(`"delta":{"content":""},"finish_reason":"stop"`) + done, "Good answer", wire.FinishStop, false},

	{"Mistral: content as a list", piece(`[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]`) + piece(`[{"type":"text","text":"Good "}]`) +
		piece(`"answer"`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"content as an object", piece(`{"type":"text","text":"Good answer"}`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"content as a list of texts", piece(`["Good ","answer"]`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"event: ping with a word", "event: ping\ndata: ping\n\n" + piece(`"Good answer"`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"empty and odd data", "data:\n\ndata: \n\ndata: null\n\ndata: 1\n\ndata: \"x\"\n\n" + piece(`"Good answer"`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"data twice", "data: " + piece(`"Good answer"`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"<think>", piece(`"<th"`) + piece(`"ink>hm</think>\n\nGood answer"`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"reasoning", choice(`"delta":{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]}`) + piece(`"Good answer"`) + ends("stop") + done,
		"Good answer", wire.FinishStop, false},
	{"whole JSON", `{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"Good answer"},"finish_reason":"stop"}]}`, "Good answer", wire.FinishStop, false},
	{"whole JSON in lines", "{\n \"choices\": [\n  {\"message\": {\"content\": \"Good answer\"},\n \"finish_reason\": \"stop\"}\n ]\n}\n", "Good answer", wire.FinishStop, false},
	{"a JSON object in each line", `{"choices":[{"delta":{"content":"Good "}}]}` + "\n" + `{"choices":[{"delta":{"content":"answer"},"finish_reason":"stop"}]}` + "\n",
		"Good answer", wire.FinishStop, false},
	{"a list of objects", `[{"choices":[{"delta":{"content":"Good "}}]},{"choices":[{"delta":{"content":"answer"},"finish_reason":"stop"}]}]`, "Good answer", wire.FinishStop, false},
	{"whole JSON, cut", `{"choices":[{"message":{"content":"Good answer"},"finish_re`, "", "", true},
	{"error: null", `data: {"error":null,"choices":[{"index":0,"delta":{"content":"Good answer"}}]}` + "\n\n" + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"error: false, empty", `data: {"error":false,"choices":[]}` + "\n\n" + `data: {"error":""}` + "\n\n" + `data: {"error":{}}` + "\n\n" +
		`data: {"error":{"message":"","code":null}}` + "\n\n" + piece(`"Good answer"`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"indices as text", `data: {"choices":[{"index":"0","delta":{"content":"Good answer"},"finish_reason":"stop"}]}` + "\n\n" + done, "Good answer", wire.FinishStop, false},
	{"two choices of one index", `data: {"choices":[{"index":0,"delta":{"content":"Good "}},{"index":0,"delta":{"content":"answer"},"finish_reason":"stop"}]}` + "\n\n" + done,
		"Good answer", wire.FinishStop, false},
	{"a message in place of deltas", `data: {"choices":[{"index":0,"message":{"content":"Good answer"},"finish_reason":"stop"}]}` + "\n\n" + done, "Good answer", wire.FinishStop, false},
	{"the message beside each delta", `data: {"choices":[{"index":0,"delta":{"content":"Good answer"},"message":{"content":"Good answer"},"finish_reason":"stop"}]}` + "\n\n" + done,
		"Good answer", wire.FinishStop, false},
	{"no text at all", first() + ends("stop") + done, "", "", true},
}

func TestStreamsOfRealProvidersAreRead(t *testing.T) {
	t.Parallel()
	read := 0
	for _, test := range wild {
		t.Run(test.name, func(t *testing.T) {
			got, _ := logged(t, test.stream)
			require.Equal(t, test.text, got.text())
			require.Equal(t, test.finish, got.finish)
			require.Equal(t, test.fails, got.err != nil, "%v", got.err)
			read++
		})
	}
	t.Logf("%d of %d streams are read rightly", read, len(wild))
	require.Equal(t, len(wild), read)
}
