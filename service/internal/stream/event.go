package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// EventOf makes an event. The Store sets its id.
func EventOf(name string, data any) Event { return Event{Type: name, Data: Encode(data)} }

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
