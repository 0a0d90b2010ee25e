package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// writeJSON answers with a JSON body. Whoever has read what is in it has counted its bytes: see makeRoom.
func (c *exchange) writeJSON(status int, body any) {
	var text blocks
	encodeTo(&text, body)
	header := c.w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(text.size))
	c.w.WriteHeader(status)
	pace := newPace(answerPace, time.Now())
	for _, block := range text.all {
		if _, err := c.w.writeAt(&pace, block); err != nil {
			return // a client that has left needs no answer
		}
	}
}

// writeMessage is writeJSON for a body that holds a message, which has to have room.
func (c *exchange) writeMessage(status int, message wire.Message, body any) {
	if err := c.makeRoom(int64(len(message.Content))); err != nil {
		c.fail(err)
		return
	}
	c.writeJSON(status, body)
}

// blocks is a text in blocks of about writeBytes. A slice that grows would be copied again and again,
// and be up to twice as large as the text.
type blocks struct {
	all  [][]byte
	size int
}

// add adds a text, which belongs to blocks from then on.
func (b *blocks) add(text []byte) {
	b.size += len(text)
	last := len(b.all) - 1
	if last >= 0 && len(b.all[last])+len(text) <= max(writeBytes, cap(b.all[last])) {
		b.all[last] = append(b.all[last], text...)
		return
	}
	b.all = append(b.all, text)
}

// encodeTo writes a value as JSON. Lists that may be long are encoded item by item, and the text of a
// document in pieces, because encoding/json copies all of a value several times.
func encodeTo(to *blocks, value any) {
	switch body := value.(type) {
	case wire.ChatHistoryResponse:
		messages := items("messages", body.Messages)
		body.Messages = []wire.Message{}
		encodeParts(to, body, messages)
	case wire.ListToolCallsResponse:
		calls := items("tool_calls", body.ToolCalls)
		body.ToolCalls = []wire.ToolCall{}
		encodeParts(to, body, calls)
	case wire.ListPendingMemoriesResponse:
		approvals := items("approvals", body.Approvals)
		body.Approvals = []wire.Memory{}
		encodeParts(to, body, approvals)
	case wire.ListUserMemoriesResponse:
		memories := items("memories", body.Memories)
		body.Memories = []wire.Memory{}
		encodeParts(to, body, memories)
	case wire.ListDocumentsResponse:
		documents := items("docs", body.Docs)
		body.Docs = []wire.ListedDocument{}
		encodeParts(to, body, documents)
	case wire.Document:
		content, passages := longText("text", body.Text), items("passages", body.Passages)
		body.Text, body.Passages = "", []wire.Passage{}
		encodeParts(to, body, content, passages)
	default:
		to.add(encodeJSON(value))
	}
}

// part is a field that is encoded in pieces. empty is the field without its value.
type part struct {
	empty string
	write func(*blocks)
}

// encodeParts writes an object whose parts are still empty, with their values. The parts are the last
// fields but for numbers and booleans, in the order of the object.
func encodeParts(to *blocks, object any, parts ...part) {
	text := encodeJSON(object)
	for _, one := range parts {
		at := bytes.LastIndex(text, []byte(one.empty)) + len(one.empty) - 1
		to.add(text[:at:at])
		one.write(to)
		text = text[at:]
	}
	to.add(text)
}

func items[T any](name string, all []T) part {
	return part{`"` + name + `":[]`, func(to *blocks) {
		for i, item := range all {
			if i > 0 {
				to.add([]byte(","))
			}
			to.add(encodeJSON(item))
		}
	}}
}

// textPiece is how many bytes of a text are encoded at once.
const textPiece = 64 << 10

func longText(name, text string) part {
	return part{`"` + name + `":""`, func(to *blocks) {
		for text != "" {
			cut := min(textPiece, len(text))
			for cut < len(text) && !utf8.RuneStart(text[cut]) {
				cut--
			}
			quoted := encodeJSON(text[:cut])
			to.add(quoted[1 : len(quoted)-1])
			text = text[cut:]
		}
	}}
}

func encodeJSON(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("httpapi: encode %T: %v", value, err)) // only a bug in our own types can cause this
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}
