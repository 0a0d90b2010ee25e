package rules

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// strange recognises characters that nobody types: those that change the direction of
// text, are invisible, or break lines in unusual ways.
func strange(text string) bool {
	for at, r := range text {
		switch {
		case r == '\n', r == '\r', r == ' ':
		case r == '\u200d':
			if last, _ := utf8.DecodeLastRuneInString(text[:at]); last < 0x2190 {
				return true // it only joins emoji
			}
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r), r == utf8.RuneError:
			return true
		case unicode.Is(unicode.Zs, r) && r != '\u00a0' && r != '\u202f', r == '\u2800', r == '\u3164', r == '\u115f', r == '\u1160':
			return true
		}
	}
	return false
}

// The most lines of a message that a person types by hand, and white space too wide for
// one.
const (
	mostLines = 6
	mostBlank = "        "
)

// laidOut recognises a layout that pasted texts have: paragraphs, many lines,
// markup, headers, tables.
func laidOut(text string) bool {
	text = strings.ReplaceAll(text, "\r", "")
	trimmed := strings.Trim(text, " \n")
	if strings.Contains(text, mostBlank) || markup.MatchString(text) {
		return true
	}
	lines := 0
	paragraph := ""
	for _, l := range linesOf(trimmed) {
		s := trimmed[l.start:l.end]
		lines++
		switch {
		case strings.TrimSpace(s) == "":
			if !greeting(paragraph) {
				return true
			}
			paragraph = ""
		case lines > mostLines, odd.MatchString(s), stamped.MatchString(s), header(s), letter.MatchString(s), title.MatchString(s):
			return true
		default:
			paragraph += s
		}
	}
	return strings.HasPrefix(strings.TrimLeft(text, " "), "\n") || strings.HasPrefix(text, "    ")
}

// greeting recognises a first paragraph that only says hello.
func greeting(paragraph string) bool {
	words := wordsOf(paragraph)
	for _, w := range words {
		if !small.has("filler", w) && !among(w, "there", "all", "morning", "evening", "afternoon", "everyone") {
			return false
		}
	}
	return len(words) > 0 && len(words) < 4
}

var (
	// markup finds signs of code, pages, tables and exports anywhere.
	markup = regexp.MustCompile("~~~|```|<!--|-->|(?:\\b\\pL ){4}|</?[A-Za-z|!]|<-|->|/\\*|\\*/|\\{|\\}|\\[[A-Za-z/]|\\|\\s|\\s\\||" +
		"\\\\[a-z]|\\b[A-Za-z]\\)\\s|==|^=|\\w=\\w|\\w\\s=\\s|\\*\\*|" +
		`;[\pL\d"]|[\pL\d"],[\pL"]|",|,"|\S\t|` +
		`, ?\d+ ?,|\b[A-Z]{2,} [A-Z]{2,} [A-Z]{2,}|(?:^|\s)\*\pL|~\s|[.!?]\s[-–—~]+\s?\pL+\W*$`)
	// odd finds lines that don't begin as a sentence does.
	odd = regexp.MustCompile(`^\s*(?:[-=~*_+#.]{2,}|#|\(|//|>|\||@\S+[:,]?\s|\[|<|\.$|,|;|:|%|\\)|^(?:\t| {4})|^\W*$|^\s*\S*\d\S*\s*[,;]|^\s*\d+$`)
	// letter finds beginnings and ends of letters, title finds lines in capitals.
	letter = regexp.MustCompile(`(?i)^\W*(?:dear\s|to whom|hi team|(?:best|kind|warm|many)?\s?(?:regards|wishes)\b|sincerely|yours\b|faithfully|` +
		`best\W*$|cheers\W*$|love,|xoxo|sent from|attn\b)`)
	title = regexp.MustCompile(`^[^a-z]*[A-Z]{2,}[^a-z]*\s[^a-z]*[A-Z]{2,}[^a-z]*$`)
	// stamped finds lines with the time or date of an entry.
	stamped = regexp.MustCompile(`^\W*\d{1,4}[-/.:]\d{1,2}(?:[-/.:]|\b)|\d{1,2}:\d{2}(?::\d{2}|\s?[AaPp][Mm])?\W*$|\d{1,2}:\d{2}:\d{2}`)
)

// header recognises a line that begins with the name of a field or a speaker.
func header(s string) bool {
	name := label(s)
	_, rest, _ := strings.Cut(s, ":")
	return name != "" && !ownLead(name) && (rest == "" || !strings.Contains(emoticons, rest[:1]))
}

// leadEnd returns the byte after the first colon that may introduce another speaker, or
// the end: "Tool result: …", but not "About me: …".
func leadEnd(text string) int {
	for from := 0; ; {
		n := strings.IndexAny(text[from:], ":：")
		if n < 0 {
			return len(text)
		}
		at := from + n
		r, size := utf8.DecodeRuneInString(text[at:])
		next, _ := utf8.DecodeRuneInString(text[at+size:])
		begun := strings.LastIndexAny(text[:at], ".!?\n") + 1
		emoticon := at > 0 && text[at-1] == ' ' && strings.ContainsRune(emoticons, next)
		if !emoticon && !(unicode.IsDigit(next) && r == ':') && !ownLead(text[begun:at]) {
			return at
		}
		from = at + size
	}
}

// emoticons are the characters that make a face with a colon.
const emoticons = ")(DPp-/|3"

// ownLeads are what people write before a colon of their own.
var ownLeads = map[string]bool{"ps": true, "btw": true, "fyi": true, "by the way": true, "one more thing": true, "fun fact": true, "also": true,
	"so": true, "quick question": true}

// ownLead reports whether the user still speaks after the words before a colon.
func ownLead(lead string) bool {
	low := strings.TrimSpace(strings.ToLower(lead))
	words := wordsOf(low)
	if ownLeads[low] {
		return true
	}
	if len(words) == 0 || len(words) > 8 {
		return false
	}
	mine := words[0] == "my" && ownTopic(words[len(words)-1])
	for _, w := range words {
		mine = mine || among(w, "i", "me", "myself", "i'm", "im")
		if w == "who" || verbs.any(w, "task", "text-task") || reports[w] || handedOver[w] {
			return false
		}
	}
	return mine && !textNouns[words[len(words)-1]]
}

// ownTopic recognises "My hobbies: …".
func ownTopic(noun string) bool {
	return small.any(noun, "attribute", "passion", "aim") || among(noun, "situation", "question", "problem", "setup", "details", "info",
		"likes", "dislikes", "pets", "stack", "preferences", "favourites", "favorites", "languages", "kids", "family")
}

// handedOver are words before a colon that announce somebody else's text, or another
// persona.
var handedOver = setOf(`text mail email message got received found character story novel poem persona role avatar bot quote note him her he she they them
draft bio profile letter input output notes script line lines game sent status`)
