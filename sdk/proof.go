package sdk

import (
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/valyala/fastjson"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// complete gives the message of a complete event, if what was read is what the
// proof says; otherwise the message that the service has stored.
func (r *streamReader) complete(event *Event, v *fastjson.Value) error {
	if v.Get("message") == nil {
		return r.cut(errors.New("the complete event has no message"))
	}
	proven := r.proven(v)
	r.client.normalField(new(fastjson.Arena), v, "message")
	message := decodeMessage(v.Get("message"))
	if !proven {
		stored, err := r.stored(message)
		if err != nil {
			return err
		}
		message = *stored
	}
	r.completed = true
	event.Message = &message
	return nil
}

// proven holds the chunks that were read, and the message's own text, against
// the proof. A server that gives none has nothing to be held to.
func (r *streamReader) proven(v *fastjson.Value) bool {
	if !v.Exists("crc32") {
		return true
	}
	content := v.GetStringBytes("message", "content")
	return v.GetInt("chunks") == r.chunks &&
		v.GetInt("bytes") == r.bytes && len(content) == r.bytes &&
		text(v, "crc32") == checksum(r.crc) && crc32.ChecksumIEEE(content) == r.crc
}

func checksum(crc uint32) string { return fmt.Sprintf("%08x", crc) }

// stored reads the finished message from the chat's history.
func (r *streamReader) stored(message wire.Message) (*wire.Message, error) {
	chatID := message.ChatID
	if chatID == "" && r.start != nil {
		chatID = r.start.ChatID
	}
	history, err := r.client.GetChatHistory(r.ctx, chatID)
	if err != nil {
		return nil, lost(r.ctx, err, r.cut(fmt.Errorf("what arrived differs from its proof, and the history could not be read: %w", err)))
	}
	for i := range history.Messages {
		if history.Messages[i].ID == message.ID && history.Messages[i].FinishReason != "" {
			return &history.Messages[i], nil
		}
	}
	return nil, r.cut(errors.New("what arrived differs from its proof, and the history has no finished message of that id"))
}
