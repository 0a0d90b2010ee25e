package rules

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// subject hides the piece before "is my password" if its form is that of a secret, or if
// nothing else is before it in the clause.
func (t *telling) subject(i int, name string) {
	if i < 0 || t.at(i).ends {
		return
	}
	if t.code(i) {
		t.hide(i, i, name)
		return
	}
	from := i
	for from > 0 && !t.at(from-1).ends && !t.is(from-1, "and") && i-from < longestRun {
		from--
	}
	for k := from; k <= i; k++ {
		if !t.plain(k) || t.is(k, "article", "owner") {
			return
		}
	}
	t.hide(from, i, name)
}

// value hides the secret that begins with a piece: text in quotation marks, a word that
// looks like a secret, or words as far as they may belong to it. It also hides another
// secret after "and".
func (t *telling) value(i int, name string) {
	if i >= len(t.pieces) || strings.Contains(t.text[t.pieces[i].start:t.pieces[i].end], dot) {
		return
	}
	if i > 0 && strings.Contains(t.text[t.pieces[i-1].end:t.pieces[i].start], "\n") {
		return
	}
	if end := quotedEnd(t.text[t.pieces[i].start:]); end > 0 {
		_, n := utf8.DecodeRuneInString(t.text[t.pieces[i].start:])
		t.cover = append(t.cover, span{t.pieces[i].start + n, t.pieces[i].start + end})
		return
	}
	if !t.plain(i) && !t.phrase(i) {
		return
	}
	last := i
	for whole := t.code(i); last < i+longestRun && !t.at(last).ends && t.belongs(last+1, whole); last++ {
	}
	t.hide(i, last, name)
	if t.is(last+1, "and") && t.code(last+2) {
		t.hide(last+2, last+2, name)
	}
}

// phrase recognises "correct horse battery staple": a word that may be a complaint, and
// three after it that can't.
func (t *telling) phrase(i int) bool {
	for k := i + 1; k <= i+3; k++ {
		if t.at(k-1).ends || k >= len(t.pieces) || !t.plain(k) {
			return false
		}
	}
	return t.is(i, "ordinary")
}

// belongs reports whether a piece continues a secret of several words.
func (t *telling) belongs(i int, whole bool) bool {
	if whole {
		return t.code(i)
	}
	joined := t.is(i, "part") && !t.at(i).ends && t.plain(i+1)
	return i < len(t.pieces) && (t.plain(i) || joined)
}

// plain reports whether a piece is neither a word that follows "password is" in a
// complaint nor a small word of grammar.
func (t *telling) plain(i int) bool {
	word := t.at(i).word
	return word != "" && !t.is(i, "ordinary", "copula", "and", "part") && !strings.Contains(word, dot) && !strings.HasSuffix(word, "ing")
}

// hide notes pieces as a secret, if they fit its name.
func (t *telling) hide(from, to int, name string) {
	start, end := t.pieces[from].start, t.pieces[to].end
	text := strings.TrimLeft(t.text[start:end], `("'“`)
	start = end - len(text)
	text = strings.TrimRight(text, `"'”?;:`)
	if secretLike(text, name) {
		t.cover = append(t.cover, span{start, start + len(text)})
	}
}

// quotedEnd returns where the quotation at the beginning of a text ends, or 0.
func quotedEnd(text string) int {
	for _, marks := range []string{`""`, "''", "“”", "„“", "«»", "‘’", "``"} {
		open, size := utf8.DecodeRuneInString(marks)
		shut := marks[size:]
		rest, found := strings.CutPrefix(text, string(open))
		if end := strings.Index(rest, shut); found && end > 0 && end < longestSecret && !strings.Contains(rest[:end], "\n") {
			return size + end
		}
	}
	return 0
}

// passes reports whether a name is that of a password, which may be an ordinary word.
func passes(name string) bool { return numeric(name, "") }

var amounts = regexp.MustCompile(`^[0-9]+(?:[.,][0-9]+)?-?(\pL+)$`)

// code reports whether a piece looks like a secret whatever is around it.
func (t *telling) code(i int) bool {
	word := t.at(i).word
	if t.is(i, "ordinary") || strings.Contains(word, dot) || strings.Contains(word, "://") ||
		strings.Contains(word, "@") && strings.Contains(word, ".") {
		return false
	}
	if m := amounts.FindStringSubmatch(word); m != nil && (secretTalk.has("measure", m[1]) || strings.Contains(word, "-")) {
		return false
	}
	digits, letters, signs := 0, 0, 0
	for _, r := range word {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		case strings.ContainsRune("!$#*^~+=%@|\\", r):
			signs++
		}
	}
	if letters == 0 {
		return digits >= 4 && digits == len(strings.ReplaceAll(word, "-", ""))
	}
	return digits > 0 || signs > 0
}

// labelled is a secret with its name right before it, and what joins them to a sentence.
var labelled = regexp.MustCompile(`(?i)(?:\band\s+)?(?:\b(?:my|our|the)\s+)?(?:[\pL-]+\s+)?\b` + secretName +
	`["']?\s*[:=]?\s*["']?•[•\s]*`)

// maskSecrets removes "and my passcode: ••••" from the user's words: it is not a part of
// the statement before it.
func maskSecrets(text string, m mask) {
	if !holdsSecret(text) {
		return
	}
	for _, span := range labelled.FindAllStringIndex(text, -1) {
		m.set(span[0], span[1], foreign)
	}
}
