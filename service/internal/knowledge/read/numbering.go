package read

import (
	"strconv"
	"strings"
)

// numbering counts the items of the lists of a Word document.
type numbering struct {
	lists  map[string]string           // the definition of each list
	levels map[string]map[int]wordItem // of each definition
	counts map[string]map[int]int      // of each definition
}

// wordItem is how items of a level are numbered.
type wordItem struct {
	format, text string
	start        int
}

func numberingOf(tree *element) *numbering {
	n := &numbering{map[string]string{}, map[string]map[int]wordItem{}, map[string]map[int]int{}}
	for _, one := range tree.kids {
		switch one.name {
		case "num":
			n.lists[one.attr("numId")] = one.child("abstractNumId").attr("val")
		case "abstractNum":
			levels := map[int]wordItem{}
			for _, level := range one.kids {
				if number, err := strconv.Atoi(level.attr("ilvl")); level.name == "lvl" && err == nil {
					start, _ := strconv.Atoi(level.child("start").attr("val"))
					levels[number] = wordItem{level.child("numFmt").attr("val"), level.child("lvlText").attr("val"), start}
				}
			}
			n.levels[one.attr("abstractNumId")] = levels
		}
	}
	return n
}

// next returns the number of the next item of a list at a level, empty for a bullet.
func (n *numbering) next(list string, level int) string {
	id := n.lists[list]
	levels := n.levels[id]
	if levels == nil || level < 0 || level > 8 {
		return ""
	}
	if n.counts[id] == nil {
		n.counts[id] = map[int]int{}
	}
	counts := n.counts[id]
	if _, begun := counts[level]; begun {
		counts[level]++
	} else {
		counts[level] = levels[level].start
	}
	for deeper := level + 1; deeper < 9; deeper++ {
		delete(counts, deeper)
	}
	if levels[level].format == "bullet" || levels[level].format == "none" {
		return ""
	}
	text := levels[level].text
	for at := 0; at <= level; at++ {
		count, begun := counts[at]
		if !begun {
			count = levels[at].start
		}
		text = strings.ReplaceAll(text, "%"+strconv.Itoa(at+1), formatted(count, levels[at].format))
	}
	return text
}

func formatted(count int, format string) string {
	switch format {
	case "lowerLetter", "upperLetter":
		if count < 1 || count > 26*8 {
			return strconv.Itoa(count)
		}
		letters := strings.Repeat(string(rune('a'+(count-1)%26)), (count-1)/26+1)
		if format == "upperLetter" {
			return strings.ToUpper(letters)
		}
		return letters
	case "lowerRoman":
		return strings.ToLower(roman(count))
	case "upperRoman":
		return roman(count)
	}
	return strconv.Itoa(count)
}

func roman(count int) string {
	if count < 1 || count > 3999 {
		return strconv.Itoa(count)
	}
	var text strings.Builder
	values := []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	for i, digit := range strings.Fields("M CM D CD C XC L XL X IX V IV I") {
		for ; count >= values[i]; count -= values[i] {
			text.WriteString(digit)
		}
	}
	return text.String()
}
