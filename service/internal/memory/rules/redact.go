package rules

import (
	"regexp"
	"strings"
)

// secretWord names what is to be kept secret, before its value.
const secretWord = `(?:pass ?(?:word|phrase|code|wd)s?|passwd|pwd|pin(?: ?(?:code|number))?|cvv2?|cvc|security code|ssn|social security (?:number|no\.?)|(?:bank )?account (?:number|no\.?)|routing number|passport (?:number|no\.?)|` +
	`(?:verification|one-time|access|confirmation|login|2fa|otp) code|otp|api[ _-]?(?:key|token|secret)s?|(?:client|app|shared|webhook|signing)[ _-]secret|secret(?:[ _-]?(?:access)?[ _-]?key)?|` +
	`(?:access|auth|refresh|bearer|session|security|personal access|github|gitlab|slack|bot|api)[ _-]?(?:token|key)s?|private key|license key|encryption key|token|iban|credit card(?: number)?|card number)`

// A pattern finds secrets; the part in its one group is the secret.
var patterns = []*regexp.Regexp{
	regexp.MustCompile(`(?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))`),
	regexp.MustCompile(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s:/@]*:([^\s/@]+)@`),
	regexp.MustCompile(`\b(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)`),
	regexp.MustCompile(`\b((?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|ya29\.[A-Za-z0-9_-]{20,}|dop_v1_[a-f0-9]{32,})`),
	regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{10,})`),
	regexp.MustCompile(`(?i)(?:seed|recovery|mnemonic|backup)\s+phrase\s*(?:is|:|=)\s*((?:[a-z]+\s+){5,23}[a-z]+)`),
	regexp.MustCompile(`\b([A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?)\b`),
	regexp.MustCompile(`\b([0-9]{3}-[0-9]{2}-[0-9]{4})\b`),
	regexp.MustCompile(`\b((?:[0-9][ -]?){12,18}[0-9])\b`),
	regexp.MustCompile(`(?i)[?&][\w.-]*(?:token|key|secret|password|passwd|pwd|sig|signature|auth|code)=([^&\s#"']+)`),
	// a name with "password" in it, then = or :, or the words with "is" or "to"
	regexp.MustCompile(`(?i)[A-Z0-9_.-]*` + secretWord + `(?:_id)?["']?\s*(?:=>?|:)\s*"([^"\n]+)"`),
	regexp.MustCompile(`(?i)[A-Z0-9_.-]*` + secretWord + `(?:_id)?["']?\s*(?:=>?|:)\s*'([^'\n]+)'`),
	regexp.MustCompile(`(?i)[A-Z0-9_.-]*` + secretWord + `(?:_id)?["']?\s*(?:=>?|:)\s*([^\s"',;]+)`),
	regexp.MustCompile(`(?i)\b` + secretWord + `(?:\s+(?:for|of|to|on)\s+(?:[\w'-]+\s+){1,4}?)?\s*(?:is|was|are|to|will be)\s+(?:now\s+|still\s+|currently\s+)?["'“]([^"'”\n]+)["'”]`),
	regexp.MustCompile(`(?i)\b` + secretWord + `(?:\s+(?:for|of|on)\s+(?:[\w'-]+\s+){1,4}?)?\s*(?:is|was|are|to|will be)\s+(?:now\s+|still\s+|currently\s+)?([^\s,;"“]+)`),
	regexp.MustCompile(`(?i)\b(?:cvv2?|cvc|pin|ssn|otp|passcode|password|account number|card number)\s+([0-9][0-9-]{2,})\b`),
}

// Redact replaces each UTF-16 unit of a secret by '•': passwords, keys, tokens,
// card and account numbers, PINs, private keys, and passwords in addresses. The
// text keeps its length in UTF-16 units, and redacting it again changes nothing.
// It hides a word too many rather than one too few.
func Redact(message string) string {
	for i, p := range patterns {
		message = redactAll(message, i, p)
	}
	return message
}

// firstNamed is the first of the patterns that go by a name before the secret.
const firstNamed = 10

func redactAll(text string, index int, p *regexp.Regexp) string {
	var b strings.Builder
	at := 0
	for _, m := range p.FindAllStringSubmatchIndex(text, -1) {
		start, end := m[2], m[3]
		if start < 0 {
			continue
		}
		end = start + len(strings.TrimRight(text[start:end], ".,)]}>"))
		secret := text[start:end]
		if end <= start || strings.HasPrefix(secret, dot) || !secretLike(index, secret, text[m[0]:start]) {
			continue
		}
		b.WriteString(text[at:start])
		b.WriteString(dots(unitsIn(secret)))
		at = end
	}
	if at == 0 {
		return text
	}
	b.WriteString(text[at:])
	return b.String()
}

// secretLike checks what a pattern cannot: check digits, and words that follow
// "password is" without being one.
func secretLike(index int, secret, before string) bool {
	switch index {
	case 6:
		return ibanValid(secret)
	case 8:
		return luhnValid(secret)
	case 7:
		return true
	}
	if index < firstNamed {
		return true
	}
	word := strings.ToLower(strings.Trim(secret, `"'.`))
	return !ordinary[word] && !strings.HasSuffix(word, "ing") && len(secret) > 1 && numeric(before, word) && !strings.HasPrefix(secret, "${") && !strings.HasPrefix(secret, "<")
}

// numeric tells that a value fits its name: numbers of accounts, cards and the
// like hold digits, and so do bare tokens and secrets that a sentence names.
func numeric(before, word string) bool {
	b := strings.ToLower(before)
	digits := strings.ContainsAny(word, "0123456789")
	for _, name := range []string{"number", "ssn", "iban", "pin", "code", "cvv", "cvc", "otp", "token", "secret", "key", " no"} {
		if strings.Contains(b, name) && !strings.Contains(b, "pass") && !strings.ContainsAny(b, "=") && !strings.Contains(b, "\":") {
			return digits
		}
	}
	return true
}

// ordinary are words that follow "my password is" in a complaint or a question.
var ordinary = readOrdinary(`not too very so wrong incorrect correct right invalid valid expired working broken lost stolen gone the a an my your this that it
	weak strong long short safe secure unsafe compromised leaked required needed missing empty blank reset changed forgotten rejected refused accepted saved stored
	locked blocked hidden hard easy difficult simple complicated always never no longer being also only just still what where when how why who if in on at for to by
	from with of because already correct? null none nil undefined true false string str text be case exactly probably maybe actually hashed encrypted visible
	something anything different same old new they i we you he she and or but set used sent due over under more less`)

func readOrdinary(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

func digitsOf(s string) []int {
	var digits []int
	for _, r := range s {
		if r >= '0' && r <= '9' {
			digits = append(digits, int(r-'0'))
		}
	}
	return digits
}

// luhnValid checks the last digit of a card number (ISO/IEC 7812).
func luhnValid(s string) bool {
	d := digitsOf(s)
	sum := 0
	for i := range d {
		n := d[len(d)-1-i]
		if i%2 == 1 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return len(d) >= 13 && len(d) <= 19 && sum%10 == 0 && sum > 0
}

// ibanValid checks the check digits of an IBAN (ISO 13616).
func ibanValid(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if len(s) < 15 || len(s) > 34 {
		return false
	}
	rest := 0
	for _, r := range s[4:] + s[:4] {
		switch {
		case r >= '0' && r <= '9':
			rest = (rest*10 + int(r-'0')) % 97
		default:
			rest = (rest*100 + int(r-'A') + 10) % 97
		}
	}
	return rest == 1
}
