package sdk_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// FuzzAnswer responds to each operation with any body. The operations accept the same JSON as
// encoding/json, and return only valid JSON.
func FuzzAnswer(f *testing.F) {
	for _, v := range readVectors[messageVector](f, "messages.json") {
		f.Add([]byte(`{"chat_id":"c1","message":` + v.text() + `,"messages":[` + v.text() + `],"chats":[` + v.text() + `]}`))
	}
	for _, v := range readVectors[errorVector](f, "errors.json") {
		if v.Times == 0 {
			f.Add([]byte(v.body()))
		}
	}
	f.Add([]byte(`{"memories_by_user":{"u1":[` + memoryReply + `,null,5],"\ud83d":{}}}`))
	f.Add([]byte(`[` + memoryReply + `,{"span":{"start":1},"conflicts_with":["a",1]}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, raws := range []func(*testing.T, []byte) ([]wire.JSON, error){
			rawsOfChats, rawsOfHistory, rawsOfSend, rawsOfError, rawsOfMemories, rawsOfUserMemories,
		} {
			list, err := raws(t, body)
			if err == nil {
				require.True(t, json.Valid(body), "%q", body)
			} else {
				require.NotEmpty(t, apiError(t, err).Message)
				require.True(t, utf8.ValidString(err.Error()))
			}
			for _, raw := range list {
				require.True(t, json.Valid(raw), "%q", raw)
				require.True(t, utf8.Valid(raw), "%q", raw)
			}
		}
	})
}

func rawsOfChats(t *testing.T, body []byte) ([]wire.JSON, error) {
	client, _ := openPage(t, jsonReply(string(body)))
	page, err := client.ListChats(t.Context(), sdk.ListChatsOptions{})
	if err != nil {
		return nil, err
	}
	list := []wire.JSON{page.Raw}
	for _, chat := range page.Chats {
		if chat.Raw != nil {
			list = append(list, chat.Raw)
		}
	}
	return list, nil
}

func rawsOfHistory(t *testing.T, body []byte) ([]wire.JSON, error) {
	client, _ := openPage(t, jsonReply(string(body)))
	history, err := client.GetChatHistory(t.Context(), "c1", sdk.GetChatHistoryOptions{})
	if err != nil {
		return nil, err
	}
	list := []wire.JSON{history.Raw}
	for _, message := range history.Messages {
		require.True(t, utf8.ValidString(message.Content))
		if message.Raw != nil {
			list = append(list, message.Raw)
		}
	}
	return list, nil
}

func rawsOfSend(t *testing.T, body []byte) ([]wire.JSON, error) {
	client, _ := openPage(t, jsonReply(string(body)))
	response, err := client.SendMessage(t.Context(), "hi", sdk.SendMessageOptions{})
	if err != nil {
		return nil, err
	}
	return []wire.JSON{response.Raw, response.Message.Raw}, nil
}

func rawsOfMemories(t *testing.T, body []byte) ([]wire.JSON, error) {
	client, _ := openPage(t, jsonReply(string(body)))
	response, err := client.ListMemories(t.Context(), "a1", sdk.ListMemoriesOptions{})
	if err != nil {
		return nil, err
	}
	list := []wire.JSON{response.Raw}
	for _, memories := range response.MemoriesByUser {
		list = append(list, rawsOf(memories)...)
	}
	return list, nil
}

func rawsOfUserMemories(t *testing.T, body []byte) ([]wire.JSON, error) {
	client, _ := openPage(t, jsonReply(string(body)))
	page, err := client.ListUserMemories(t.Context(), "a1", "u1", sdk.ListUserMemoriesOptions{})
	if err != nil {
		return nil, err
	}
	return rawsOf(page.Memories), nil
}

func rawsOf(memories []sdk.Memory) []wire.JSON {
	var list []wire.JSON
	for _, memory := range memories {
		list = append(list, memory.Raw)
	}
	return list
}

func rawsOfError(t *testing.T, body []byte) ([]wire.JSON, error) {
	client, _ := openPage(t, reply{status: 400, body: reads(string(body))})
	return nil, client.DeleteChat(t.Context(), "c1")
}

// FuzzText compares the SDK's reading of escapes in a string with that of encoding/json.
func FuzzText(f *testing.F) {
	for _, inner := range []string{`a`, `\ud83d\ude00`, `\ud83d`, `\ude00\ud83dx`, `\ud83d\u0041`, `\"\\\/\b\f\n\r\t\u0000`, "\x7f\u2028ü", `\\ud83d`, "\xff\xc3"} {
		f.Add(inner)
	}
	f.Fuzz(func(t *testing.T, inner string) {
		inner = strings.ToValidUTF8(inner, "\uFFFD")
		var want string
		if json.Unmarshal([]byte(`"`+inner+`"`), &want) != nil {
			t.Skip()
		}
		client, _ := openPage(t, jsonReply(`{"message":{"response":"`+inner+`","id":"`+inner+`"}}`))
		response, err := client.SendMessage(t.Context(), "hi", sdk.SendMessageOptions{})
		require.NoError(t, err)
		require.Equal(t, want, response.Message.ID)
		require.Equal(t, want, response.Message.Content)
		require.Equal(t, want, exactly(t, response.Message.Raw).(map[string]any)["content"])
	})
}

// FuzzStream reads any event stream as a whole, in reads of any sizes, and byte by byte, where the
// decoder reads ordinary chunks too. The outcome is always the same.
func FuzzStream(f *testing.F) {
	const first = "id: 2\nevent: chunk\ndata: {\"text\":\"One \"}\n\n"
	for _, second := range []string{
		"id: 3\nevent: chunk\ndata: {\"text\":\"ü漢😀\"}\n\n",
		"id: 3\nevent: chunk\ndata: {\"text\":\"\xff\xed\"}\n\n",
		"id: 3\nevent: chunk\ndata: {\"text\":\"a\tb\"}\n\n",
		"id: 3\nevent: chunk\ndata: {\"text\":\"a\\n\"}\n\n",
		"id: 3\nevent: chunk\ndata: {\"text\":\"\\\"a\\\\ \\t\\r\\\"\"}\n\n",
		"id: 3\nevent: chunk\ndata: {\"text\":\"\\\\\"}\n\n",
		"id: 3\nevent: chunk\ndata: {\"text\":\"\\\"}\n\n",
		"id: 3\nevent: chunk\ndata: {\"text\":\"a\\u0041\\/\\b\"}\n\n",
		"id: 3\nevent: chunk\ndata: {\"text\":\"\\x\"}\n\n",
		"id: 4\nevent: chunk\ndata: {\"text\":\"a\"}\n\n",
		"id: 2\nevent: chunk\ndata: {\"text\":\"a\"}\n\n",
		"id: 03\nevent: chunk\ndata: {\"text\":\"a\"}\n\n",
		"id: 3\nevent: chunk\ndata: {\"text\":\"a\"}\n\r\n",
		"id: 3\nevent: chunk\ndata: {\"text\":\"a\"} \n\n",
		"id: 3\nevent: chunk\ndata: {\"text\":\"\"}\n\nid: 3\n",
		"event: chunk\ndata: {\"text\":\"a\"}\n\n",
		"\nid: 3\nevent: chunk\ndata: {\"text\":\"a\"}\n\n",
		"id: 3\nevent: chunk\ndata: {\"text\":5}\n\n",
	} {
		third := "id: 4\nevent: chunk\ndata: {\"text\":\"three\"}\n\n"
		f.Add([]byte(stream(numbered(start())...)+first+second+third+stream(written{id: 5, event: "end", data: "{}"})), []byte{200})
	}
	f.Add([]byte(stream(everyEvent()...)), []byte{1})
	f.Add([]byte(strings.ReplaceAll(stream(everyEvent()...), "\n", "\r")), []byte{3, 1})
	f.Add([]byte(stream(answerOf("a", "b")...)), []byte{200})
	f.Add([]byte(stream(start(), written{event: "error", data: `{"status_code":502,"error":{"message":"m"},"detail":[]}`}, end())), []byte{7})
	for _, test := range mismatches() {
		f.Add([]byte(test.stream), []byte{11, 2})
	}
	f.Fuzz(func(t *testing.T, text, sizes []byte) {
		want := cutOutcome(t, text, nil)
		require.Equal(t, want, cutOutcome(t, text, sizes))
		require.Equal(t, want, cutOutcome(t, text, []byte{0}))
		if want.err == nil {
			require.Equal(t, wire.EventEnd, want.events[len(want.events)-1].Type)
			require.NotNil(t, want.complete)
		}
		for _, event := range want.events {
			require.True(t, event.Object == nil || json.Valid(event.Object))
			require.True(t, utf8.ValidString(event.Text))
		}
	})
}

// cutOutcome reads the stream in pieces of the given sizes, which it repeats.
func cutOutcome(t *testing.T, text, sizes []byte) outcome {
	b := &body{}
	for i := 0; len(text) > 0; i++ {
		n := len(text)
		if len(sizes) > 0 {
			n = min(n, int(sizes[i%len(sizes)])+1)
		}
		b.left = append(b.left, text[:n])
		text = text[n:]
	}
	client, _ := openPage(t, reply{header: streamHeader(), body: b}, jsonReply(storedReply))
	return outcomeOf(t, client, sdk.SendMessageOptions{})
}

// FuzzAppendString compares strings that the SDK writes with those of encoding/json.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "a", "\"\\\n\r\t\b\f\x00\x1f\x7f", "ü漢😀\u2028\ufffd", "\xff\xed\xa0\x80a\xc3", "</script>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := sdk.AppendString([]byte("before"), s)
		require.True(t, bytes.HasPrefix(text, []byte("before")))
		text = text[len("before"):]
		require.True(t, utf8.Valid(text))
		var got, want string
		require.NoError(t, json.Unmarshal(text, &got))
		require.NoError(t, json.Unmarshal(marshal(t, s), &want))
		require.Equal(t, want, got)
	})
}
