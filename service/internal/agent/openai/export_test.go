package openai

// WithoutThoughts returns a text that arrives in pieces without its reasoning.
func WithoutThoughts(pieces ...string) (text string) {
	var t thoughts
	for _, piece := range pieces {
		text += t.next(piece)
	}
	return text + t.rest()
}
