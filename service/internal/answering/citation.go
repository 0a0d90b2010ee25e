package answering

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// style is a kind of bracket around the numbers of a citation.
type style struct {
	open, close string
	// touches reports whether it may touch a word, because no text has such brackets around numbers.
	touches bool
	// labelled reports whether it takes a word before the number, as in (source 1).
	labelled bool
}

// styles are the brackets that models cite with; one that begins with another precedes it.
var styles = []style{
	{open: "[[", close: "]]"}, {open: "[^", close: "]", touches: true}, {open: "[", close: "]"}, {open: "【", close: "】", touches: true},
	{open: "［", close: "］", touches: true}, {open: "<sup>[", close: "]</sup>", touches: true}, {open: "(", close: ")", labelled: true},
	{open: "（", close: "）", labelled: true},
}

// labels may stand before a number, in any case.
var labels = strings.Fields(`source sources passage passages document documents doc docs reference references ref refs citation citations cite
	quelle quellen fuente fuentes fonte fonti bron bronnen kilde källa lähde kaynak źródło źródła источник источники
	来源 资料 文档 文献 出典 資料 출처`)

const (
	mostItems = 10
	// longestTail is how many bytes may follow a number, as in 【1†source】.
	longestTail = 48
	// widestRange is how many passages a range may have.
	widestRange = 20
)

// citation reads one citation at the beginning of a text.
type citation struct {
	style
	text     string // what is left
	passages int
	numbers  []int
	// cut reports whether the text ended where a citation could go on.
	cut bool
}

// cites reads a citation with a bracket of a style, and what separates it from the text before it, which
// it touches or not. length is 0 if there is none; cut means that more text may make one.
func cites(text string, passages int, touches bool) (found citation, length int) {
	start := text
	if text[0] == ',' || text[0] == ';' {
		text = text[1:]
	}
	text = strings.TrimPrefix(text, " ")
	cut := false
	for _, one := range styles {
		if touches && !one.touches {
			continue
		}
		c := citation{style: one, text: text, passages: passages}
		if c.take(one.open) && c.items() && c.take(one.close) {
			return c, len(start) - len(c.text)
		}
		cut = cut || c.cut
	}
	return citation{cut: cut}, 0
}

// take reads a text.
func (c *citation) take(word string) bool {
	if rest, found := strings.CutPrefix(c.text, word); found {
		c.text = rest
		return true
	}
	c.cut = c.cut || strings.HasPrefix(word, c.text)
	return false
}

func (c *citation) takeAny(words ...string) bool {
	for _, word := range words {
		if c.take(word) {
			return true
		}
	}
	return false
}

// items reads the numbers.
func (c *citation) items() bool {
	for range mostItems {
		if !c.item() {
			return false
		}
		if !c.takeAny(", ", ",", "; ", ";", " and ", " & ", "、", "，") {
			return true
		}
	}
	return false
}

// item reads a number or a range, with a label before it, and what says more about the place behind it.
func (c *citation) item() bool {
	hasLabel := c.label()
	if c.labelled && !hasLabel && len(c.numbers) == 0 {
		return false
	}
	isNested := c.labelled && c.take("[")
	if !hasLabel {
		c.takeAny("^", "#")
	}
	first, ok := c.number()
	if !ok {
		return false
	}
	last := first
	if c.takeAny("-", "–", "—", " - ", " – ") {
		if last, ok = c.number(); !ok || last <= first || last-first >= widestRange {
			return false
		}
	}
	for n := first; n <= last; n++ {
		c.numbers = append(c.numbers, n)
	}
	c.take("^")
	return c.tail() && (!isNested || c.take("]"))
}

// label reads a label and what separates it from its number.
func (c *citation) label() bool {
	end := strings.IndexFunc(c.text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(c.text)
	}
	word := strings.ToLower(c.text[:end])
	found := false
	for _, one := range labels {
		found = found || one == word
		c.cut = c.cut || end == len(c.text) && strings.HasPrefix(one, word)
	}
	if !found || end == len(c.text) {
		return false
	}
	c.text = c.text[end:]
	for range 3 {
		if !c.takeAny(" ", ":", "#", ".", "-") {
			break
		}
	}
	return true
}

// number reads the number of a passage.
func (c *citation) number() (number int, ok bool) {
	for c.text != "" && c.text[0] >= '0' && c.text[0] <= '9' {
		if number = number*10 + int(c.text[0]-'0'); number == 0 || number > c.passages {
			return 0, false
		}
		c.text = c.text[1:]
	}
	c.cut = c.cut || c.text == ""
	return number, number > 0
}

// tail reads the place in a passage: what stands behind a dagger, up to the bracket.
func (c *citation) tail() bool {
	if !c.take("†") {
		return true
	}
	end := strings.IndexAny(c.text, "[]【】()\n")
	if end < 0 {
		end = len(c.text)
		c.cut = c.cut || end <= longestTail
	}
	c.text = c.text[end:]
	return end <= longestTail
}

// isRead reports whether a citation counts, by what follows it. open means that this is not known yet.
func (c citation) isRead(isEnd, touchesWord bool) (is, open bool) {
	next, _ := utf8.DecodeRuneInString(c.text)
	switch {
	case c.close != "]" && c.close != "]]":
		return true, false
	case c.text == "":
		return isEnd, !isEnd
	case touchesWord && strings.ContainsRune("+*{[", next): // a class of characters
		return false, false
	}
	return next != '(' && !inWord(next), false
}
