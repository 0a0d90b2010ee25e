package openai

import "io"

// Bounded returns a body whose events have a bound.
func Bounded(body io.Reader) io.Reader { return &bounded{Reader: body} }
