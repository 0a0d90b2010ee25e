package embedded

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is a range of bytes of a text.
type span struct{ start, end int }

// page is a text with what has to be known of the whole before a part is read.
type page struct {
	text    string
	oneCase bool   // all capitals or none: capitals say nothing
	quoted  []span // what stands in quotation marks, without the marks
}

func newPage(text string) page {
	text = strings.ToValidUTF8(text, "\uFFFD")
	oneCase := strings.ToLower(text) == text || strings.ToUpper(text) == text
	return page{text: text, oneCase: oneCase, quoted: quotedSpans(text)}
}

// quoteLimit bounds the search for a closing mark, in bytes, so that a page of
// opening marks costs no more than another.
const quoteLimit = 2000

var closingMarks = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '‘': '’', '\'': '\''}

func quotedSpans(text string) []span {
	var spans []span
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		start := i + n
		i = start
		closer, ok := closingMarks[r]
		if !ok || !opens(text[:start-n]) {
			continue
		}
		if length := quotedLength(text[start:], closer); length > 0 {
			spans = append(spans, span{start, start + length})
			i = start + length + utf8.RuneLen(closer)
		}
	}
	return spans
}

// opens tells whether a mark after this text opens a quotation: one inside a
// word is an apostrophe.
func opens(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || !wordRune(r)
}

// quotedLength is where the closing mark stands on the line, -1 for nowhere.
func quotedLength(text string, closer rune) int {
	text = text[:min(len(text), quoteLimit)]
	line, _, _ := strings.Cut(text, "\n")
	for i, r := range line {
		if r != closer {
			continue
		}
		after, _ := utf8.DecodeRuneInString(line[i+utf8.RuneLen(r):])
		if !wordRune(after) {
			return i
		}
	}
	return -1
}

// inside tells whether a byte lies in one of the spans, which are in order.
func inside(spans []span, at int) bool {
	i, _ := slices.BinarySearchFunc(spans, at, func(s span, at int) int { return s.end - at - 1 })
	return i < len(spans) && spans[i].start <= at
}

// sentenceSpans cuts a page at full stops, question marks and line ends, but
// not inside quotation marks. A span holds its closing marks.
func sentenceSpans(p page) []span {
	var spans []span
	start := 0
	for i := 0; i < len(p.text); {
		r, n := utf8.DecodeRuneInString(p.text[i:])
		i += n
		if !endsSentence(p, i-n, r) {
			continue
		}
		for i < len(p.text) {
			r, n := utf8.DecodeRuneInString(p.text[i:])
			if !strings.ContainsRune(".!?…？！。؟\"”’»)", r) {
				break
			}
			i += n
		}
		spans = append(spans, span{start, i})
		start = i
	}
	return append(spans, span{start, len(p.text)})
}

func endsSentence(p page, at int, r rune) bool {
	switch r {
	case '\n':
		return true
	case '?':
		next, _ := utf8.DecodeRuneInString(p.text[at+1:])
		return !inside(p.quoted, at) && !wordRune(next)
	case '!', '…', '。', '！', '？', '؟':
		return !inside(p.quoted, at)
	case '.':
		return !inside(p.quoted, at) && fullStop(p.text[:at], p.text[at+1:])
	}
	return false
}

// fullStop tells a full stop from the point of a number, an address, an
// abbreviation or an initial.
func fullStop(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	if joins(before, '.', next) {
		return false
	}
	tail := before[max(0, len(before)-8):]
	word := tail[strings.LastIndexFunc(tail, unicode.IsSpace)+1:]
	initial := utf8.RuneCountInString(word) == 1 && unicode.IsUpper(last) && word != "I"
	return !initial && !abbreviations[strings.ToLower(word)]
}

// trimmed is the part of a span without the spaces around it.
func (p page) trimmed(s span) string { return strings.TrimSpace(p.text[s.start:s.end]) }
