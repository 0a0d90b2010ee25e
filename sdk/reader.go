package sdk

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/sse"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// streamReader turns the bytes of event streams into the events of one answer.
type streamReader struct {
	ctx       context.Context
	client    *Client
	operation string
	requestID string // the connection's

	decoder sse.Decoder
	passed  bool // chunks were read without the decoder
	// These belong to the current feed; the next one overwrites them. pieces has the texts of the
	// chunks. While the last event is a list of chunks, the list begins at pieces[list], and the
	// chunk with the id next continues it.
	parts   []Part
	pieces  []byte
	listing bool
	list    int
	next    int64
	seen    []jsontext.Value // tool calls
	failure error            // the failure that ended the connection
	lastID  int64

	streamID, chatID, messageID string
	unescaped                   []byte // the text of the current chunk
	// The chunks so far, to compare with the proof.
	chunks int
	text   transcript

	// unproven is the message of a complete event that does not fit its proof.
	unproven jsontext.Value

	begun, completed, ended bool
	// over means that another connection would not change the failure.
	over bool
}

// begin continues with another connection.
func (r *streamReader) begin(requestID string) {
	r.requestID, r.decoder, r.passed, r.failure = requestID, sse.Decoder{MaxBytes: maxAnswer}, false, nil
}

func (r *streamReader) cut(cause error) *APIError {
	failure := cut(r.operation, cause)
	failure.RequestID = r.requestID
	return failure
}

// feed decodes the next bytes. After a failure or the end it returns nothing more. The result is
// valid until the next feed: new lists for each feed would be a large part of the garbage of a long
// answer (docs/performance.md).
func (r *streamReader) feed(p []byte) ([]Part, error) {
	r.parts, r.pieces, r.seen = r.parts[:0], r.pieces[:0], r.seen[:0]
	take := func(event sse.Event) {
		if r.failure != nil || r.ended {
			return
		}
		// Storing a pointer costs time while Go collects garbage, so it is not stored if nil.
		if err := r.take(event); err != nil {
			r.failure = err
		}
	}
	for len(p) > 0 && r.failure == nil && !r.ended {
		if rest := r.ordinary(p); len(rest) < len(p) {
			p = rest
			continue
		}
		part := p[:untilBlankLine(p)] // an ordinary chunk may begin after it
		p = p[len(part):]
		if r.passed {
			r.passed = false
			r.decoder.Past(strconv.FormatInt(r.lastID, 10))
		}
		r.decoder.Expect = r.text.length + r.text.length/8 // the complete event repeats the text
		err := r.decoder.Feed(part, take)
		if err != nil && r.failure == nil && !r.ended {
			failure := r.beyond(err) // another connection would bring the same event
			failure.Message = tooLarge(r.operation)
			r.failure = failure
		}
	}
	r.endList()
	return r.parts, r.failure
}

// untilBlankLine is the number of bytes up to the end of the first blank line, or len(p) if there is
// none.
func untilBlankLine(p []byte) int {
	for end := 0; ; {
		next := bytes.IndexByte(p[end:], '\n')
		if next < 0 {
			return len(p)
		}
		end += next + 1
		if end < len(p) && p[end] == '\n' {
			return end + 1
		}
	}
}

// ordinary reads the chunks at the beginning of p that have exactly the form of most chunks of the
// service: the next id, the type, and a text with no escapes but the short ones. It returns the rest, which the decoder
// reads. The decoder would return the same events, as FuzzStream shows, but takes several times as
// long.
func (r *streamReader) ordinary(p []byte) (rest []byte) {
	if !r.begun || r.completed || r.lastID <= 0 || !r.decoder.Idle() {
		return p
	}
	for {
		text, behind, plain := ordinaryChunk(p, r.lastID+1)
		if text == nil {
			return p
		}
		r.passed = true
		r.lastID++
		r.chunks++
		if plain {
			r.text.append(text[1 : len(text)-1])
		} else {
			r.unescaped = jsontext.Value(text).AppendText(r.unescaped[:0])
			r.text.append(r.unescaped)
		}
		r.piece(r.lastID, text)
		p = behind
	}
}

// ordinaryChunk returns the text of a chunk at the beginning of p, in its quotes, the bytes after the
// chunk, and whether the text is without escapes. The text is nil if there is no such chunk.
func ordinaryChunk(p []byte, id int64) (text, rest []byte, plain bool) {
	const prefix, begin, ends = "id: ", "\nevent: chunk\ndata: {\"text\":\"", "\"}\n\n"
	const most = 18 // digits of an int64
	if len(p) < len(prefix) || string(p[:len(prefix)]) != prefix {
		return nil, nil, false
	}
	at, number := len(prefix), int64(0)
	for ; at < len(p) && '0' <= p[at] && p[at] <= '9' && at < len(prefix)+most; at++ {
		number = 10*number + int64(p[at]-'0')
	}
	head := at + len(begin) - 1 // of the text
	if number != id || len(p) <= head || string(p[at:head+1]) != begin {
		return nil, nil, false
	}
	end := head + 1 + bytes.IndexByte(p[head+1:], '"')
	for end > head && p[end-1] == '\\' { // an escaped quote, or the text's last character is an escaped backslash, which is rare
		next := bytes.IndexByte(p[end+1:], '"')
		if next < 0 {
			return nil, nil, false
		}
		end += 1 + next
	}
	if end == head || len(p) < end+len(ends) || string(p[end:end+len(ends)]) != ends {
		return nil, nil, false
	}
	ascii, plain := true, true
	for _, c := range p[head+1 : end] {
		if c < ' ' {
			return nil, nil, false
		}
		ascii = ascii && c < utf8.RuneSelf
		plain = plain && c != '\\'
	}
	if !ascii && !utf8.Valid(p[head+1:end]) || !plain && !areShort(p[head+1:end]) {
		return nil, nil, false
	}
	return p[head : end+1], p[end+len(ends):], plain
}

// areShort reports whether all escapes of a text are those that AppendString writes with one letter. So the text stays as it is.
func areShort(text []byte) bool {
	for at := bytes.IndexByte(text, '\\'); at >= 0; at = bytes.IndexByte(text, '\\') {
		switch text[at+1] { // the text's last byte is no backslash
		case '"', '\\', 'n', 'r', 't':
			text = text[at+2:]
		default:
			return false
		}
	}
	return true
}

// take reads one event. It skips an id that was read before. A gap in the ids ends the connection,
// so that the next one brings what is missing.
func (r *streamReader) take(raw sse.Event) error {
	id, err := strconv.ParseInt(raw.LastEventID, 10, 64)
	numbered := err == nil
	switch {
	case numbered && id <= r.lastID:
		return nil
	case numbered && id > r.lastID+1:
		return r.cut(errors.New("event " + strconv.FormatInt(id, 10) + " came after event " + strconv.FormatInt(r.lastID, 10)))
	}
	if known(raw.Type) && (!r.completed || raw.Type == wire.EventEnd) {
		if err := r.add(raw, id); err != nil {
			return err // the next connection brings the event again
		}
	}
	if numbered {
		r.lastID = id
	}
	return nil
}

// add reads a new event.
func (r *streamReader) add(raw sse.Event, id int64) error {
	if raw.Type == wire.EventChunk {
		text, ok := jsontext.Only(`{"text":`, raw.Data)
		if !ok {
			v, err := r.object(raw.Type, raw.Data)
			if err != nil {
				return err
			}
			text = v.Get("text")
		}
		r.chunk(id, text)
	} else {
		event, data := Part{Type: raw.Type, ID: id}, raw.Data
		if len(data) <= sse.LargeBytes {
			data = bytes.Clone(data)
		}
		if err := r.read(&event, data); err != nil {
			return err
		}
		r.endList()
		r.parts = append(r.parts, event)
	}
	r.begun = true
	return nil
}

// chunk adds a piece of the answer to the text for the proof, and to the list of the chunks right
// before it. For a text without escapes it allocates only room for the text, because a page gets
// many chunks at a time.
func (r *streamReader) chunk(id int64, text jsontext.Value) {
	r.chunks++
	text.Runs(r.text.append)
	if bytes.IndexByte(text, '\\') < 0 {
		r.piece(id, text)
	} else { // the same escape can be written in several ways
		r.piece(id, AppendString(nil, text.Text()))
	}
}

// piece adds a text in its quotes to the list of chunks right before it, or begins a list.
func (r *streamReader) piece(id int64, text []byte) {
	if r.listing && id == r.next {
		r.pieces = append(r.pieces, ',')
	} else {
		r.endList()
		r.parts = append(r.parts, Part{Type: wire.EventChunk, ID: id})
		r.listing, r.list = true, len(r.pieces)
		r.pieces = append(r.pieces, '[')
	}
	r.pieces = append(r.pieces, text...)
	if r.next = id; id > 0 {
		r.next++
	}
}

// endList ends the list of chunks, if the last event is one.
func (r *streamReader) endList() {
	if r.listing {
		r.listing = false
		r.pieces = append(r.pieces, ']')
		r.parts[len(r.parts)-1].Texts = wire.JSON(r.pieces[r.list:])
	}
}

// object reads the data of an event, and checks it against its shape.
func (r *streamReader) object(kind string, data []byte) (jsontext.Value, error) {
	v, err := parse(data)
	if err != nil {
		return nil, r.cut(because("event "+kind, err))
	}
	if kind == wire.EventComplete {
		v = r.client.normalField(v, "message")
	}
	if problem := misfit(v, eventShape(kind)); problem != "" {
		failure := r.beyond(nil)
		failure.Message = r.operation + ": the event " + kind + " cannot be read: " + problem
		return nil, failure
	}
	return v, nil
}

func known(name string) bool {
	switch name {
	case wire.EventStart, wire.EventChunk, wire.EventReasoning, wire.EventMessageObject, wire.EventDocumentChunk,
		wire.EventChatName, wire.EventToolCall, wire.EventComplete, wire.EventError, wire.EventEnd:
		return true
	}
	return false
}

// read sets the fields of the event from the text of its data.
func (r *streamReader) read(event *Part, data []byte) error {
	v, err := r.object(event.Type, data)
	if err != nil {
		return err
	}
	switch event.Type {
	case wire.EventStart:
		event.Object = wire.JSON(v)
		r.streamID, r.chatID, r.messageID = text(v, "stream_id"), text(v, "chat_id"), text(v, "message_id")
	case wire.EventDocumentChunk, wire.EventReasoning:
		event.Text = text(v, "text")
	case wire.EventChatName:
		event.Text = text(v, "name")
	case wire.EventToolCall:
		event.Object = wire.JSON(v)
		r.seen = append(r.seen, v)
	case wire.EventMessageObject:
		event.Object = wire.JSON(r.client.absolute(v))
	case wire.EventComplete:
		event.Object = wire.JSON(v.Get("message"))
		return r.complete(v)
	case wire.EventError:
		r.over = true
		return errorFromEvent(r.operation, v, r.requestID)
	case wire.EventEnd:
		if !r.completed {
			return r.cut(errors.New("the stream ended with neither an answer nor an error"))
		}
		r.ended = true
	}
	return nil
}
