package cli

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// duplicates reads {"id", "a", "b"} and writes {"id", "duplicate"}: whether a and b would be
// stored as the same memory. It ignores other fields.
func duplicates(stdin io.Reader, stdout io.Writer) error {
	type verdict struct {
		ID        string `json:"id"`
		Duplicate bool   `json:"duplicate"`
	}
	return eachLine(stdin, stdout, func(line []byte) (any, error) {
		var pair struct{ ID, A, B *string }
		if json.Unmarshal(line, &pair) != nil || pair.ID == nil || pair.A == nil || pair.B == nil {
			return nil, errors.New(`not a pair, want {"id": "...", "a": "...", "b": "..."}`)
		}
		return verdict{*pair.ID, canon.Duplicate(*pair.A, *pair.B)}, nil
	})
}
