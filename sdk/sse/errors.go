package sse

import "strconv"

// TooLargeError reports an event, or a line of any kind, that is larger than the decoder may hold.
// Find it with errors.As.
type TooLargeError struct {
	// MaxBytes is the decoder's limit.
	MaxBytes int
}

func (e TooLargeError) Error() string {
	return "event stream: an event, or one line, is larger than " + strconv.Itoa(e.MaxBytes) +
		" bytes: raise MaxBytes, or have the server send smaller events"
}
