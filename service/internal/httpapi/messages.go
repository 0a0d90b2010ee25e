package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// sendMessage serves POST /v3/chat/message: as a stream where the client takes
// one, else as the whole answer.
func (a *api) sendMessage(c *call) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	fields, err := c.readForm()
	if err != nil {
		return err
	}
	send, mayStream, err := fields.send()
	if err != nil {
		return err
	}
	if err := a.checkProject(fields.texts[wire.FieldProjectID]); err != nil {
		return err
	}
	send.Once, send.RequestID = c.keyed(key, fields.parts), c.id
	stream, err := a.config.Chat.Send(c.r.Context(), c.caller, send)
	switch {
	case err != nil && send.ChatID == "":
		return missing(err, "Chat", fieldKey)
	case err != nil:
		return err
	}
	return c.writeAnswer(stream, mayStream)
}

// accepts tells whether a client names a media type among those that it takes.
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

// isRefused finds the weight of zero that says "not this one".
func isRefused(parameters string) bool {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if weight, err := strconv.ParseFloat(value, 64); strings.EqualFold(name, "q") && err == nil && weight == 0 {
			return true
		}
	}
	return false
}
