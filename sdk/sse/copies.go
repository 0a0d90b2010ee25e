package sse

import (
	"strings"
	"unicode/utf8"
)

const (
	blockBytes = 4 << 10
	smallBytes = 512 // larger copies have their own memory
)

// copies decodes and copies the ids and types of events. Small copies are cut from a block, so that
// an id that changes with each event needs no separate allocation (BenchmarkDecoder).
type copies struct {
	texts strings.Builder // its memory never moves
}

func (c *copies) text(b []byte) string {
	if !utf8.Valid(b) {
		return string(replace(b))
	}
	if len(b) > smallBytes {
		return string(b)
	}
	if c.texts.Cap()-c.texts.Len() < len(b) {
		c.texts.Reset()
		c.texts.Grow(blockBytes)
	}
	at := c.texts.Len()
	c.texts.Write(b)
	return c.texts.String()[at:]
}
