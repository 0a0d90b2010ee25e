// Package read turns the bytes of a file into a Document: its title, its text, and where the
// headings, paragraphs, items, tables and code are in the text. It reads plain text, Markdown,
// HTML, PDF, documents of Word, Excel, PowerPoint and OpenDocument, RTF, EPUB, tables in CSV, mails, JSON and source code.
//
// Use Reader, which reads in a child process with limits of time and memory, so that no file
// harms the caller. Bytes reads in this process; the child uses it. If a file can't be read, the
// error is a Refusal.
package read

import (
	"fmt"
	"unicode/utf8"
)

// Kind is the kind of a file, derived from its content and its name.
type Kind string

// The kinds of files that are read.
const (
	Plain    Kind = "text"
	Markdown Kind = "markdown"
	HTML     Kind = "html"
	PDF      Kind = "pdf"
	DOCX     Kind = "docx"
	XLSX     Kind = "xlsx"
	PPTX     Kind = "pptx"
	ODT      Kind = "odt"
	ODS      Kind = "ods"
	ODP      Kind = "odp"
	RTF      Kind = "rtf"
	EPUB     Kind = "epub"
	CSV      Kind = "csv"  // also with tabs or semicolons
	Mail     Kind = "mail" // a file of a mail program, .eml
	JSON     Kind = "json"
	Source   Kind = "code" // source code, YAML, XML and other data
)

// BlockKind is what a Block is.
type BlockKind string

// The kinds of blocks. Level is the level of a heading, from 1. For an item it is how deeply its
// list is nested, from 1. Otherwise it is 0.
const (
	Heading   BlockKind = "heading"
	Paragraph BlockKind = "paragraph"
	Item      BlockKind = "item"
	Table     BlockKind = "table" // each row is a line, with " | " or " · " between cells
	Code      BlockKind = "code"
)

// Block is a part of a Document's text, at bytes [Start, End). It is never empty.
type Block struct {
	Kind  BlockKind `json:"kind"`
	Level int       `json:"level,omitempty"`
	Start int       `json:"start"`
	End   int       `json:"end"`
}

// Document is the text of a file. Text is plain, valid UTF-8 without markup, and untrusted: never
// serve it as HTML. Blocks are in order, do not overlap, and contain everything except spaces,
// line ends and list marks.
type Document struct {
	Kind  Kind   `json:"kind"`
	Title string `json:"title"` // one line, never empty; no path and no control characters
	// Encoding is in which the bytes of a text were read, for example "Shift_JIS"; empty if the kind says how.
	Encoding string `json:"encoding,omitempty"`

	Text   string  `json:"text"`
	Blocks []Block `json:"blocks"`
}

// MaxText is the largest size of a document's text, in bytes.
const MaxText = 10 << 20

// Bytes reads a file in this process; name is the file's name, whose folders are ignored. A
// hostile file can take all available time and memory: see Reader. The error is a Refusal.
func Bytes(name string, data []byte) (d Document, err error) {
	return within(name, data, maxUnpacked)
}

// within is Bytes with a limit other than maxUnpacked.
func within(name string, data []byte, unpacked int64) (d Document, err error) {
	defer func() {
		if r := recover(); r != nil {
			d, err = Document{}, fmt.Errorf("%w (%T)", Broken, r)
		}
	}()
	if len(data) == 0 {
		return Document{}, Empty
	}
	kind, err := kindOf(name, data)
	if err != nil {
		return Document{}, err
	}
	b := &builder{unpacked: unpacked}
	if err := b.read(kind, data); err != nil {
		return Document{}, err
	}
	return b.document(kind, name)
}

// read reads a file of a kind.
func (b *builder) read(kind Kind, data []byte) error {
	readers := map[Kind]func(*builder, []byte) error{
		Plain: readPlain, Markdown: readMarkdown, HTML: readHTML, PDF: readPDF, DOCX: readDOCX, XLSX: readXLSX, PPTX: readPPTX,
		ODT: readODF, ODS: readODF, ODP: readODF, RTF: readRTF, EPUB: readEPUB, CSV: readCSV, Mail: readEML, JSON: readJSON, Source: readCode,
	}
	return readers[kind](b, data)
}

// document completes the document.
func (b *builder) document(kind Kind, name string) (Document, error) {
	switch {
	case b.full:
		return Document{}, TooMuchText
	case len(b.blocks) == 0 && kind == PDF:
		return Document{}, NoText
	case len(b.blocks) == 0:
		return Document{}, Empty
	}
	title := cleanTitle(b.title)
	if title == "" && b.blocks[0].Kind == Heading {
		title = cleanTitle(b.text[b.blocks[0].Start:b.blocks[0].End])
	}
	if title == "" {
		title = nameTitle(name)
	}
	return Document{Kind: kind, Title: title, Encoding: b.encoding, Text: string(b.text), Blocks: b.blocks}, nil
}

// cleanTitle makes one line of at most maxTitle characters.
func cleanTitle[T string | []byte](raw T) string {
	title := spaced(visible(string(raw)))
	if utf8.RuneCountInString(title) > maxTitle {
		title = string([]rune(title)[:maxTitle-1]) + "…"
	}
	return title
}

const maxTitle = 200
