package english

import (
	_ "embed" // the words of other languages
	"strings"
	"unicode"
)

// languages.txt lists for each language, after its name and a colon, the words that show
// it. Words after a bar show it only together with others, because they are also English
// words or parts of names.
//
//go:embed languages.txt
var languagesText string

var (
	// foreign are words of other languages that are not English words.
	// languages maps each word to the languages that it shows.
	foreign, languages = readLanguages()
	// particles are parts of names, in English texts too: "Leonardo da Vinci".
	particles = Set("de da di do du dos das del della van von der den la le los las el y e")
)

const borrowed = "borrowed" // English words with an accent

func readLanguages() (foreign map[string]bool, languages map[string][]string) {
	foreign, languages = map[string]bool{}, map[string][]string{}
	language, shared := "", false
	for word := range strings.FieldsSeq(languagesText) {
		name, begins := strings.CutSuffix(word, ":")
		switch {
		case begins:
			language, shared = name, false
		case word == "|":
			shared = true
		case language == borrowed:
			languages[word] = append([]string{}, languages[word]...) // it is known, and shows no other language
		default:
			languages[word] = append(languages[word], language)
			foreign[word] = foreign[word] || !shared
		}
	}
	return foreign, languages
}

// Foreign reports whether a word belongs to another language. A name does not.
func (t Token) Foreign() bool {
	return foreign[t.Word] || !t.Capital && accented(t.Word) && languages[t.Word] == nil
}

func accented(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r >= 0xc0 && r < 0x2000 && unicode.IsLetter(r) })
}

// Is reports whether a text is English, by its script and by the small words that every
// sentence has. A text without such words, such as a few names or some code, counts as
// English, and so does a text of which a good part is English.
func Is(text string) bool {
	english, others, most, sure := 0, map[string]int{}, 0, false
	tokens := Tokens(text)
	for i, t := range tokens {
		if Stop(t.Word) || strings.HasPrefix(t.Word, "'") {
			english++
		}
		if t.Capital && !t.First || named(tokens, i) {
			continue
		}
		sure = sure || t.Foreign()
		for _, language := range tells(t) {
			others[language]++
			most = max(most, others[language]+others[""])
		}
	}
	return !otherScript(text) && (most < 2*english || most == 0 || most == 1 && !sure)
}

// named reports whether a token is a particle of a name: "Los Angeles", "Leonardo da Vinci".
func named(tokens []Token, i int) bool {
	before, after := i > 0 && tokens[i-1].Capital, i+1 < len(tokens) && tokens[i+1].Capital
	return particles[tokens[i].Word] && (after && (before || tokens[i].Capital) || before && !tokens[i-1].First)
}

var elision = Set("c d j l m n qu s t")

// tells returns the languages that a word shows, and "" for a word of an unknown
// language that is not English.
func tells(t Token) []string {
	if head, rest, elided := strings.Cut(t.Word, "'"); elided && elision[head] && rest != "" {
		return []string{"french", "italian"} // j'habite, l'hiver
	}
	if languages[t.Word] == nil && t.Foreign() {
		return []string{""}
	}
	return languages[t.Word]
}

// otherScript reports whether most of a text is in a script other than Latin. A
// letter that stands for a syllable or a word counts more.
func otherScript(text string) bool {
	latin, other := 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			other += 3
		case unicode.IsLetter(r):
			other++
		}
	}
	return other > latin
}
