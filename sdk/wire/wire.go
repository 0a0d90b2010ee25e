// Package wire has the structs, event names and error codes that the SDK and the service exchange.
// It has no behaviour. The service reads and writes them with encoding/json, and the SDK with a
// smaller reader that fits into the wasm; a test of package sdk checks that both agree.
//
// Times are seconds since the Unix epoch and may have fractions. In a response, absent, null and
// empty mean the same. In a request a nil slice is absent, and an empty slice is a value.
package wire

import "errors"

// JSON is a JSON text, exactly as it was received.
type JSON []byte

// MarshalJSON writes the text as it is, and null if it is empty.
func (j JSON) MarshalJSON() ([]byte, error) {
	if len(j) == 0 {
		return []byte("null"), nil
	}
	return j, nil
}

// UnmarshalJSON keeps a copy of text.
func (j *JSON) UnmarshalJSON(text []byte) error {
	if j == nil {
		return errors.New("wire.JSON: UnmarshalJSON on a nil pointer")
	}
	if string(text) == "null" {
		*j = nil
		return nil
	}
	*j = append((*j)[:0], text...)
	return nil
}
