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

// span is a part of what a model says, or thinks.
type span struct {
	text      string
	isThought bool
}

// saidOf returns the text of spans.
func saidOf(spans []span) string {
	var said strings.Builder
	for _, one := range spans {
		if !one.isThought {
			said.WriteString(one.text)
		}
	}
	return said.String()
}

// thoughts tells reasoning from a text that arrives in pieces. A tag counts only at the beginning of
// a line and outside of a fence. Blanks before the first word are held back, so that a text of blanks
// is none. Reasoning in the middle of a text that does not end is a word about the tag, and stays. The
// zero value is ready.
type thoughts struct {
	held    string // what may begin a tag, or, in reasoning, end it
	open    string // the tag that began the reasoning, and the one that ends it; empty in text
	end     string
	passed  strings.Builder // reasoning in the middle of a text, which may be none
	begun   bool            // text has been said
	removed bool            // reasoning has been removed
	mused   bool            // this reasoning has begun with a word
	spans   []span          // to return
	inLine  bool            // the line has begun
	fence   string
	// lost reports whether reasoning did not end, or ended without a beginning.
	lost bool
}

// next returns what is said and thought now.
func (t *thoughts) next(text string) []span {
	t.held += text
	for t.held != "" {
		if t.end != "" {
			if !t.muse() {
				break
			}
		} else if !t.say(false) {
			break
		}
	}
	return t.taken()
}

// rest returns what was held back, at the end of the text.
func (t *thoughts) rest() []span {
	switch {
	case t.end != "" && t.begun:
		t.put(span{text: t.open + t.passed.String() + t.held})
	case t.end != "":
		t.think(t.held)
		t.lost = true
	default:
		for t.held != "" && t.say(true) {
		}
	}
	t.held, t.end = "", ""
	return t.taken()
}

// taken returns what was put, with parts of one kind joined.
func (t *thoughts) taken() (spans []span) {
	for from, to := 0, 0; from < len(t.spans); from = to {
		var whole strings.Builder
		for to = from; to < len(t.spans) && t.spans[to].isThought == t.spans[from].isThought; to++ {
			whole.WriteString(t.spans[to].text)
		}
		spans = append(spans, span{whole.String(), t.spans[from].isThought})
	}
	t.spans = nil
	return spans
}

// put adds a part of what is returned.
func (t *thoughts) put(part span) {
	if part.text != "" {
		t.spans = append(t.spans, part)
	}
}

// think adds reasoning. Blanks before its first word are left out, because many models think nothing in two lines.
func (t *thoughts) think(text string) {
	if !t.mused {
		text = strings.TrimLeft(text, blanks)
	}
	t.mused = t.mused || text != ""
	t.put(span{text, true})
}

// muse reads reasoning, and reports whether it ended.
func (t *thoughts) muse() bool {
	if at := strings.Index(t.held, t.end); at >= 0 {
		t.think(t.passed.String() + t.held[:at])
		t.held, t.end, t.removed, t.inLine = t.held[at+len(t.end):], "", true, false
		t.passed.Reset()
		return true
	}
	keep := beginningOf(t.end, t.held)
	if now := t.held[:len(t.held)-keep]; t.begun {
		t.passed.WriteString(now)
	} else {
		t.think(now)
	}
	t.held = t.held[len(t.held)-keep:]
	if t.passed.Len() <= reasoningBytes {
		return false
	}
	t.put(span{text: t.open + t.passed.String()}) // no model thinks as long as this in the middle of its answer
	t.passed.Reset()
	t.end, t.inLine = "", true
	return true
}

// beginningOf returns how many bytes at the end of a text may begin a tag.
func beginningOf(tag, text string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}

// say reads the beginning of a line or the rest of one, and reports whether more may be read.
func (t *thoughts) say(isEnd bool) bool {
	if !t.inLine {
		word := strings.TrimLeft(t.held, blanks)
		if t.begun {
			t.put(span{text: t.held[:len(t.held)-len(word)]})
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
	t.put(span{text: t.held[:line]})
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
			t.held, t.open, t.end, t.mused = word[len(one.open):], one.open, one.end, false
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
