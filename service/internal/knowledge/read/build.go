package read

import (
	"strings"
	"unicode"
)

// builder puts the text of a document together.
type builder struct {
	text   []byte
	blocks []Block
	title  string
	full   bool // more than MaxText or maxBlocks came, and is left out
	// unpacked is what the streams of a PDF may unpack to in all, in bytes.
	unpacked int64
}

// block adds a block. Its text is trimmed; where nothing is left nothing is
// added.
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

// gap is what stands before a block.
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

// maxBlocks is what a document may have: of 50 bytes each where it is full.
const maxBlocks = MaxText / 50

// maxIndent is the deepest list that is shown as such.
const maxIndent = 8

// visible leaves out characters that can't be seen, or that turn the direction
// of what follows; line ends and tabs stay. Line ends become \n.
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

// spaced makes one space of all space between words.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }
