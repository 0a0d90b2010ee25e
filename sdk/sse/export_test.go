package sse

// Held is the number of bytes that count against the limit.
func (d *Decoder) Held() int { return len(d.held) + len(d.typ) + len(d.id) }

// Reserved is the room for the unfinished event.
func (d *Decoder) Reserved() int { return cap(d.held) }

// Blocks is the room for small copies.
func (d *Decoder) Blocks() int { return d.copies.texts.Cap() }
