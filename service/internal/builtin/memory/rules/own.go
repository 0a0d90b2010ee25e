package rules

import (
	"strings"
	"unicode/utf8"
)

// mask says for each byte of a message whose words it belongs to.
type mask []byte

const (
	own     byte = iota
	quoted       // in quotation marks: may be named in a statement, but never makes one
	foreign      // pasted, code, a transcript: as if it were not there
)

// sameUntil returns the end of the run of one kind that begins at a byte, at most end.
func (m mask) sameUntil(start, end int) int {
	for i := start; i < end; i++ {
		if m[i] != m[start] {
			return i
		}
	}
	return end
}

// blank replaces the foreign parts of a text by line ends. The length stays.
func (m mask) blank(text string) string {
	blanked := []byte(text)
	for i, kind := range m {
		if kind == foreign {
			blanked[i] = '\n'
		}
	}
	return string(blanked)
}

func (m mask) set(start, end int, kind byte) {
	for i := start; i < end; i++ {
		m[i] = max(m[i], kind)
	}
}

// ownWords marks the parts of a message that are not the user's own words: code,
// quotations, transcripts, and texts that a task is about.
func ownWords(text string) mask {
	m := make(mask, len(text))
	maskFences(text, m)
	maskLines(text, m)
	maskQuotes(text, m)
	maskPayload(text, m)
	return m
}

// maskFences marks code between backticks.
func maskFences(text string, m mask) {
	for _, fence := range []string{"```", "`"} {
		for from := 0; ; {
			open := strings.Index(text[from:], fence)
			if open < 0 {
				break
			}
			open += from
			length := strings.Index(text[open+len(fence):], fence)
			if length < 0 {
				if fence == "```" {
					m.set(open, len(text), foreign)
				}
				break
			}
			end := open + 2*len(fence) + length
			m.set(open, end, foreign)
			from = end
		}
	}
}

// line is a line of a message, without its end.
type line struct{ start, end int }

func linesOf(text string) []line {
	var lines []line
	for at := 0; at <= len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return append(lines, line{at, len(text)})
		}
		lines = append(lines, line{at, at + end})
		at += end + 1
	}
	return lines
}

// maskLines marks block quotations, lines of code, and transcripts.
func maskLines(text string, m mask) {
	lines := linesOf(text)
	labels := map[string]bool{}
	for _, l := range lines {
		if name := label(text[l.start:l.end]); name != "" {
			labels[name] = true
		}
	}
	pasted := false
	if end, _ := instructionEnd(text, 0); aboutSelf(wordsOf(text[:end])) {
		labels = nil // the user's own notes follow "Given my personality, …"
	}
	for _, l := range lines {
		s := text[l.start:l.end]
		name := label(s)
		if strings.TrimSpace(s) == "" {
			continue
		}
		pasted = pasted && name == "" || name != "" && (len(labels) > 1 || labels != nil && payloadLabels[strings.ToLower(name)])
		if pasted || strings.HasPrefix(strings.TrimSpace(s), ">") || looksLikeCode(s) {
			m.set(l.start, l.end, foreign)
		}
	}
}

// label returns the name before a colon at the beginning of a line, as in "Bot: hi", or
// "".
func label(s string) string {
	name, _, ok := strings.Cut(strings.TrimLeft(s, " \t*-#•"), ":")
	name = strings.Trim(name, " *")
	if !ok || len(name) == 0 || len(name) > 24 || strings.Count(name, " ") > 1 || strings.ContainsAny(name, ".,;!?\"'()/<>={}") {
		return ""
	}
	return name
}

var payloadLabels = setOf(`passage question review sentence input text context paragraph abstract email message article user bot assistant ai story
dialogue conversation tweet post quote example output customer premise hypothesis statement achievement human poem lyrics song document`)

// looksLikeCode distinguishes code, markup and logs from sentences.
func looksLikeCode(s string) bool {
	t := strings.TrimSpace(s)
	if t == "" {
		return false
	}
	marks := 0
	for _, r := range t {
		if strings.ContainsRune("{}=<>;()[]|\\$_\"", r) {
			marks++
		}
	}
	ends := strings.HasSuffix(t, ";") || strings.HasSuffix(t, "{") || strings.HasSuffix(t, "}") || strings.HasPrefix(t, "<") || strings.HasPrefix(t, "//")
	return marks*6 > utf8.RuneCountInString(t) || ends && marks > 1
}

var quoteMarks = []struct{ open, close string }{{"\"", "\""}, {"“", "”"}, {"«", "»"}, {"‘", "’"}, {"„", "“"}, {" '", "'"}, {"\n'", "'"}, {":'", "'"}}

// maskQuotes marks what is between quotation marks, within one paragraph.
func maskQuotes(text string, m mask) {
	for _, q := range quoteMarks {
		for from := 0; from < len(text); {
			open := strings.Index(text[from:], q.open)
			if open < 0 {
				break
			}
			inner := from + open + len(q.open)
			length := closing(text[inner:], q.close)
			if length < 0 {
				from = inner
				continue
			}
			m.set(inner, inner+length, quoted)
			from = inner + length + len(q.close)
		}
	}
}

// longestQuote bounds the search for a closing mark, in bytes.
const longestQuote = 600

// closing returns where the closing mark is, or -1 if it is not near. A single mark
// inside a word is an apostrophe.
func closing(text, mark string) int {
	text = text[:min(len(text), longestQuote)]
	if paragraph := strings.Index(text, "\n\n"); paragraph >= 0 {
		text = text[:paragraph]
	}
	for from := 0; ; {
		at := strings.Index(text[from:], mark)
		if at < 0 {
			return -1
		}
		at += from
		next, _ := utf8.DecodeRuneInString(text[at+len(mark):])
		if !among(mark, "'", "’") || !wordRune(next) {
			return at
		}
		from = at + len(mark)
	}
}
