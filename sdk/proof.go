package sdk

import (
	"errors"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// complete handles the object of a complete event. If the chunks that were read do not match the event's proof, the
// connection has failed, and session.mend asks for the message that the service stored.
func (r *streamReader) complete(v jsontext.Value) error {
	if message := v.Get("message"); !r.proven(v, message) {
		r.unproven = message
		return r.cut(errors.New("what arrived differs from its proof"))
	}
	r.completed = true
	return nil
}

// proven compares the chunks that were read, and the message's own text, with the proof. Without a
// proof it returns true.
func (r *streamReader) proven(v, message jsontext.Value) bool {
	if !v.Get("crc32").Exists() {
		return true
	}
	return v.Get("chunks").Int() == int64(r.chunks) && v.Get("bytes").Int() == int64(r.text.length) &&
		text(v, "crc32") == r.text.checksum() && r.text.is(message.Get("content"))
}

// replaced uses the stored message to end an answer that does not match its proof.
func (s *session) replaced() ([]Part, error) {
	message := s.unproven
	s.unproven = nil
	stored, err := s.stored(text(message, "id"), text(message, "chat_id"))
	if err != nil {
		return nil, err
	}
	return []Part{newPart(wire.EventComplete, "", stored), newPart(wire.EventEnd, "", nil)}, nil
}

// fromStored ends an answer whose events the service no longer has.
func (s *session) fromStored() ([]Part, error) {
	message, err := s.stored(s.messageID, s.chatID)
	if err != nil {
		return nil, err
	}
	content := text(jsontext.Value(message), "content")
	if text(jsontext.Value(message), "finish_reason") == wire.FinishError {
		s.text = transcript{}
		s.text.append([]byte(content))
		return nil, s.beyond(errors.New("the answer failed, and its events are no longer kept"))
	}
	var events []Part
	if rest, ok := s.text.before(content); ok && rest != "" {
		events = append(events, chunkOf(rest))
	}
	return append(events, newPart(wire.EventComplete, "", message), newPart(wire.EventEnd, "", nil)), nil
}

// stored reads the finished message. Its error is an *APIError or the context's own.
func (r *streamReader) stored(id, chatID string) (wire.JSON, error) {
	if chatID == "" {
		chatID = r.chatID
	}
	if chatID == "" || id == "" {
		return nil, r.beyond(errors.New("what arrived differs from its proof, and the complete event names no message of a chat"))
	}
	message, err := r.client.message(r.ctx, r.operation, chatID, id)
	if err != nil {
		if r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		cause := because("the answer is incomplete, and the stored message could not be read", err)
		if failure, ok := errors.AsType[*APIError](err); ok && failure.Retryable() {
			return nil, r.cut(cause)
		}
		return nil, r.beyond(cause)
	}
	if text(message, "finish_reason") == "" {
		return nil, r.beyond(errors.New("the answer is incomplete, and the service has no finished message of that id"))
	}
	return wire.JSON(message), nil
}

// beyond is a cut that another connection would not repair.
func (r *streamReader) beyond(cause error) *APIError {
	r.over = true
	return r.cut(cause)
}
