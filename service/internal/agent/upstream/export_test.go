package upstream

import "io"

// ReadEvents reads all events of a body. The error is why there are no more.
func ReadEvents(body io.Reader) error {
	for stream := newEvents(body); ; {
		if _, err := stream.next(); err != nil {
			return err
		}
	}
}
