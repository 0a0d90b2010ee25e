package upstream

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

const (
	// longestReason is how many characters of a provider's sentence are kept.
	longestReason = 300
	// readReason is how many bytes of it are looked at.
	readReason = 1 << 10
	// hidden stands for what was left out.
	hidden = "…"
)

// Privy is what a provider was told, and may repeat in its sentences. Only the log gets these, and
// it must have neither the key nor anybody's words.
type Privy struct {
	Key string
	// Names are of the model and, at the end, of the tools in their order: whoever runs the service chose them.
	Names []string
	// Tools is how many tools were offered.
	Tools int
	// Said is everything else that was sent.
	Said []string
}

// reason returns the provider's sentence in one line, without the key, what looks like one, and what
// may be somebody's words: quotations longer than a name, objects and lists, four words or more in
// the order in which they were sent, and each single word that was sent, except English words that
// say little and the words with which providers speak of failures. It is empty if nothing is left.
func (p Privy) reason(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), readReason)], "\uFFFD")
	words := strings.Fields(memory.Redact(withoutQuotations(printable(text))))
	if len(words) == 0 {
		return ""
	}
	sent := plain(strings.Join(p.Said, " "))
	p.hideRuns(words, sent)
	for i, word := range words {
		if p.hides(word, sent) {
			words[i] = hidden
		}
	}
	own := []rune(strings.Join(words, " "))
	if strings.Trim(string(own), hidden+" ") == "" {
		return ""
	}
	if len(own) > longestReason {
		own = append(own[:longestReason-1], []rune(hidden)...)
	}
	return string(own)
}

// Identifier returns a type or code, empty if it may be somebody's word.
func (p Privy) Identifier(name string) string {
	if _, err := strconv.Atoi(name); err != nil && statuses[name] == 0 && p.hides(name, plain(strings.Join(p.Said, " "))) {
		return ""
	}
	return name
}

// printable puts a text into one line of what can be seen.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

var (
	// quotations begin where no word is, or the apostrophe of "model's" would. One that does not
	// end was cut.
	quotations = regexp.MustCompile("(^|[^\\pL\\d])(\"[^\"]*(?:\"|$)|'[^']*(?:'|$)|`[^`]*(?:`|$)|[“„][^”“]*(?:[”“]|$)|[«‹][^»›]*(?:[»›]|$)|「[^」]*(?:」|$))")
	innermost  = regexp.MustCompile(`\{[^{}\[\]]*\}|\[[^{}\[\]]*\]|<[^<>]*>`)
	cutOff     = regexp.MustCompile(`[{\[].*$`)
	names      = regexp.MustCompile("^.[A-Za-z0-9_.:/@-]{1,60}.$")
)

// withoutQuotations hides quotations, objects and lists. Names stay: those of models and fields.
func withoutQuotations(text string) string {
	text = quotations.ReplaceAllStringFunc(text, func(found string) string {
		start := strings.IndexAny(found, "\"'`“„«‹「")
		if names.MatchString(found[start:]) {
			return found
		}
		return found[:start] + hidden
	})
	for range mostWrappings {
		before := text
		text = innermost.ReplaceAllStringFunc(text, func(found string) string {
			if names.MatchString(found) {
				return kept.Replace(found)
			}
			return hidden
		})
		if text == before {
			break
		}
	}
	return brackets.Replace(cutOff.ReplaceAllString(text, hidden))
}

// kept replaces the brackets of names, such as tools[0], while those of objects and lists go, and
// brackets puts them back. No text has these characters, because they cannot be printed.
var (
	kept     = strings.NewReplacer("[", "\ue000", "]", "\ue001", "{", "\ue002", "}", "\ue003", "<", "\ue004", ">", "\ue005")
	brackets = strings.NewReplacer("\ue000", "[", "\ue001", "]", "\ue002", "{", "\ue003", "}", "\ue004", "<", "\ue005", ">")
)

// plain is a text as it is compared: its words in lower case, with one space before and behind each.
func plain(text string) string {
	words := strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), separates)
	return " " + strings.Join(words, " ") + " "
}

func separates(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
}

// shortestRun is how many words in the order in which they were sent are taken for a repetition.
const shortestRun = 4

func (p Privy) hideRuns(words []string, sent string) {
	spoken := make([]string, len(words))
	for i, word := range words {
		spoken[i] = strings.TrimLeft(plain(word), " ") // "" for a dash
	}
	for start := range words {
		run, end := " ", start
		for end < len(words) && strings.Contains(sent, run+spoken[end]) {
			run += spoken[end]
			end++
		}
		if strings.Count(run, " ") > shortestRun {
			for i := start; i < end; i++ {
				words[i] = hidden
			}
		}
	}
}

var (
	escapes = regexp.MustCompile(`\\|%[0-9A-Fa-f]{2}|&#?\w+;|\*\*`)
	secrets = regexp.MustCompile(`(?i)\b(sk|pk|rk|gsk|xai|nvapi|hf|gh[a-z])[-_][a-z0-9_-]{4,}|\b(aiza|akia|eyj)[a-z0-9_-]{10,}|` +
		`(\d[a-z+/=]|[a-z+/=]\d)[a-z0-9+/=]{14,}`)
	// shown are the beginnings of keys that some providers show.
	shown = 3
)

// hides reports whether a word may be somebody's, or a part of a key. What is escaped cannot be
// compared.
func (p Privy) hides(word, sent string) bool {
	for _, name := range p.Names {
		if name != "" && strings.Trim(word, "\"'`.,;:()“”") == name {
			return false
		}
	}
	if escapes.MatchString(word) || secrets.MatchString(word) {
		return true
	}
	key := strings.ToLower(p.Key)
	for part := range strings.FieldsSeq(plain(word)) {
		switch {
		case utf8.RuneCountInString(part) < 2, len(part) < 3, english.Stop(part), usual[part] && part != key:
		case strings.Contains(key, part), len(key) > shown && strings.HasPrefix(part, key[:shown]), repeatsWord(part, sent):
			return true
		}
	}
	return false
}

// repeatsWord reports whether a word was sent, or a part of it was. In a script that doesn't separate
// words, three characters in a row count.
func repeatsWord(part, sent string) bool {
	if strings.Contains(sent, part) {
		return true
	}
	runes := []rune(part)
	if len(part) == len(runes) {
		return false
	}
	for i := range max(0, len(runes)-2) {
		if strings.Contains(sent, string(runes[i:i+3])) {
			return true
		}
	}
	return false
}

// usual are the words with which providers speak of failures. They stay although they were also sent.
var usual = english.Set(`
access account active address allowed api argument attempt auto available await bad balance billing body busy call calling cannot
capacity change check choose client code complete completion completions configured connection contact contains content context correct create
credit credits current daily denied deployed deployment deprecated details disabled does duplicate enable enabled endpoint endpoints engine error
exceed exceeded exceeds exist exists expected expired fail failed failure field fields filter find flagged format forbidden found full
function functions gateway generate given header host html http https id image images inactive incorrect information input inputs insufficient
internal invalid issue json key keys known large later latest length less level limit limits list load loaded loading long longer
make management many match max maximum memory message messages method minute missing model models module moment must name near network new
number object occurred offline ollama only openai organization output overloaded page parameter parameters parse parser path per permission
permitted plan plans please policy problem project prompt properties property provide provided provider pull pulling quota quotas rate
reach reached read reason received reduce refused reject rejected rejects request requested requests required requires resource response restart retry
return returned role roles running safety schema second seconds see send sent server servers service set setting shorten size small specified
start started stream string subscription such support supported supports system template temporarily temporary text time timeout times token tokens
tool tool_choice tools total try trying type unauthorized unavailable unexpected unknown unsupported upgrade upstream url usage use used user uses
using valid validation value values verify version via violation wait window write wrong your`)
