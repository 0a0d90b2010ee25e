// Package sse decodes server-sent events: bytes in, events out.
//
// It follows WHATWG HTML, section 9.2.6. Begin with a zero [Decoder] and give [Decoder.Feed] each
// piece of a response's body as it arrives, cut anywhere. The cuts make no difference to the events.
//
// An event is complete when its blank line has come. So the end of a stream needs no call, and an
// event that the end cut off is dropped. Only the stream's last event can say whether the stream was
// complete. The retry field is skipped, because the caller decides about reconnecting.
//
// The package uses no network and no clock, and is the same in Go programs and in browsers.
package sse

import "bytes"

const defaultMaxBytes = 16 << 20

// LargeBytes is the size above which an event's data has its own memory. Smaller data shares memory
// that is reused.
const LargeBytes = 64 << 10

// Event is one dispatched event. Its text is valid UTF-8, whatever the bytes of the stream were, except for
// the data of a raw Decoder.
type Event struct {
	// Type is "message" if the stream names none.
	Type string
	// Data is the data lines joined with LF, without a trailing one. It is valid until emit returns:
	// copy it to keep it. Data longer than LargeBytes stays valid.
	Data []byte
	// LastEventID is the last id that the stream named, in this event or before it. It is empty if
	// none was named, or if the last id was empty.
	LastEventID string
}

// Decoder decodes one stream. The zero value is ready to use. It must not be copied after the first
// Feed, and is not safe for concurrent use.
type Decoder struct {
	// MaxBytes limits what is held at one time: the data of the unfinished event, its unfinished
	// line, the last type and the last id. So no line may be longer either, not even a comment. It
	// counts data as received; invalid UTF-8 grows up to threefold when it is decoded. Do not change
	// it after the first Feed. 0 means 16 MiB.
	MaxBytes int
	// Raw leaves the data of events as it was received, whether or not it is valid UTF-8. Some servers cut
	// a character between two events.
	Raw bool
	// Expect is the expected size of a large event. The buffer grows to it at once. 0 means unknown.
	Expect int

	held    []byte // the data buffer, LF after each line, then the unfinished line
	data    int    // how much of held is the data buffer
	typ     string // kept after its event, because the next one likely has the same type
	typed   bool   // typ belongs to the unfinished event
	id      string
	copies  copies
	started bool // the first line has ended, and with it the place of a byte order mark
	afterCR bool // the last byte was CR: an LF that follows belongs to it
	err     error
}

// Feed decodes the next bytes of the stream and calls emit for each event that they complete, in
// order, before it returns. A blank line that ends with CR completes its event at the CR. Feed keeps
// no reference to p; emit must not call Feed.
//
// The only error is a [TooLargeError]. Events emitted before it stay valid. After it the decoder
// holds nothing, and every Feed returns the error again.
func (d *Decoder) Feed(p []byte, emit func(Event)) error {
	if d.err != nil || len(p) == 0 {
		return d.err
	}
	at := 0 // where the next line begins
	if d.afterCR && p[0] == '\n' {
		at = 1
	}
	// Search for each kind of line end only once over p, however few there are.
	lf, cr := find(p, at, '\n'), find(p, at, '\r')
	for {
		end := min(lf, cr)
		if len(d.held)+len(d.typ)+len(d.id)+end-at > d.max() {
			return d.fail()
		}
		if end == len(p) {
			d.hold(p[at:])
			d.afterCR = p[len(p)-1] == '\r'
			return nil
		}
		d.endLine(p[at:end], emit)
		at = end + 1
		if end == cr && lf == at && at < len(p) { // CRLF is one line end
			at++
		}
		if lf < at {
			lf = find(p, at, '\n')
		}
		if cr < at {
			cr = find(p, at, '\r')
		}
	}
}

// Idle reports whether the next byte begins an event: there is no unfinished event and no unfinished
// line. A caller that knows the form of the next events may then read them without the decoder, up to
// the end of one, and pass the last id to Past.
func (d *Decoder) Idle() bool {
	return d.started && !d.afterCR && len(d.held) == 0 && !d.typed && d.err == nil
}

// Past continues after events that the decoder was not fed. id is the id of the last of them.
func (d *Decoder) Past(id string) { d.id = id }

// find returns the index of the next c, starting at at; len(p) if there is none.
func find(p []byte, at int, c byte) int {
	if i := bytes.IndexByte(p[at:], c); i >= 0 {
		return at + i
	}
	return len(p)
}

func (d *Decoder) max() int {
	if d.MaxBytes > 0 {
		return d.MaxBytes
	}
	return defaultMaxBytes
}

func (d *Decoder) fail() error {
	*d = Decoder{MaxBytes: d.MaxBytes, Raw: d.Raw, err: TooLargeError{MaxBytes: d.max()}}
	return d.err
}

// endLine takes the last part of a line, whose beginning may have come with earlier feeds.
func (d *Decoder) endLine(part []byte, emit func(Event)) {
	line := part
	if len(d.held) > d.data {
		d.hold(part)
		line = d.held[d.data:]
		d.held = d.held[:d.data]
	}
	if !d.started {
		d.started = true
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	if len(line) == 0 {
		d.dispatch(emit)
		return
	}
	d.field(line)
}

// field works on bytes: ASCII is never part of an ill-formed sequence, so names, colons and spaces
// have the same place in the decoded text. A comment is a field with an empty name.
func (d *Decoder) field(line []byte) {
	name, value := line, line[len(line):]
	if colon := bytes.IndexByte(line, ':'); colon >= 0 {
		name, value = line[:colon], line[colon+1:]
	}
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		d.addData(value)
	case "event":
		d.typed = len(value) > 0
		if d.typed && string(value) != d.typ {
			d.typ = d.copies.text(value)
		}
	case "id":
		if string(value) != d.id && bytes.IndexByte(value, 0) < 0 {
			d.id = d.copies.text(value)
		}
	}
}

func (d *Decoder) dispatch(emit func(Event)) {
	if d.data == 0 {
		d.typed = false
		return
	}
	event := Event{Type: "message", Data: d.held[:d.data-1], LastEventID: d.id}
	if !d.Raw {
		event.Data = wellFormed(event.Data)
	}
	if d.typed {
		event.Type = d.typ
	}
	d.held, d.data, d.typed = d.held[:0], 0, false
	if len(event.Data) > LargeBytes {
		d.held = nil
	}
	emit(event)
}

// addData may get a value that is in held, after the data buffer: it moves down over the name of its
// field, which leaves room for the LF.
func (d *Decoder) addData(value []byte) {
	d.grow(len(value) + 1)
	d.held = append(append(d.held, value...), '\n')
	d.data = len(d.held)
}

func (d *Decoder) hold(part []byte) {
	d.grow(len(part))
	d.held = append(d.held, part...)
}

// grow makes room for n more bytes. Unlike append it never reserves more than the limit, and it
// doubles large buffers too, which halves the garbage of a long event: a wasm memory never shrinks.
func (d *Decoder) grow(n int) {
	need := len(d.held) + n
	if need <= cap(d.held) {
		return
	}
	room := 2 * cap(d.held)
	if need > LargeBytes {
		room = max(room, d.Expect)
	}
	held := make([]byte, len(d.held), max(need, min(room, d.max())))
	copy(held, d.held)
	d.held = held
}
