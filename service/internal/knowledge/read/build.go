package read

import (
	"strings"
	"unicode"
)

// builder assembles the text of a document.
type builder struct {
	text   []byte
	blocks []Block
	title  string
	full   bool // MaxText or maxBlocks is reached, and the rest is left out
	// unpacked is how many bytes the streams of a PDF, and the files of an archive, may unpack to, in total.
	unpacked int64
	encoding string // in which a text was read, empty if a file says how it is to be read
}

// block adds a block. Its text is trimmed; if nothing is left, nothing is added.
func (b *builder) block(kind BlockKind, level int, text string) {
	text = strings.Trim(visible(text), "\n")
	if kind != Code {
		text = strings.TrimSpace(text)
	}
	if strings.TrimSpace(text) == "" || b.full {
		return
	}
	gap := b.gap(kind, level)
	if len(b.text)+len(gap)+len(text) > MaxText || len(b.blocks) == maxBlocks {
		b.full = true
		return
	}
	b.text = append(b.text, gap...)
	start := len(b.text)
	b.text = append(b.text, text...)
	b.blocks = append(b.blocks, Block{Kind: kind, Level: level, Start: start, End: len(b.text)})
}

// gap returns what separates a block from the one before.
func (b *builder) gap(kind BlockKind, level int) string {
	gap := "\n\n"
	switch {
	case len(b.blocks) == 0:
		gap = ""
	case kind == Item && b.blocks[len(b.blocks)-1].Kind == Item:
		gap = "\n"
	}
	if kind == Item {
		gap += strings.Repeat("  ", min(level, maxIndent)-1) + "- "
	}
	return gap
}

// maxBlocks is how many blocks a document may have: in a full document, each has 50 bytes.
const maxBlocks = MaxText / 50

// maxIndent is the deepest level of a list that is shown.
const maxIndent = 8

// visible removes characters that are invisible or change the direction of the text after them.
// Line ends and tabs stay; line ends become \n.
func visible(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r', r == '\v', r == '\f', r == '\u2028', r == '\u2029':
			return '\n'
		case r == '\u00a0':
			return ' '
		case r == '\u200c' || r == '\u200d': // joiners, which scripts and emoji need
			return r
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, text)
}

// spaced replaces all white space between words by one space.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }
