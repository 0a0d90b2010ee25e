// Package wire holds the shapes, event names and error codes that cross the
// wire between the SDK and the service. It has no behaviour: the service reads
// and writes it with encoding/json, the SDK with a smaller reader that fits
// into the wasm build, and a test of package sdk holds the two together.
//
// Times are seconds since the Unix epoch, fractions allowed. Absent, null and
// empty mean the same in an answer. In a request a nil slice is absent and an
// empty one is a value.
package wire

import "errors"

// JSON is a JSON text, kept as it came.
type JSON []byte

// MarshalJSON writes the text as it is, and null for none.
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
