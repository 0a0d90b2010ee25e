package answering

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// marks removes the marks with which a model cites passages, such as " [2]" or "【1†source】", from its text, and
// keeps the numbers. Text is not a mark, and stays, if it is in code, begins a line, touches a
// word, is a link, or has a number without a passage. Only text that may become a mark with the
// next piece is held back. A nil marks changes nothing.
type marks struct {
	cited []bool // by the index of the passage
	held  string
	line  line
	code  code
	// after reports whether the last text was a mark.
	after bool
	// taken are the marks of the text, and said is how long the text is without them.
	taken []Mark
	said  int
}

func newMarks(passages int) *marks { return &marks{cited: make([]bool, passages)} }

// next returns the text to send now. Its argument must hold whole code points.
func (m *marks) next(text string) string {
	if m == nil {
		return text
	}
	return m.read(m.held+text, false)
}

// rest returns the text that was held back, at the end of the text.
func (m *marks) rest() string {
	if m == nil {
		return ""
	}
	return m.read(m.held, true)
}

func (m *marks) read(text string, isEnd bool) string {
	var said strings.Builder
	m.held = ""
	for text != "" {
		length, numbers, open := m.length(text, isEnd)
		if open {
			m.held = text
			break
		}
		if m.after = length > 0; m.after {
			m.cite(numbers)
			m.taken = append(m.taken, Mark{m.said + said.Len(), text[:length]})
			text = text[length:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		m.line.add(r)
		m.code.add(r, m.line)
		said.WriteString(text[:size])
		text = text[size:]
	}
	m.said += said.Len()
	return said.String()
}

// length returns the length of the mark at the beginning of a text and its numbers, 0 if there is
// none. open means that more text is needed to decide.
func (m *marks) length(text string, isEnd bool) (length int, numbers []int, open bool) {
	first, _ := utf8.DecodeRuneInString(text)
	switch first {
	case ' ', '[', '【', '［', '<', '(', '（':
	case ',', ';': // "[1], [2]" are two marks
		if !m.after {
			return 0, nil, false
		}
	default:
		return 0, nil, false
	}
	m.code.close()
	if m.code.inside() || !m.after && !m.line.mayCite() {
		return 0, nil, false
	}
	touches := !m.after && first != ' ' && m.line.endsInWord()
	found, length := cites(text, len(m.cited), touches)
	if length == 0 {
		return 0, nil, found.cut && !isEnd
	}
	isRead, open := found.isRead(isEnd, touches)
	if !isRead {
		return 0, nil, open
	}
	return length, found.numbers, false
}

func (m *marks) cite(numbers []int) {
	for _, n := range numbers {
		m.cited[n-1] = true
	}
}

func (m *marks) anyCited() bool { return m != nil && slices.Contains(m.cited, true) }

// line is the state of the current line of Markdown.
type line struct {
	last   rune // the last character other than a space, 0 for none
	spaced bool // spaces follow it
	worded bool // a word has begun
	indent int  // spaces before the first other character, a tab counting as four
	inList bool // the last line without an indent is an item of a list
}

func (l *line) add(r rune) {
	switch {
	case r == '\n':
		*l = line{inList: l.inList}
	case r == ' ' || r == '\t':
		l.spaced = true
		if l.last == 0 && r == '\t' {
			l.indent += 4
		} else if l.last == 0 {
			l.indent++
		}
	default:
		if l.last == 0 && l.indent == 0 {
			l.inList = strings.ContainsRune("-*+", r) || unicode.IsDigit(r)
		}
		l.last, l.spaced = r, false
		l.worded = l.worded || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
}

// No mark follows these characters, with or without a space. A mark without a space before it
// follows only a character that ends a part of a sentence.
const (
	noMarkAfter = `=+-<>([{]:$\/&#@^~`
	partEnds    = `.,;!?”’»*…%。，、；！？」』）`
)

// mayCite reports whether a mark may come next.
func (l line) mayCite() bool { return l.worded && !strings.ContainsRune(noMarkAfter, l.last) }

// endsInWord reports whether what comes next touches a word, or what may be a name in code.
func (l line) endsInWord() bool {
	return !l.spaced && !strings.ContainsRune(partEnds, l.last) && !unspaced(l.last)
}

// inWord reports whether words, or names in code, contain a character.
func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_') && !unspaced(r)
}

// unspaced reports whether a character belongs to a script that puts no spaces between words.
func unspaced(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// code tracks where Markdown text is code: in a fence, between backticks, or indented outside of
// a list. If no closing backticks follow in a line, the code lasts to the end of the line.
type code struct {
	sign        rune // the character of the current run of backticks or tildes
	run         int  // its length, 0 if there is none
	leads       bool // the run begins its line
	fence, span int  // lengths of the opening runs, 0 for none
	fenceSign   rune
	indented    bool
}

func (c code) inside() bool { return c.fence > 0 || c.span > 0 || c.indented }

func (c *code) add(r rune, l line) {
	if r != c.sign {
		c.close()
	}
	switch {
	case r == '\n':
		if c.span >= 3 {
			c.fence, c.fenceSign = c.span, '`' // at the beginning of a list item
		}
		c.span, c.indented = 0, false
	case r == '`' || r == '~':
		if c.run == 0 {
			c.leads = !l.worded && c.span == 0
		}
		c.sign = r
		c.run++
	case l.last == r && l.indent >= 4 && !l.inList && c.fence == 0:
		c.indented = true
	}
}

// close ends the current run, if there is one.
func (c *code) close() {
	switch {
	case c.run == 0:
	case c.fence > 0:
		if c.leads && c.sign == c.fenceSign && c.run >= c.fence {
			c.fence = 0
		}
	case c.leads && c.run >= 3:
		c.fence, c.fenceSign = c.run, c.sign
	case c.sign == '`' && c.span == 0:
		c.span = c.run
	case c.sign == '`' && c.span == c.run:
		c.span = 0
	}
	c.run = 0
}
