package sdk

import (
	"context"
	"errors"
	"time"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// StopReceipt is the final state of a stopped answer.
type StopReceipt = wire.StopReceipt

// Stop stops an answer that is being written: the answer with that streamID (see wire.EventStart), or
// if streamID is empty, the answer to the message with that idempotency key. Stop returns when the
// answer has ended. StopReceipt.Stopped is false if it had ended before.
func (c *Client) Stop(ctx context.Context, streamID, idempotencyKey string) (*StopReceipt, error) {
	text, err := c.StopJSON(ctx, streamID, idempotencyKey)
	return decoded(text, err, decodeStop)
}

// unknownKey is for how long a stop is tried again because the service does not know its key: the
// message may still be on its way. unknownKeyPause is the pause between the tries.
const (
	unknownKey      = 5 * time.Second
	unknownKeyPause = 200 * time.Millisecond
)

// StopJSON is Stop without decoding the response.
func (c *Client) StopJSON(ctx context.Context, streamID, idempotencyKey string) (wire.JSON, error) {
	const operation = "stop"
	url, header := "/v3/chat/stop", map[string]string{}
	if streamID != "" {
		if err := checkID(operation, "streamId", streamID); err != nil {
			return nil, err
		}
		url = streamPath(streamID) + "/stop"
	} else if idempotencyKey == "" {
		return nil, wrong(operation, "streamId", "is missing: give streamId or idempotencyKey")
	}
	if idempotencyKey != "" {
		if err := checkKey(operation, idempotencyKey); err != nil {
			return nil, err
		}
		header[keyHeader] = idempotencyKey
	}
	for begun := time.Now(); ; {
		a, err := c.call(ctx, operation, &Request{Method: "POST", URL: url, Header: header})
		if err == nil {
			a.value = c.normalField(a.value, "message")
			if err := a.fits(stopShape); err != nil {
				return nil, err
			}
			for _, s := range c.followed.all() {
				s.readOn() // a parked answer has no connection that would report the stop
			}
			return wire.JSON(a.value), nil
		}
		failure, ok := errors.AsType[*APIError](err)
		if !ok || failure.Status != 404 || streamID != "" || time.Since(begun) > unknownKey {
			return nil, err
		}
		if _, err := c.wait(ctx, unknownKeyPause, false); err != nil {
			return nil, err
		}
	}
}

func decodeStop(v jsontext.Value) StopReceipt {
	return StopReceipt{
		Stopped: v.Get("stopped").True(), Message: decodeMessage(v.Get("message")),
		LastEventID: v.Get("last_event_id").Int(), Bytes: int(v.Get("bytes").Int()), CRC32: text(v, "crc32"),
		Raw: wire.JSON(v),
	}
}
