package sse

import "strconv"

// TooLargeError reports that a stream has an event, or a line of any kind, that
// the decoder may not hold. Find it with errors.As.
type TooLargeError struct {
	// MaxBytes is the decoder's cap.
	MaxBytes int
}

func (e TooLargeError) Error() string {
	return "event stream: an event, or one line, is larger than " + strconv.Itoa(e.MaxBytes) +
		" bytes: raise MaxBytes, or have the server send smaller events"
}
