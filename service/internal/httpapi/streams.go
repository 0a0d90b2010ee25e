package httpapi

import (
	"net/http"
	"strconv"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// addStreams adds the routes for answers that are being written or stored.
func (a *api) addStreams() {
	a.add(http.MethodPost, "/v3/chat/message/regenerate", a.withCaller(a.regenerateMessage))
	a.add(http.MethodGet, "/v3/chat/stream/{stream_id}", a.withCaller(a.resumeStream))
	a.add(http.MethodPost, "/v3/chat/stream/{stream_id}/stop", a.writes(a.stopStream))
	a.add(http.MethodPost, "/v3/chat/stop", a.writes(a.stopMessage))
}

// regenerateMessage serves POST /v3/chat/message/regenerate.
func (a *api) regenerateMessage(c *exchange) error {
	stream, err := c.admitted(func(admission *chat.Admission, _ string) (*chat.Stream, error) {
		var request wire.RegenerateRequest
		key, err := c.readKeyed(&request, "project_id", "chat_id", "message_id")
		if err != nil {
			return nil, err
		}
		if err := a.checkProject(request.ProjectID); err != nil {
			return nil, err
		}
		return admission.Regenerate(c.r.Context(), chat.Regenerate{
			ChatID: request.ChatID, MessageID: request.MessageID, Once: key, RequestID: c.id,
			Offer: chat.Offer{PageTools: request.PageTools, Calls: request.ToolCalls, Reasoning: request.Reasoning},
		})
	})
	if err != nil {
		return err
	}
	return c.writeAnswer(stream, true)
}

// resumeStream serves GET /v3/chat/stream/{stream_id}.
func (a *api) resumeStream(c *exchange) error {
	after, err := lastEventID(c.r.Header)
	if err != nil {
		return err
	}
	stream, err := a.config.Chat.Resume(c.r.Context(), c.caller, c.path["stream_id"], after)
	if err != nil {
		return err
	}
	return c.writeStream(stream)
}

// lastEventID returns the id of the last event that the client has, 0 for none.
func lastEventID(header http.Header) (int64, error) {
	values := header.Values(wire.HeaderLastEventID)
	if len(values) == 0 {
		return 0, nil
	}
	id, err := strconv.ParseUint(values[0], 10, 63)
	if err != nil || len(values) > 1 {
		return 0, invalid("Last-Event-ID must be one whole number", "last-event-id")
	}
	return int64(id), nil
}

// stopStream serves POST /v3/chat/stream/{stream_id}/stop.
func (a *api) stopStream(c *exchange) error {
	receipt, err := a.config.Chat.Stop(c.r.Context(), c.caller, c.path["stream_id"])
	if err != nil {
		return err
	}
	receipt.Message.ImageURLs = a.addressesOf(receipt.Message.ImageURLs)
	c.writeMessage(http.StatusOK, receipt.Message, receipt)
	return nil
}

// stopMessage serves POST /v3/chat/stop.
func (a *api) stopMessage(c *exchange) error {
	key, err := c.key()
	if err == nil && key == "" {
		err = errKeyMissing
	}
	if err != nil {
		return err
	}
	receipt, err := a.config.Chat.StopClaimed(c.r.Context(), c.caller, key)
	if err != nil {
		return missing(err, "Answer", fieldKey)
	}
	receipt.Message.ImageURLs = a.addressesOf(receipt.Message.ImageURLs)
	c.writeMessage(http.StatusOK, receipt.Message, receipt)
	return nil
}

// writeAnswer answers with a stream if the client accepts one, else with one JSON body.
func (c *exchange) writeAnswer(stream *chat.Stream, mayStream bool) error {
	c.letGo(c.held) // the request is no longer needed
	c.replayed(stream.Replayed)
	if mayStream && accepts(c.r.Header, eventStream) {
		return c.writeStream(stream)
	}
	response, err := stream.Response(c.r.Context())
	if err != nil {
		c.refuse(err) // package chat has logged it
		return nil
	}
	status := http.StatusOK
	if response.StreamID != "" { // the answer waits for calls; its stream has the rest
		status = http.StatusAccepted
	}
	response.Message.ImageURLs = c.api.addressesOf(response.Message.ImageURLs)
	c.writeMessage(status, response.Message, response)
	return nil
}
