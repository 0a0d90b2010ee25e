package rules

import (
	"regexp"
	"slices"
	"strings"
)

// secretName matches the name of a secret, beside its value.
var secretName = readNames("words/secretnames.txt")

func readNames(path string) string {
	text, err := wordFiles.ReadFile(path)
	if err != nil {
		panic(err) // the file is part of the binary
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if name := strings.TrimSuffix(line, "\n"); !strings.HasPrefix(name, "#") {
			names = append(names, name)
		}
	}
	return "(?:" + strings.Join(names, "|") + ")"
}

// pattern finds secrets of one kind; the one group of its expression is the secret.
type pattern struct {
	*regexp.Regexp
	// hints are texts in lower case. Every match has one of them, so looking
	// for them first makes ordinary messages cheap.
	hints []string
	// genuine checks what an expression cannot; nil accepts every match.
	genuine func(secret string) bool
}

var digitHints = []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}

// patterns match secrets that can be recognised by their form alone.
var patterns = []pattern{
	{regexp.MustCompile(`(?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))`), []string{"private key-----"}, nil},
	{regexp.MustCompile(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s:/@]*:([^\s/@]+)@`), []string{"://"}, nil},
	{regexp.MustCompile(`\b(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)`), []string{"eyj"}, nil},
	{regexp.MustCompile(`\b((?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|` +
		`xox[abprs]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|` +
		`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|ya29\.[A-Za-z0-9_-]{20,}|dop_v1_[a-f0-9]{32,})`),
		[]string{"sk-", "sk_", "pk-", "pk_", "rk_", "rk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat", "xox", "akia", "asia", "aiza", "npm_", "hf_", "sg.", "ya29", "dop_v1"}, nil},
	{regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{10,})`), []string{"bearer"}, nil},
	{regexp.MustCompile(`(?i)(?:seed|recovery|mnemonic|backup)\s+phrase\s*(?:is|:|=)\s*((?:[a-z]+\s+){5,23}[a-z]+)`), []string{"phrase"}, nil},
	{regexp.MustCompile(`(?i)[?&][\w.-]*(?:token|key|secret|password|passwd|pwd|sig|signature|auth|code)=([^&\s#"']+)`), []string{"="}, nil},
	{regexp.MustCompile(`\b([A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?)\b`), digitHints, ibanValid},
	{regexp.MustCompile(`\b([0-9]{3}-[0-9]{2}-[0-9]{4})\b`), digitHints, nil},
	{regexp.MustCompile(`\b((?:[0-9][ -]?){12,18}[0-9])\b`), digitHints, luhnValid},
}

// The ways in which a secret may follow its name, tried in this order. redactSpoken
// handles sentences.
var (
	nameHints = []string{"pass", "pw", "pin", "cvv", "cvc", "cod", "cód", "ssn", "social", "num", "núm", " no", "otp", "key", "token", "secr",
		"iban", "card", "kennw", "geheim", "tan", "jeton", "schlüssel", "mdp", "cl", "contrase", "parola", "chiave", "senha", "chave", "wacht", "sleutel"}
	named     = longest(`(?i)(?:\b|_)` + secretName)
	following = []*regexp.Regexp{
		regexp.MustCompile(`^(?:_id)?["']?\s*(?:=>?|:)\s*"([^"\n]+)"`),
		regexp.MustCompile(`^(?:_id)?["']?\s*(?:=>?|:)\s*'([^'\n]+)'`),
		regexp.MustCompile(`^(?:_id)?["']?\s*(?:=>?|:)\s*([^\s"',;]+)`),
		regexp.MustCompile(`^\s+([0-9][0-9-]{2,})\b`),
	}
)

// longest matches "Passwort" as one name, although "pass" would match.
func longest(expression string) *regexp.Regexp {
	r := regexp.MustCompile(expression)
	r.Longest()
	return r
}

// login finds a pair of a user's name and their password: "login is admin:X".
var (
	loginHints = []string{"log", "cred", "daten", "identif", "gegevens"}
	login      = regexp.MustCompile(`(?i)\b(?:log-?ins?|log(?:ged)? in|sign(?:ed)? in|user(?:name)?/pass(?:word)?|cred(?:ential)?s|` +
		`(?:login-?|zugangs|anmelde|benutzer)daten|identifiants|credenciales|credenziali|credenciais|inloggegevens)` +
		`\s*(?:[:=]|\s(?:with|as|is|are|was|were|ist|sind|lauten?|est|sont|es|son|è|sono|são|zijn)[\s:])` +
		`\s*([^\s:/,;]*\pL[^\s:/,;]*)(\s*/\s*|:|\s*,\s*|\s+(?:and|und|et|y|e|en)\s+)([^\s,;]+)`)
)

// Redact replaces each UTF-16 unit of a secret with '•': passwords, keys,
// tokens, card and account numbers, PINs, private keys, and passwords in
// addresses. The text keeps its length in UTF-16 units, and redacting it again
// changes nothing. If in doubt, it hides a word.
func Redact(message string) string {
	for {
		redacted := redactOnce(message)
		if redacted == message {
			return message
		}
		message = redacted
	}
}

func redactOnce(message string) string {
	low := strings.ToLower(message)
	for _, p := range patterns {
		if hinted(low, p.hints) {
			message = p.redact(message)
		}
	}
	if hinted(low, loginHints) {
		message = redactLogins(message)
	}
	if hinted(low, nameHints) {
		message = redactNamed(redactSpoken(message))
	}
	return message
}

// redactLogins hides the passwords of pairs. A colon or a slash marks a pair; among other
// words, the password has to look like a secret.
func redactLogins(text string) string {
	var c cover
	for _, m := range login.FindAllStringSubmatchIndex(text, -1) {
		user, between, secret := text[m[2]:m[3]], strings.TrimSpace(text[m[4]:m[5]]), text[m[6]:m[7]]
		pair := telling{pieces: []piece{pieceOf(user, 0, len(user)), pieceOf(secret, 0, len(secret))}}
		told := pair.plain(0) && pair.plain(1) && !strings.HasPrefix(secret, "//") && !named.MatchString(secret)
		if told && (between == ":" || between == "/" || pair.code(1)) {
			c.hide(text, m[6], m[7])
		}
	}
	return c.text(text)
}

func hinted(low string, hints []string) bool {
	for _, h := range hints {
		if strings.Contains(low, h) {
			return true
		}
	}
	return false
}

func (p pattern) redact(text string) string {
	var c cover
	for _, m := range p.FindAllStringSubmatchIndex(text, -1) {
		if p.genuine == nil || p.genuine(text[m[2]:m[3]]) {
			c.hide(text, m[2], m[3])
		}
	}
	return c.text(text)
}

// longestSecret is how many bytes after a name are searched.
const longestSecret = 512

// redactNamed hides what follows the name of a secret.
func redactNamed(text string) string {
	var c cover
	for _, m := range named.FindAllStringIndex(text, -1) {
		if m[0] < c.end {
			continue
		}
		window := text[m[1]:min(len(text), m[1]+longestSecret)]
		for _, f := range following {
			s := f.FindStringSubmatchIndex(window)
			if s == nil {
				continue
			}
			if secretLike(window[s[2]:s[3]], text[m[0]:m[1]]+window[:s[2]]) {
				c.hide(text, m[1]+s[2], m[1]+s[3])
			}
			break
		}
	}
	return c.text(text)
}

// merged returns spans in order, those that overlap as one.
func merged(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	var all []span
	for _, s := range spans {
		if n := len(all); n > 0 && s.start < all[n-1].end {
			all[n-1].end = max(all[n-1].end, s.end)
			continue
		}
		all = append(all, s)
	}
	return all
}

// cover collects the text with its secrets hidden.
type cover struct {
	b   strings.Builder
	end int // how many bytes of the text are done
}

func (c *cover) hide(text string, start, end int) {
	end = start + len(strings.TrimRight(text[start:end], ".,)]}>"))
	if end <= start || start < c.end || strings.HasPrefix(text[start:end], dot) {
		return
	}
	c.b.WriteString(text[c.end:start])
	c.b.WriteString(dots(unitsIn(text[start:end])))
	c.end = end
}

func (c *cover) text(text string) string {
	if c.end == 0 {
		return text
	}
	return c.b.String() + text[c.end:]
}

// secretLike distinguishes a secret from a word that merely follows "password is";
// before is the name and what is between.
func secretLike(secret, before string) bool {
	word := strings.ToLower(strings.Trim(secret, `"'.`))
	return !secretTalk.has("ordinary", word) && !strings.HasSuffix(word, "ing") && len(secret) > 1 && numeric(before, word) &&
		!strings.HasPrefix(secret, "${") && !strings.HasPrefix(secret, "<")
}

// numeric reports whether a value fits its name. Numbers of accounts and cards have
// digits, and so do bare tokens and secrets that a sentence names.
func numeric(before, word string) bool {
	b := strings.ToLower(before)
	digits := strings.ContainsAny(word, "0123456789")
	for _, name := range []string{"number", "nummer", "numero", "número", "numéro", "ssn", "iban", "pin", "code", "codice",
		"código", "codigo", "geheimzahl", "clave",
		"cvv", "cvc", "otp", "tan", "clé", "cle", "jeton", "token", "secret", "key", "schlüssel", "api", " no"} {
		if strings.Contains(b, name) && !strings.Contains(b, "pass") && !strings.ContainsAny(b, "=") && !strings.Contains(b, "\":") {
			return digits
		}
	}
	return true
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
