package read

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pdfGlyph is a character on a page; y increases upwards from the bottom.
type pdfGlyph struct {
	text      string
	x, end, y float64
	size      float64
	bold      bool
	upright   bool // written from left to right, not along a margin
}

// pdfLine is a line of a page, or of a column.
type pdfLine struct {
	text      string
	x, end, y float64
	size      float64 // of its last character of normal height
	bold      bool    // all of it
}

// The gap, relative to the size, that counts as a space if the page has none, and the gap that
// ends a line.
const (
	wordGap = 0.17
	lineGap = 8
)

// add adds a character to the last line, or begins a new one. Rotated text is ignored: it is a
// watermark or a publisher's note.
func (p *painter) add(g pdfGlyph) {
	if g.text == "" || !g.upright || g.size == 0 {
		return
	}
	n := len(p.lines)
	if n == 0 || !p.lines[n-1].takes(g) {
		if strings.TrimSpace(g.text) != "" {
			p.lines = append(p.lines, pdfLine{g.text, g.x, g.end, g.y, g.size, g.bold})
		}
		return
	}
	line := &p.lines[n-1]
	blank := strings.TrimSpace(g.text) == ""
	if spaced := strings.HasSuffix(line.text, " "); !spaced && (blank || g.x-line.end > wordGap*g.size) {
		line.text += " "
	}
	if !blank {
		line.text += g.text
		line.bold = line.bold && g.bold
		line.size = max(line.size, g.size)
	}
	line.end = max(line.end, g.end)
}

// takes reports whether a character continues a line: to the right, at the same height or as little
// above or below it as notes are.
func (l *pdfLine) takes(g pdfGlyph) bool {
	size := max(l.size, g.size)
	gap := g.x - l.end
	return math.Abs(g.y-l.y) < size/2 && gap > -size && gap < lineGap*size
}

// withoutMargins removes page numbers, and lines at the top or bottom that, apart from digits, at
// least half of the pages have; on the first page such a line may be the title, and stays.
func withoutMargins(pages [][]pdfLine) [][]pdfLine {
	const few = 3
	seen := map[string]int{}
	for _, page := range pages {
		for _, i := range edges(page) {
			seen[withoutDigits(page[i].text)]++
		}
	}
	kept := make([][]pdfLine, len(pages))
	for n, page := range pages {
		drop := map[int]bool{}
		for _, i := range edges(page) {
			text := withoutDigits(page[i].text)
			drop[i] = text == "" || n > 0 && len(pages) >= few && 2*seen[text] >= len(pages)
		}
		for i, line := range page {
			if !drop[i] {
				kept[n] = append(kept[n], line)
			}
		}
	}
	return kept
}

// edges returns the indexes of the highest and the lowest line.
func edges(page []pdfLine) []int {
	if len(page) < 2 {
		return nil
	}
	top, bottom := 0, 0
	for i, line := range page {
		if line.y > page[top].y {
			top = i
		}
		if line.y < page[bottom].y {
			bottom = i
		}
	}
	return []int{top, bottom}
}

func withoutDigits(text string) string {
	return strings.TrimFunc(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text), func(r rune) bool { return !unicode.IsLetter(r) })
}

// layOut turns lines into headings and paragraphs.
func (b *builder) layOut(pages [][]pdfLine) {
	l := layout{builder: b, body: bodySize(pages)}
	l.sizes(pages)
	for _, page := range pages {
		for _, line := range page {
			l.line(line)
		}
	}
	l.flush()
}

// bodySize returns the size that most characters have.
func bodySize(pages [][]pdfLine) float64 {
	count, best := map[float64]int{}, 0.0
	for _, page := range pages {
		for _, line := range page {
			size := math.Round(line.size*2) / 2
			count[size] += len(line.text)
			if count[size] > count[best] {
				best = size
			}
		}
	}
	return best
}

// layout collects the lines of a paragraph.
type layout struct {
	*builder
	body   float64
	levels []float64 // sizes of headings, the largest first
	lines  []pdfLine
}

// larger is the least size of a heading, as a multiple of the body's size.
const larger = 1.12

// sizes finds the sizes of headings.
func (l *layout) sizes(pages [][]pdfLine) {
	for size := range headingSizes(pages, l.body*larger) {
		at := 0
		for at < len(l.levels) && l.levels[at] > size {
			at++
		}
		l.levels = append(l.levels[:at], append([]float64{size}, l.levels[at:]...)...)
	}
}

func headingSizes(pages [][]pdfLine, least float64) map[float64]bool {
	all := map[float64]bool{}
	for _, page := range pages {
		for _, line := range page {
			if size := math.Round(line.size); size > least {
				all[size] = true
			}
		}
	}
	return all
}

// level returns the level of a heading, or 0 for other lines.
func (l *layout) level(line pdfLine) int {
	for i, size := range l.levels {
		if math.Round(line.size) >= size {
			return min(i+1, 5)
		}
	}
	if line.bold && len(line.text) < 100 && !strings.HasSuffix(line.text, ".") {
		return min(len(l.levels)+1, 6)
	}
	return 0
}

func (l *layout) line(line pdfLine) {
	line.text = strings.TrimSpace(line.text)
	if n := len(l.lines); n > 0 && l.parts(l.lines[n-1], line) {
		l.flush()
	}
	l.lines = append(l.lines, line)
}

// parts reports whether a paragraph ends between two lines.
func (l *layout) parts(above, below pdfLine) bool {
	drop := above.y - below.y
	next, _ := utf8.DecodeRuneInString(below.text)
	switch {
	case l.level(above) != l.level(below):
		return true
	case drop <= 0: // the next column or page
		return sentenceEnd(above.text) || !unicode.IsLower(next) && l.level(below) == 0 && !strings.HasSuffix(above.text, ",")
	case drop > 1.75*max(above.size, below.size):
		return true
	case strings.ContainsRune("•◦▪–‣●", next) || strings.HasPrefix(below.text, "- "):
		return true
	}
	return below.x > above.x+below.size*0.8 && sentenceEnd(above.text)
}

func sentenceEnd(text string) bool {
	return strings.HasSuffix(strings.TrimRight(text, `"'”’)]`), ".") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, ":")
}

// flush ends the paragraph. It joins words that were hyphenated at the end of a line.
func (l *layout) flush() {
	if len(l.lines) == 0 {
		return
	}
	text := l.lines[0].text
	for _, line := range l.lines[1:] {
		next, _ := utf8.DecodeRuneInString(line.text)
		before, divided := strings.CutSuffix(text, "-")
		last, _ := utf8.DecodeLastRuneInString(before)
		if divided && unicode.IsLower(next) && unicode.IsLetter(last) {
			text = before + line.text
		} else {
			text += " " + line.text
		}
	}
	kind, level := Paragraph, 0
	if l.level(l.lines[0]) > 0 && len(text) < 200 {
		kind, level = Heading, l.level(l.lines[0])
	}
	if item := strings.TrimLeft(text, "•◦▪‣●"); item != text {
		kind, level, text = Item, 1, item
	}
	l.block(kind, level, spaced(text))
	l.lines = l.lines[:0]
}
