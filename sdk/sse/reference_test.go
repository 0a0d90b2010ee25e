package sse_test

import "strings"

// reference implements WHATWG HTML, section 9.2.6, word for word, over the whole stream. It is slow,
// and shares no code with the decoder.
func reference(stream []byte) []event {
	var r interpreter
	for _, line := range linesOf(decodeUTF8(stream)) {
		r.line(line)
	}
	return append([]event{}, r.events...)
}

// linesOf splits at CRLF, LF and CR. It drops the text after the last line end: "any pending data must
// be discarded".
func linesOf(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	split := strings.Split(text, "\n")
	return split[:len(split)-1]
}

type interpreter struct {
	data, eventType, lastEventID string
	events                       []event
}

func (r *interpreter) line(line string) {
	switch {
	case line == "":
		r.dispatch()
	case strings.HasPrefix(line, ":"):
		// "Ignore the line."
	case strings.Contains(line, ":"):
		field, value, _ := strings.Cut(line, ":")
		r.process(field, strings.TrimPrefix(value, " "))
	default:
		r.process(line, "")
	}
}

func (r *interpreter) process(field, value string) {
	switch field {
	case "event":
		r.eventType = value
	case "data":
		r.data += value + "\n"
	case "id":
		if !strings.Contains(value, "\x00") {
			r.lastEventID = value
		}
	}
}

func (r *interpreter) dispatch() {
	if r.data == "" {
		r.eventType = ""
		return
	}
	e := event{Type: "message", Data: strings.TrimSuffix(r.data, "\n"), LastEventID: r.lastEventID}
	if r.eventType != "" {
		e.Type = r.eventType
	}
	r.events = append(r.events, e)
	r.data, r.eventType = "", ""
}

// decodeUTF8 is the Encoding Standard's "UTF-8 decode".
func decodeUTF8(stream []byte) string {
	queue := []byte(strings.TrimPrefix(string(stream), "\xEF\xBB\xBF"))
	var out strings.Builder
	decoder := utf8Decoder{lower: 0x80, upper: 0xBF}
	for i := 0; i < len(queue); {
		if decoder.take(queue[i], &out) {
			i++
		}
	}
	if decoder.needed > 0 {
		out.WriteRune('\uFFFD')
	}
	return out.String()
}

type utf8Decoder struct {
	codePoint    rune
	needed, seen int
	lower, upper byte
}

// take is the handler of the standard's "UTF-8 decoder". It returns false if the byte has to be
// restored to the queue.
func (d *utf8Decoder) take(b byte, out *strings.Builder) bool {
	if d.needed == 0 {
		d.first(b, out)
		return true
	}
	if b < d.lower || b > d.upper {
		*d = utf8Decoder{lower: 0x80, upper: 0xBF}
		out.WriteRune('\uFFFD')
		return false
	}
	d.lower, d.upper = 0x80, 0xBF
	d.codePoint = d.codePoint<<6 | rune(b&0x3F)
	d.seen++
	if d.seen == d.needed {
		out.WriteRune(d.codePoint)
		*d = utf8Decoder{lower: 0x80, upper: 0xBF}
	}
	return true
}

func (d *utf8Decoder) first(b byte, out *strings.Builder) {
	switch {
	case b <= 0x7F:
		out.WriteByte(b)
	case 0xC2 <= b && b <= 0xDF:
		d.needed, d.codePoint = 1, rune(b&0x1F)
	case 0xE0 <= b && b <= 0xEF:
		if b == 0xE0 {
			d.lower = 0xA0
		}
		if b == 0xED {
			d.upper = 0x9F
		}
		d.needed, d.codePoint = 2, rune(b&0xF)
	case 0xF0 <= b && b <= 0xF4:
		if b == 0xF0 {
			d.lower = 0x90
		}
		if b == 0xF4 {
			d.upper = 0x8F
		}
		d.needed, d.codePoint = 3, rune(b&0x7)
	default:
		out.WriteRune('\uFFFD')
	}
}
