package upstream

import (
	"bytes"
	"encoding/json"
	"io"
)

// objects are the events of a body that is JSON in place of a stream: each value, and each item of a
// list, is one. What follows the last whole value is an event, too, and fails as such.
func objects(body []byte) *events {
	all := &events{err: io.EOF}
	decoder := json.NewDecoder(bytes.NewReader(body))
	for {
		var value json.RawMessage
		err := decoder.Decode(&value)
		if err == io.EOF {
			return all
		}
		if err != nil {
			all.waiting = append(all.waiting, Event{Data: bytes.TrimSpace(body[decoder.InputOffset():])})
			return all
		}
		var items []json.RawMessage
		if json.Unmarshal(value, &items) != nil {
			items = []json.RawMessage{value}
		}
		for _, one := range items {
			all.waiting = append(all.waiting, Event{Data: one})
		}
	}
}

// dataOf returns the data of an event without what proxies leave around it.
func dataOf(data []byte) []byte {
	data = bytes.TrimSpace(data)
	for bytes.HasPrefix(data, []byte("data:")) { // a stream within a stream
		data = bytes.TrimSpace(data[len("data:"):])
	}
	return data
}
