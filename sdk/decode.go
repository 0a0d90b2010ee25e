package sdk

import (
	"errors"

	"github.com/valyala/fastjson"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// parse reads a JSON object. fastjson alone lets malformed texts through, which
// would then fail in the page, hence the validation before it.
func parse(parser *fastjson.Parser, text []byte) (*fastjson.Value, error) {
	if err := fastjson.ValidateBytes(text); err != nil {
		return nil, errors.New("malformed JSON") // fastjson's own text quotes the answer
	}
	value, err := parser.ParseBytes(text)
	if err != nil {
		return nil, errors.New("malformed JSON")
	}
	return value, nil
}

// answer parses the body of a successful answer.
func answer(operation string, body []byte) (*fastjson.Value, error) {
	value, err := parse(new(fastjson.Parser), body)
	if err == nil && value.Type() != fastjson.TypeObject {
		err = errors.New("no JSON object")
	}
	if err != nil {
		return nil, &APIError{Message: operation + ": the answer cannot be read: " + err.Error(), Cause: err}
	}
	return value, nil
}

func text(v *fastjson.Value, name string) string { return string(v.GetStringBytes(name)) }

func number(v *fastjson.Value, name string) float64 { return v.GetFloat64(name) }

func texts(v *fastjson.Value, name string) []string {
	var list []string
	for _, item := range v.GetArray(name) {
		s, err := item.StringBytes()
		if err == nil {
			list = append(list, string(s))
		}
	}
	return list
}

// raw is the JSON text of a value, nil where there is none.
func raw(v *fastjson.Value) wire.JSON {
	if v == nil || v.Type() == fastjson.TypeNull {
		return nil
	}
	return appendValue(nil, v)
}

// appendValue appends the JSON text of a value. fastjson's own MarshalTo writes
// Go escapes such as \x00, which are no JSON.
func appendValue(dst []byte, v *fastjson.Value) []byte {
	switch v.Type() {
	case fastjson.TypeString:
		return AppendString(dst, string(v.GetStringBytes()))
	case fastjson.TypeArray:
		dst = append(dst, '[')
		for i, item := range v.GetArray() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, item)
		}
		return append(dst, ']')
	case fastjson.TypeObject:
		dst = append(dst, '{')
		first := true
		v.GetObject().Visit(func(name []byte, item *fastjson.Value) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = appendValue(append(AppendString(dst, string(name)), ':'), item)
		})
		return append(dst, '}')
	}
	return v.MarshalTo(dst)
}

func decodeChat(v *fastjson.Value) wire.Chat {
	return wire.Chat{
		ChatID: text(v, "chat_id"), Name: text(v, "name"), DocumentKeys: texts(v, "document_keys"),
		Metadata: raw(v.Get("metadata")), UserID: text(v, "user_id"),
		CreatedAt: number(v, "created_at"), UpdatedAt: number(v, "updated_at"), Raw: raw(v),
	}
}

func decodeChats(v *fastjson.Value) wire.ListChatsResponse {
	list := wire.ListChatsResponse{NextCursor: v.GetInt64("next_cursor"), HasMore: v.GetBool("has_more")}
	for _, item := range v.GetArray("chats") {
		list.Chats = append(list.Chats, decodeChat(item))
	}
	return list
}

func decodeAgents(v *fastjson.Value) wire.ListAgentsResponse {
	list := wire.ListAgentsResponse{Models: texts(v, "models")}
	for _, item := range v.GetArray("agents") {
		list.Agents = append(list.Agents, wire.Agent{
			ID: text(item, "id"), Name: text(item, "name"), Type: text(item, "type"), Model: text(item, "model"), Raw: raw(item),
		})
	}
	return list
}

// decodeMessage reads a message that normal has seen.
func decodeMessage(v *fastjson.Value) wire.Message {
	m := wire.Message{
		ID: text(v, "id"), ChatID: text(v, "chat_id"), Role: text(v, "role"), Content: text(v, "content"),
		CreatedAt: number(v, "created_at"), ImageURLs: texts(v, "image_urls"), Metadata: raw(v.Get("metadata")),
		ModelName: text(v, "model_name"), AgentID: text(v, "agent_id"), FinishReason: text(v, "finish_reason"),
		MemoryIDs: texts(v, "memory_ids"), IsTest: v.GetBool("is_test"), StreamID: text(v, "stream_id"), Raw: raw(v),
	}
	if feedback := v.Get("feedback"); feedback != nil && feedback.Type() != fastjson.TypeNull {
		positive := feedback.GetBool()
		m.Feedback = &positive
	}
	for _, item := range v.GetArray("sources") {
		m.Sources = append(m.Sources, wire.Source{
			DocumentKey: text(item, "document_key"), Title: text(item, "title"), Snippet: text(item, "snippet"),
			Score: number(item, "score"), PassageID: text(item, "passage_id"),
			Start: item.GetInt("start"), End: item.GetInt("end"), URL: text(item, "url"),
		})
	}
	return m
}
