package rules

import (
	"regexp"
	"strings"
	"unicode"
)

// addressed reports whether a text holds an address of a page, a machine, a person, a
// phone or an account, even if it is written so that it does not look like one.
func addressed(text string) bool {
	text = folded(text)
	return reachable.MatchString(text) || digitRun(text) || namedHost(text)
}

// folded undoes what hides an address from readers or patterns: wide letters, other
// dots, and invisible characters.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xff01 && r <= 0xff5e:
			r -= 0xfee0
		case strings.ContainsRune("。｡․‧・", r):
			return '.'
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Mn, r), r == '\u3164':
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return unicode.ToLower(r)
	}, text)
}

var (
	reachable = regexp.MustCompile(`[a-z][a-z0-9+.-]*:/|\bh(?:tt|xx)ps?\b|\bwww\b|@|\S\s?(?:\[|\(|\{)\s?(?:dot|\.|at|@)\s?(?:\]|\)|\})|` +
		`[\pL\d] (?:dot|d0t|punkt|punto) [\pL\d]|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b0x[0-9a-f]{8,}|\b[a-z]{2}\d{2}(?:[ -]?[a-z0-9]{4}){2,}|\blocalhost\b|` +
		`\bxn--|\bmailto\b|\btel:|\bmagnet:|\bjavascript:|\bdata:`)
	host     = regexp.MustCompile(`[\pL\d_-]+(?:\.[\pL\d_-]+)*\.(\pL[\pL\d-]+)`)
	digits   = regexp.MustCompile(`\+?\d(?:[ ()./–-]{0,2}\d){5,}`)
	calendar = regexp.MustCompile(`^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|(?:19|20)\d\d ?[-–/] ?(?:19|20)\d\d)$`)
)

// notHosts are what is after a full stop in names of programs and files.
var notHosts = setOf("js jsx ts tsx py rb go cpp java html css json yaml yml txt csv pdf doc docx xls xlsx png jpg exe")

// namedHost finds a bare domain: the name after its last full stop is not the ending of
// a program's or file's name.
func namedHost(text string) bool {
	for _, m := range host.FindAllStringSubmatch(text, -1) {
		if !notHosts[m[1]] && m[0] != "asp.net" {
			return true
		}
	}
	return false
}

// digitRun finds numbers as long as those of phones and accounts. Dates are shorter.
func digitRun(text string) bool {
	for _, run := range digits.FindAllString(text, -1) {
		n := len(digitsOf(run))
		if (n > 6 || n > 5 && run[0] == '+') && !calendar.MatchString(run) {
			return true
		}
	}
	return false
}
