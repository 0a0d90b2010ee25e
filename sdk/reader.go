package sdk

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/internal/sse"
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// streamReader turns the bytes of event streams into the events of one answer.
type streamReader struct {
	ctx       context.Context
	client    *Client
	operation string
	requestID string // of the connection

	decoder sse.Decoder
	passed  bool // chunks came that the decoder was not fed
	// Of the feed that is going on; the next one writes over them. The texts of the
	// chunks stand in pieces. While the last event is a list of chunks, which begins at
	// list, it goes on with the chunk of id next.
	parts   []Part
	pieces  []byte
	listing bool
	list    int
	next    int64
	seen    []jsontext.Value // calls of tools
	failure error            // that ended the connection
	lastID  int64

	streamID, chatID, messageID string
	// What the chunks so far came to, to be held against the proof.
	chunks int
	text   transcript

	// unproven is the message of a complete event whose proof says something else.
	unproven jsontext.Value

	begun, completed, ended bool
	// over tells that no further connection changes the failure.
	over bool
}

// begin goes on with another connection.
func (r *streamReader) begin(requestID string) {
	r.requestID, r.decoder, r.passed, r.failure = requestID, sse.Decoder{}, false, nil
}

func (r *streamReader) cut(cause error) *APIError {
	failure := cut(r.operation, cause)
	failure.RequestID = r.requestID
	return failure
}

// feed decodes the next bytes. After a failure or the end it gives nothing more.
// What it gives holds until the next feed: lists that grow again for each are much
// of the garbage of a long answer (docs/performance.md).
func (r *streamReader) feed(p []byte) ([]Part, error) {
	r.parts, r.pieces, r.seen = r.parts[:0], r.pieces[:0], r.seen[:0]
	take := func(event sse.Event) {
		if r.failure != nil || r.ended {
			return
		}
		// Each store of a pointer costs while Go collects: none without an error.
		if err := r.take(event); err != nil {
			r.failure = err
		}
	}
	for len(p) > 0 && r.failure == nil && !r.ended {
		if rest := r.ordinary(p); len(rest) < len(p) {
			p = rest
			continue
		}
		part := p[:untilBlankLine(p)] // behind it an ordinary chunk may begin
		p = p[len(part):]
		if r.passed {
			r.passed = false
			r.decoder.Past(strconv.FormatInt(r.lastID, 10))
		}
		r.decoder.Expect = r.text.length + r.text.length/8 // the complete event has the text again
		err := r.decoder.Feed(part, take)
		if err != nil && r.failure == nil && !r.ended {
			r.failure = r.cut(err)
		}
	}
	r.endList()
	return r.parts, r.failure
}

// untilBlankLine is how many bytes there are up to the end of the first blank line, or all.
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

// ordinary takes the chunks at the beginning of p that are written in the very form that the
// service gives to most: the next id, the type, and a text without escapes. It gives what is
// behind them. The decoder takes everything else. It would give the same events for these, as
// FuzzStream shows, but takes several times as long.
func (r *streamReader) ordinary(p []byte) (rest []byte) {
	if !r.begun || r.completed || r.lastID <= 0 || !r.decoder.Idle() {
		return p
	}
	for {
		text, behind, ok := ordinaryChunk(p, r.lastID+1)
		if !ok {
			return p
		}
		r.passed = true
		r.lastID++
		r.chunks++
		r.text.append(text[1 : len(text)-1])
		r.piece(r.lastID, text)
		p = behind
	}
}

// ordinaryChunk gives the text of a chunk at the beginning of p, in its quotes, and what is
// behind the chunk.
func ordinaryChunk(p []byte, id int64) (text, rest []byte, ok bool) {
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
	if end == head || len(p) < end+len(ends) || string(p[end:end+len(ends)]) != ends {
		return nil, nil, false
	}
	ascii := true
	for _, c := range p[head+1 : end] {
		if c < ' ' || c == '\\' {
			return nil, nil, false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	if !ascii && !utf8.Valid(p[head+1:end]) {
		return nil, nil, false
	}
	return p[head : end+1], p[end+len(ends):], true
}

// take reads one event. An id that was seen already is passed over; a gap ends
// the connection, so that the next one brings what is missing.
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
			return err // and the next connection brings the event again
		}
	}
	if numbered {
		r.lastID = id
	}
	return nil
}

// add reads an event that is new.
func (r *streamReader) add(raw sse.Event, id int64) error {
	if raw.Type == wire.EventChunk {
		text, ok := jsontext.Only(`{"text":`, raw.Data)
		if !ok {
			v, err := parse(raw.Data)
			if err != nil {
				return r.unreadable(raw.Type, err)
			}
			text = v.Get("text")
		}
		r.chunk(id, text)
	} else {
		event, data := Part{Type: raw.Type, ID: id}, raw.Data
		if len(data) <= sse.LargeBytes {
			data = bytes.Clone(data)
		}
		if err := r.parse(&event, data); err != nil {
			return err
		}
		r.endList()
		r.parts = append(r.parts, event)
	}
	r.begun = true
	return nil
}

// chunk takes a piece of the answer to the text that is held against the proof,
// and to the list of the pieces right before it. One without escapes allocates
// nothing but room for the texts to grow: a page gets many at a time.
func (r *streamReader) chunk(id int64, text jsontext.Value) {
	if text.Kind() != jsontext.String {
		text = jsontext.Value(`""`)
	}
	r.chunks++
	text.Runs(r.text.append)
	if bytes.IndexByte(text, '\\') < 0 {
		r.piece(id, text)
	} else { // one escape can be written in several ways
		r.piece(id, AppendString(nil, text.Text()))
	}
}

// piece adds a text in its quotes to the list of the pieces right before it, or begins one.
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

// unreadable is the failure of an event whose data are none.
func (r *streamReader) unreadable(kind string, err error) error {
	return r.cut(because("event "+kind, err))
}

// parse fills the event from the text of its data.
func (r *streamReader) parse(event *Part, data []byte) error {
	v, err := parse(data)
	if err != nil {
		return r.unreadable(event.Type, err)
	}
	if event.Type == wire.EventError {
		r.over = true
		return errorFromEvent(r.operation, v, r.requestID)
	}
	return r.read(event, v)
}

func known(name string) bool {
	switch name {
	case wire.EventStart, wire.EventChunk, wire.EventMessageObject, wire.EventDocumentChunk,
		wire.EventChatName, wire.EventToolCall, wire.EventComplete, wire.EventError, wire.EventEnd:
		return true
	}
	return false
}

// read fills the event from its data.
func (r *streamReader) read(event *Part, v jsontext.Value) error {
	switch event.Type {
	case wire.EventStart:
		event.Object = wire.JSON(v)
		r.streamID, r.chatID, r.messageID = text(v, "stream_id"), text(v, "chat_id"), text(v, "message_id")
	case wire.EventDocumentChunk:
		event.Text = text(v, "text")
	case wire.EventChatName:
		event.Text = text(v, "name")
	case wire.EventToolCall:
		event.Object = wire.JSON(v)
		r.seen = append(r.seen, v)
	case wire.EventMessageObject:
		event.Object = wire.JSON(r.client.absolute(v))
	case wire.EventComplete:
		return r.complete(event, v)
	case wire.EventEnd:
		if !r.completed {
			return r.cut(errors.New("the stream ended with neither an answer nor an error"))
		}
		r.ended = true
	}
	return nil
}
