package openai

import "strings"

// tags begin and end the reasoning that servers without a parser for it leave in the text.
var tags = []struct{ open, end string }{
	{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<thought>", "</thought>"},
	{"<seed:think>", "</seed:think>"}, {"[THINK]", "[/THINK]"}, {"◁think▷", "◁/think▷"}, {"<|begin_of_thought|>", "<|end_of_thought|>"},
	{"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"},
}

// fences begin and end code, in which a tag is text.
var fences = []string{"```", "~~~"}

const (
	blanks = " \t\r\n"
	// mostBlanks is how many blanks before the first word are kept.
	mostBlanks = 1 << 10
)

// thoughts removes reasoning from a text that arrives in pieces. A tag counts only at the beginning of
// a line and outside of a fence. Blanks before the first word are held back, so that a text of blanks
// is none. Reasoning in the middle of a text that does not end is a word about the tag, and stays. The
// zero value is ready.
type thoughts struct {
	held    string // what may begin a tag, or, in reasoning, end it
	end     string // the tag that ends the reasoning, empty in text
	passed  strings.Builder
	begun   bool // text has been said
	removed bool // reasoning has been removed
	inLine  bool // the line has begun
	fence   string
	// lost reports whether reasoning did not end, or ended without a beginning.
	lost bool
}

// next returns the text to say now.
func (t *thoughts) next(text string) string {
	t.held += text
	var said strings.Builder
	for t.held != "" {
		if t.end != "" {
			if !t.skip(&said) {
				break
			}
		} else if !t.say(&said, false) {
			break
		}
	}
	return said.String()
}

// rest returns what was held back, at the end of the text.
func (t *thoughts) rest() string {
	var said strings.Builder
	switch {
	case t.end != "" && t.begun:
		said.WriteString(t.passed.String() + t.held)
	case t.end != "":
		t.lost = true
	default:
		for t.held != "" && t.say(&said, true) {
		}
	}
	t.held, t.end = "", ""
	return said.String()
}

// skip reads reasoning, and reports whether it ended.
func (t *thoughts) skip(said *strings.Builder) bool {
	if at := strings.Index(t.held, t.end); at >= 0 {
		t.held, t.end, t.removed, t.inLine = t.held[at+len(t.end):], "", true, false
		t.passed.Reset()
		return true
	}
	keep := min(len(t.held), len(t.end)-1)
	if t.begun {
		t.passed.WriteString(t.held[:len(t.held)-keep])
	}
	t.held = t.held[len(t.held)-keep:]
	if t.passed.Len() <= reasoningBytes {
		return false
	}
	said.WriteString(t.passed.String()) // no model thinks as long as this in the middle of its answer
	t.passed.Reset()
	t.end, t.inLine = "", true
	return true
}

// say reads the beginning of a line or the rest of one, and reports whether more may be read.
func (t *thoughts) say(said *strings.Builder, isEnd bool) bool {
	if !t.inLine {
		word := strings.TrimLeft(t.held, blanks)
		if t.begun {
			said.WriteString(t.held[:len(t.held)-len(word)])
			t.held = word
		}
		switch isTag, isOpen := t.tag(word); {
		case isTag:
			return true
		case word == "" || isOpen && !isEnd:
			t.held = lastBlanks(t.held, word) + word
			return false
		}
		t.held = lastBlanks(t.held, word) + word
		t.mark(word)
		if t.removed && !t.begun {
			t.held = word
		}
		t.begun, t.inLine = true, true
	}
	line := len(t.held)
	if at := strings.IndexByte(t.held, '\n'); at >= 0 {
		line, t.inLine = at+1, false
	}
	said.WriteString(t.held[:line])
	t.held = t.held[line:]
	return true
}

// lastBlanks returns the end of the blanks before a word: a model may send blanks without an end.
func lastBlanks(text, word string) string {
	before := text[:len(text)-len(word)]
	return before[max(0, len(before)-mostBlanks):]
}

// tag reads a tag. isOpen reports whether more text may make one, or a fence.
func (t *thoughts) tag(word string) (isTag, isOpen bool) {
	for _, fence := range fences {
		isOpen = isOpen || len(word) < len(fence) && strings.HasPrefix(fence, word)
	}
	if t.fence != "" {
		return false, isOpen
	}
	for _, one := range tags {
		if strings.HasPrefix(word, one.open) {
			t.held, t.end = word[len(one.open):], one.end
			if t.begun {
				t.passed.WriteString(one.open)
			}
			return true, false
		}
		if strings.HasPrefix(word, one.end) {
			t.held, t.lost = word[len(one.end):], true
			return true, false
		}
		isOpen = isOpen || strings.HasPrefix(one.open, word) || strings.HasPrefix(one.end, word)
	}
	return false, isOpen
}

// mark begins or ends a fence at the beginning of a line.
func (t *thoughts) mark(word string) {
	for _, fence := range fences {
		if !strings.HasPrefix(word, fence) {
			continue
		}
		switch t.fence {
		case "":
			t.fence = fence
		case fence:
			t.fence = ""
		}
	}
}
