package stream

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// EventOf makes an event. The Store sets its id.
func EventOf(name string, data any) Event { return Event{Type: name, Data: Encode(data)} }

// Images makes the event of images that an answer has from now on, by their ids.
func Images(ids []string) Event {
	return EventOf(wire.EventMessageObject, map[string][]string{"image_urls": ids})
}

// Encode returns the data of an event: JSON in one line.
func Encode(data any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		panic(fmt.Sprintf("stream: encode %T: %v", data, err)) // only a bug in our own types can cause this
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}
