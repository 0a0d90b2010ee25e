package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// sendMessage serves POST /v3/chat/message. The answer is a stream if the client accepts one,
// else one JSON body.
func (a *api) sendMessage(c *exchange) error {
	var mayStream, newChat bool
	stream, err := c.admitted(func(admission *chat.Admission, key string) (*chat.Stream, error) {
		fields, err := c.readForm()
		if err != nil {
			return nil, err
		}
		var send chat.Send
		if send, mayStream, err = fields.send(); err != nil {
			return nil, err
		}
		if err := a.config.Limits.checkMetadata(send.Metadata, wire.FieldMetadata); err != nil {
			return nil, err
		}
		if err := a.checkProject(fields.texts[wire.FieldProjectID]); err != nil {
			return nil, err
		}
		newChat = send.ChatID == ""
		send.Once, send.RequestID = c.keyed(key, fields.parts), c.id
		return admission.Send(c.r.Context(), send)
	})
	switch {
	case err != nil && newChat:
		return missing(err, "Chat", fieldKey)
	case err != nil:
		return err
	}
	return c.writeAnswer(stream, mayStream)
}

// admitted begins an answer for a request that is counted before its body is read.
func (c *exchange) admitted(begin func(admission *chat.Admission, key string) (*chat.Stream, error)) (*chat.Stream, error) {
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	admission, err := c.api.config.Chat.Admit(c.r.Context(), c.caller, key)
	if err != nil {
		return nil, err
	}
	defer admission.Leave()
	return begin(admission, key)
}

// accepts reports whether the Accept header names a media type.
func accepts(header http.Header, mediaType string) bool {
	for _, line := range header["Accept"] {
		for item := range strings.SplitSeq(line, ",") {
			name, parameters, _ := strings.Cut(item, ";")
			if strings.EqualFold(strings.TrimSpace(name), mediaType) && !isRefused(parameters) {
				return true
			}
		}
	}
	return false
}

// isRefused reports whether the parameters hold q=0, which means "not this type".
func isRefused(parameters string) bool {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if weight, err := strconv.ParseFloat(value, 64); strings.EqualFold(name, "q") && err == nil && weight == 0 {
			return true
		}
	}
	return false
}
