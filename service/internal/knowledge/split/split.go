// Package split splits a document into passages, which are what a search finds.
//
// A passage ends at the end of a heading, a paragraph or a sentence; tables are split between
// rows and code between lines. Offsets are in UTF-16 units of the document's text, as in
// JavaScript.
package split

import (
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

// Passage is a part of a document's text, verbatim.
type Passage struct {
	Headings []string // the headings that it is under, the outermost first, without the document's title
	Start    int      // UTF-16 units of the document's text
	End      int
	Text     string
}

// The sizes of passages in bytes. A passage shorter than enough also takes the next
// block under the same heading; a passage longer than most is cut.
const (
	enough = 250
	most   = 1600
)

// Passages cuts a document. Each character of its blocks is in one passage, except
// headings with something under them.
func Passages(d read.Document) []Passage {
	s := splitter{text: d.Text, units: units{text: d.Text}}
	for i, b := range d.Blocks {
		if b.Kind != read.Heading {
			s.add(b)
			continue
		}
		s.flush()
		s.path = s.above(b.Level)
		heading := strings.TrimSpace(d.Text[b.Start:b.End])
		if !introduces(d.Blocks, i) {
			s.start, s.end = b.Start, b.End
			s.flush()
		}
		s.path = append(s.path, level{b.Level, heading, i == 0 && heading == d.Title})
	}
	s.flush()
	return s.all
}

// introduces reports whether anything is under the heading at i.
func introduces(blocks []read.Block, i int) bool {
	return i+1 < len(blocks) && (blocks[i+1].Kind != read.Heading || blocks[i+1].Level > blocks[i].Level)
}

type level struct {
	number int
	text   string
	title  bool
}

// splitter collects blocks from start to end, which make the next passage.
type splitter struct {
	text       string
	units      units
	path       []level
	start, end int
	all        []Passage
}

// above returns the headings above a heading of this level.
func (s *splitter) above(number int) []level {
	n := len(s.path)
	for n > 0 && s.path[n-1].number >= number && !s.path[n-1].title {
		n--
	}
	return s.path[:n:n]
}

// add adds a block to the passage, or ends the passage first.
func (s *splitter) add(b read.Block) {
	if s.end > s.start && (s.end-s.start >= enough || b.End-s.start > most) {
		s.flush()
	}
	if s.end == s.start {
		s.start = b.Start
	}
	s.end = b.End
	if s.end-s.start > most {
		s.cut(b)
	}
}

// cut makes passages of equal length from a block that is too long, as far as its
// sentences, rows or lines allow.
func (s *splitter) cut(b read.Block) {
	parts := pieces(s.text[b.Start:b.End], b.Kind)
	length := b.End - b.Start
	size := length / ((length + most - 1) / most)
	for _, part := range parts {
		from, to := b.Start+part.Start, b.Start+part.End
		if from == b.Start {
			s.end = to
			continue
		}
		if s.end-s.start >= size || to-s.start > most {
			s.flush()
			s.start = from
		}
		s.end = to
	}
}

// flush ends the passage.
func (s *splitter) flush() {
	if s.end == s.start {
		return
	}
	p := Passage{Text: s.text[s.start:s.end], Start: s.units.at(s.start), End: s.units.at(s.end)}
	for _, heading := range s.path {
		if !heading.title {
			p.Headings = append(p.Headings, heading.text)
		}
	}
	s.all = append(s.all, p)
	s.start = s.end
}

// pieces returns the parts that a block may be cut into, none longer than most.
func pieces(text string, kind read.BlockKind) []english.Span {
	spans := english.Sentences(text)
	if kind == read.Table || kind == read.Code {
		spans = lines(text)
	}
	var all []english.Span
	for _, span := range spans {
		all = append(all, chopped(text, span)...)
	}
	return all
}

// lines returns the lines of a text without their line ends.
func lines(text string) []english.Span {
	var all []english.Span
	at := 0
	for line := range strings.Lines(text) {
		if bare := strings.TrimRight(line, "\n"); strings.TrimSpace(bare) != "" {
			all = append(all, english.Span{Start: at, End: at + len(bare)})
		}
		at += len(line)
	}
	return all
}

// chopped cuts a span that is longer than most between words, or between
// characters if there is no space.
func chopped(text string, span english.Span) []english.Span {
	var all []english.Span
	for span.End-span.Start > most {
		at := strings.LastIndexAny(text[span.Start:span.Start+most], " \n\t")
		if at <= 0 {
			at = most
			for !utf8.RuneStart(text[span.Start+at]) {
				at--
			}
		}
		all = append(all, english.Span{Start: span.Start, End: span.Start + at})
		span.Start += at
		for span.Start < span.End && strings.IndexByte(" \n\t", text[span.Start]) >= 0 {
			span.Start++
		}
	}
	if span.End > span.Start {
		all = append(all, span)
	}
	return all
}
