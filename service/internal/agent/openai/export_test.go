package openai

import "io"

// ReadEvents reads all events of a body. The error is why there are no more.
func ReadEvents(body io.Reader) error {
	for stream := newEvents(body); ; {
		if _, err := stream.next(); err != nil {
			return err
		}
	}
}

// WithoutThoughts returns a text that arrives in pieces without its reasoning.
func WithoutThoughts(pieces ...string) (text string) {
	var t thoughts
	for _, piece := range pieces {
		text += t.next(piece)
	}
	return text + t.rest()
}
