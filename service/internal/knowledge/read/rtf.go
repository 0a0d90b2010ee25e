package read

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// rtf reads Rich Text Format 1.9.1. What it does not know is skipped, as the specification asks.
type rtf struct {
	*builder
	data  []byte
	at    int
	state rtfState
	open  []rtfState
	fonts map[int]encoding.Encoding
	page  encoding.Encoding // of the document

	bytes []byte   // characters that are not decoded yet
	units []uint16 // of \u
	text  strings.Builder
	// row are the cells of the current row, and table the rows above it.
	row   []string
	table [][]string
	notes []string
}

// rtfState is what a group takes back at its end.
type rtfState struct {
	isSkipped, isNote, inTable, inFonts bool
	font, unicodeSkip                   int
	deleted                             bool
	level                               int // of the outline, from 1; 0 for text
	noteStart                           int // where the text of a note begins
}

// maxGroups is how deeply groups may be nested.
const maxGroups = 10_000

// silent are the destinations whose text is no part of the document.
var silent = map[string]bool{
	"colortbl": true, "stylesheet": true, "pict": true, "object": true, "fldinst": true, "datafield": true, "themedata": true,
	"colorschememapping": true, "listtable": true, "listoverridetable": true, "revtbl": true, "rsidtbl": true, "generator": true, "xmlnstbl": true,
	"latentstyles": true, "datastore": true, "bkmkstart": true, "bkmkend": true, "nonshppict": true, "shpinst": true, "info": true, "operator": true,
	"filetbl": true, "private": true, "pgptbl": true, "headerl": true, "footnotesep": true, "ftnsep": true, "ftnsepc": true, "aftnsep": true, "xe": true,
	"tc": true,
}

var rtfPages = map[int]encoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 866: charmap.CodePage866, 874: charmap.Windows874,
	932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5, 1250: charmap.Windows1250,
	1251: charmap.Windows1251, 1252: charmap.Windows1252,
	1253: charmap.Windows1253, 1254: charmap.Windows1254, 1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257,
	1258: charmap.Windows1258,
}

// rtfCharsets are the code pages of the character sets of fonts.
var rtfCharsets = map[int]int{
	128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250,
}

func readRTF(b *builder, data []byte) error {
	r := &rtf{builder: b, data: data, fonts: map[int]encoding.Encoding{}, page: charmap.Windows1252}
	r.state.unicodeSkip = 1
	for r.at < len(r.data) {
		switch c := r.data[r.at]; c {
		case '{':
			r.flush()
			if r.open = append(r.open, r.state); len(r.open) > maxGroups {
				return TooMuchInside
			}
			r.at++
		case '}':
			r.at++
			if len(r.open) > 0 {
				r.endGroup()
			}
		case '\\':
			r.control()
		case '\r', '\n':
			r.at++
		default:
			r.bytes = append(r.bytes, c)
			r.at++
		}
	}
	r.paragraph()
	r.endTable()
	return nil
}

func (r *rtf) endGroup() {
	r.flush()
	last := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	if r.state.isNote && !last.isNote {
		all := r.text.String()
		if note := spaced(all[r.state.noteStart:]); note != "" {
			r.notes = append(r.notes, "Footnote: "+note)
		}
		r.text.Reset()
		r.text.WriteString(all[:r.state.noteStart])
	}
	r.state = last
}

// control reads a control word or symbol.
func (r *rtf) control() {
	r.at++
	if r.at == len(r.data) {
		return
	}
	c := r.data[r.at]
	if c < 'a' || c > 'z' {
		r.symbol(c)
		return
	}
	from := r.at
	for r.at < len(r.data) && r.data[r.at] >= 'a' && r.data[r.at] <= 'z' {
		r.at++
	}
	word := string(r.data[from:r.at])
	from = r.at
	if r.at < len(r.data) && r.data[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9' {
		r.at++
	}
	value, err := strconv.Atoi(string(r.data[from:r.at]))
	if r.at < len(r.data) && r.data[r.at] == ' ' {
		r.at++
	}
	r.word(word, value, err == nil)
}

func (r *rtf) symbol(c byte) {
	r.at++
	switch c {
	case '\'':
		if r.at+2 <= len(r.data) {
			if value, err := strconv.ParseUint(string(r.data[r.at:r.at+2]), 16, 8); err == nil {
				r.bytes = append(r.bytes, byte(value))
			}
			r.at += 2
		}
	case '*':
		r.state.isSkipped = true // unless the word after it is known
	case '~':
		r.write(" ")
	case '_':
		r.write("-")
	case '\\', '{', '}':
		r.bytes = append(r.bytes, c)
	case '\r', '\n':
		r.paragraph()
	}
}

func (r *rtf) word(word string, value int, hasValue bool) {
	if word == "bin" {
		r.at = min(r.at+max(value, 0), len(r.data))
		return
	}
	if word != "u" {
		r.flush()
	}
	switch word {
	case "u":
		r.decode()
		r.units = append(r.units, uint16(value))
		r.skip(r.state.unicodeSkip)
	case "uc":
		r.state.unicodeSkip = min(max(value, 0), 16)
	case "ansicpg":
		if page := rtfPages[value]; page != nil {
			r.page = page
		}
	case "mac":
		r.page = charmap.Macintosh
	case "pca":
		r.page = charmap.CodePage850
	case "fonttbl":
		r.state.isSkipped, r.state.inFonts = true, true
	case "f":
		r.state.font = value
	case "fcharset":
		if page := rtfPages[rtfCharsets[value]]; page != nil && r.state.inFonts {
			r.fonts[r.state.font] = page
		}
	case "footnote":
		r.state.isNote, r.state.isSkipped, r.state.noteStart = true, false, r.text.Len()
	case "deleted":
		r.state.deleted = value != 0 || !hasValue
	case "plain":
		r.state.deleted = false
	case "pard":
		r.state.inTable, r.state.level = false, 0
	case "outlinelevel":
		r.state.level = min(max(value, 0), 8) + 1
	case "intbl":
		r.state.inTable = true
	case "par", "sect", "page":
		r.paragraph()
	case "line", "softline":
		r.write("\n")
	case "tab":
		r.write("\t")
	case "cell", "nestcell":
		r.row = append(r.row, strings.TrimSpace(r.text.String()))
		r.text.Reset()
	case "row", "nestrow":
		r.table, r.row = append(r.table, r.row[:min(len(r.row), maxColumns)]), nil
	default:
		if mark, known := rtfMarks[word]; known {
			r.write(mark)
		}
		if silent[word] {
			r.state.isSkipped = true
		}
	}
}

var rtfMarks = map[string]string{
	"emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emspace": " ", "enspace": " ",
}

// skip leaves out the characters that stand for a character of Unicode where that is not known.
func (r *rtf) skip(count int) {
	for ; count > 0 && r.at < len(r.data); count-- {
		switch r.data[r.at] {
		case '{', '}':
			return
		case '\\':
			if r.at+1 < len(r.data) && r.data[r.at+1] == '\'' {
				r.at = min(r.at+4, len(r.data))
				continue
			}
			return
		}
		r.at++
	}
}

func (r *rtf) write(text string) {
	r.flush()
	if !r.state.isSkipped && !r.state.deleted {
		r.text.WriteString(text)
	}
}

// decode writes the bytes that are waiting.
func (r *rtf) decode() {
	if len(r.bytes) == 0 {
		return
	}
	r.decodeUnits()
	page := r.fonts[r.state.font]
	if page == nil {
		page = r.page
	}
	text, err := page.NewDecoder().Bytes(r.bytes)
	r.bytes = r.bytes[:0]
	if err == nil && !r.state.isSkipped && !r.state.deleted {
		r.text.Write(text)
	}
}

func (r *rtf) decodeUnits() {
	if len(r.units) == 0 {
		return
	}
	if !r.state.isSkipped && !r.state.deleted {
		r.text.WriteString(string(utf16.Decode(r.units)))
	}
	r.units = r.units[:0]
}

// flush writes all that is waiting.
func (r *rtf) flush() {
	r.decode()
	r.decodeUnits()
}

// paragraph ends a paragraph. In a note and in a cell it is the end of a line.
func (r *rtf) paragraph() {
	r.flush()
	if r.state.isSkipped {
		return
	}
	if r.state.isNote || r.state.inTable {
		r.text.WriteByte('\n')
		return
	}
	text := r.text.String()
	r.text.Reset()
	if strings.TrimSpace(text) != "" {
		r.endTable()
	}
	if r.state.level > 0 {
		r.block(Heading, r.state.level, spaced(text))
	} else {
		r.block(Paragraph, 0, text)
	}
	for _, note := range r.notes {
		r.block(Paragraph, 0, note)
	}
	r.notes = nil
}

func (r *rtf) endTable() {
	if len(r.table) == 0 {
		return
	}
	g := grid{rows: r.table}
	g.findHeads(false)
	r.table = nil
	r.grid(g)
}
