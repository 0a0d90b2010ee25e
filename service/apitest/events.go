package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// events checks an event stream while it arrives, up to the first fault.
type events struct {
	check   func(*openapi3.SchemaRef, any) error
	schemas map[string]*openapi3.SchemaRef
	rest    []byte // the beginning of the next block
	failed  bool

	lastID int64
	last   string
	// resumed says that the stream begins after its first event, so that
	// there is no proof of what came before.
	resumed bool
	start   wire.Start
	// The sum of the chunks so far.
	text   strings.Builder
	chunks int
}

// event is one event of the stream.
type event struct {
	id    int64
	name  string
	data  []byte
	value any
}

// feed reads a part of the stream, cut anywhere.
func (e *events) feed(part []byte) error {
	if e.failed {
		return nil
	}
	e.rest = append(e.rest, part...)
	var come []event
	for {
		block, rest, whole := bytes.Cut(e.rest, []byte("\n\n"))
		if !whole {
			break
		}
		e.rest = rest
		if isComment(block) {
			continue
		}
		one, err := parseEvent(block)
		if err != nil {
			return e.fail(err)
		}
		come = append(come, one)
	}
	if err := errors.Join(e.checkData(come), e.checkOrder(come)); err != nil {
		return e.fail(err)
	}
	return nil
}

func (e *events) fail(err error) error {
	e.failed = true
	return err
}

func isComment(block []byte) bool {
	return bytes.HasPrefix(block, []byte(":")) && !bytes.Contains(block, []byte("\n"))
}

// parseEvent reads the three lines of an event, as the service writes them.
func parseEvent(block []byte) (event, error) {
	lines := strings.Split(string(block), "\n")
	var values [3]string
	for i, name := range []string{"id: ", "event: ", "data: "} {
		if len(lines) != len(values) || !strings.HasPrefix(lines[i], name) || !utf8.Valid(block) || strings.Contains(lines[i], "\r") {
			return event{}, fmt.Errorf("want an event of the lines id, event and data, got %.300q", block)
		}
		values[i] = strings.TrimPrefix(lines[i], name)
	}
	id, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil {
		return event{}, fmt.Errorf("the id of an event is %q, want a number", values[0])
	}
	one := event{id: id, name: values[1], data: []byte(values[2])}
	if one.value, err = jsonschema.UnmarshalJSON(bytes.NewReader(one.data)); err != nil {
		return event{}, fmt.Errorf("the data of event %d, %s, is not JSON: %.300q", one.id, one.name, one.data)
	}
	return one, nil
}

// checkData checks the data of events against their schemas.
func (e *events) checkData(come []event) error {
	for _, one := range come {
		schema := e.schemas[one.name]
		if schema == nil {
			return fmt.Errorf("event %d, %s, is not in openapi.yaml", one.id, one.name)
		}
		if err := e.check(schema, one.value); err != nil {
			return fmt.Errorf("the data of event %d, %s, doesn't match its schema: %w", one.id, one.name, err)
		}
	}
	return nil
}

func (e *events) checkOrder(come []event) error {
	for _, one := range come {
		if one.id != e.lastID+1 {
			return fmt.Errorf("event %d, %s, follows event %d, want %d", one.id, one.name, e.lastID, e.lastID+1)
		}
		if unknown := e.resumed && e.last == ""; !unknown && !follows(e.last, one.name) {
			return fmt.Errorf("event %d, %s, must not follow %q", one.id, one.name, e.last)
		}
		e.lastID, e.last = one.id, one.name
		if e.resumed {
			continue
		}
		if err := e.checkProof(one); err != nil {
			return err
		}
	}
	return nil
}

// follows reports whether an event may come after another: start, then any of the
// middle ones, then complete or error, then end.
func follows(last, next string) bool {
	switch last {
	case "":
		return next == wire.EventStart
	case wire.EventComplete, wire.EventError:
		return next == wire.EventEnd
	case wire.EventEnd:
		return false
	}
	return next != wire.EventStart && next != wire.EventEnd
}

// checkProof adds up the chunks and compares complete with the sum.
func (e *events) checkProof(one event) error {
	switch one.name {
	case wire.EventStart:
		return json.Unmarshal(one.data, &e.start)
	case wire.EventChunk:
		var chunk wire.Text
		err := json.Unmarshal(one.data, &chunk)
		e.text.WriteString(chunk.Text)
		e.chunks++
		return err
	case wire.EventComplete:
		var complete wire.Complete
		if err := json.Unmarshal(one.data, &complete); err != nil {
			return err
		}
		return e.checkComplete(complete)
	}
	return nil
}

func (e *events) checkComplete(complete wire.Complete) error {
	text := e.text.String()
	sum := fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text)))
	switch {
	case complete.Message.ID != e.start.MessageID || complete.Message.ChatID != e.start.ChatID:
		return errors.New("complete has another message or chat than start")
	case complete.Message.Content != text:
		return errors.New("the content in complete is not the joined text of the chunks")
	case complete.Chunks != e.chunks:
		return fmt.Errorf("complete reports %d chunks, and %d came", complete.Chunks, e.chunks)
	case complete.Bytes != len(text):
		return fmt.Errorf("complete reports %d bytes, and %d came", complete.Bytes, len(text))
	case complete.CRC32 != sum:
		return fmt.Errorf("the crc32 in complete is %s, want %s", complete.CRC32, sum)
	}
	return nil
}

// finish checks that the stream is complete.
func (e *events) finish() error {
	switch {
	case e.failed:
		return nil
	case len(e.rest) > 0:
		return fmt.Errorf("the stream ends inside an event: %.300q", e.rest)
	case e.resumed && e.last == "":
		return nil // the reader had all of it
	case e.last != wire.EventEnd:
		return fmt.Errorf("the stream ends after %q, want end", e.last)
	}
	return nil
}
