package english

import "strings"

// Set makes a set of the words of a text.
func Set(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// Stop reports whether a word, in lower case, says nothing about what a text is
// about: articles, pronouns, prepositions, auxiliaries, question words.
func Stop(word string) bool { return stop[word] }

var stop = Set(`
a an the this that these those such same other another each every either neither both all any some no none
i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours ourselves
they them their theirs themselves one ones who whom whose which what when where why how whether
of in on at by for from to with without into onto upon within about above below over under between among through during
before after since until against along across around near than as like per via out off up down toward towards
and or but nor so yet if then else because although though while whereas
be am is are was were been being do does did doing done have has had having will would shall should can could may might must
not n't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't cannot couldn't shouldn't
there here also just only even still already too very much more most many few less least own again ever never
something anything nothing everything someone anyone somebody anybody
s t d ll re ve m
`)

// verbs maps irregular forms of verbs to their base form, and nouns irregular plurals to
// their singular. The stems of stored documents are made with both.
var (
	verbs = pairs(`
began begin begun begin brought bring built build bought buy caught catch chose choose chosen choose came come
drew draw drawn draw drove drive driven drive ate eat eaten eat fell fall fallen fall felt feel fought fight
found find flew fly flown fly forgot forget forgotten forget gave give given give went go gone go grew grow grown grow
held hold kept keep knew know known know laid lay led lead left leave lent lend lost lose made make meant mean met meet
paid pay rode ride ridden ride rose rise risen rise ran run said say saw see seen see sought seek sold sell sent send
shook shake shaken shake shot shoot shown show sang sing sung sing sank sink sunk sink slept sleep spoke speak spoken speak
spent spend stood stand stole steal stolen steal struck strike swam swim swum swim took take taken take taught teach
thought think threw throw thrown throw told tell understood understand wore wear worn wear won win wrote write written write
became become broke break broken break died die dying die fled flee bound bind bore bear born bear borne bear
`)
	nouns = pairs(`
men man women woman children child people person feet foot teeth tooth mice mouse lives life wives wife leaves leaf
halves half selves self criteria criterion phenomena phenomenon bacteria bacterium nuclei nucleus theses thesis
analyses analysis crises crisis hypotheses hypothesis indices index matrices matrix
`)
)

// forms are more irregular forms of verbs, which the stems of stored documents do not use.
var forms = pairs(`
am be is be are be was be were be been be has have had have does do did do done do goes go got get gotten get lives live leaves leave
drank drink drunk drink woke wake woken wake dealt deal dreamt dream heard hear hid hide learnt learn sat sit stuck stick tore tear torn tear
lying lie tying tie quit quit read read hurt hurt cut cut put put set set let let
`)

func pairs(text string) map[string]string {
	fields, all := strings.Fields(text), map[string]string{}
	for i := 0; i+1 < len(fields); i += 2 {
		all[fields[i]] = fields[i+1]
	}
	return all
}

// numerals are number words, with their digits.
var numerals = pairs(`
zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 thirteen 13 fourteen 14 fifteen 15
sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20 thirty 30 forty 40 fifty 50 sixty 60 seventy 70 eighty 80 ninety 90 hundred 100
couple 2 twice 2 dozen 12 noon 12 midnight 0
`)

// Numeral returns the digits of a number word, or nothing.
func Numeral(word string) string { return numerals[word] }

// Class returns the words of a closed class, which callers must not change: "modal",
// "language", "month", "weekday".
func Class(name string) map[string]bool { return classes[name] }

var classes = map[string]map[string]bool{
	"modal":   Set("can could will would shall should may might must"),
	"month":   Set("january february march april may june july august september october november december"),
	"weekday": Set("monday tuesday wednesday thursday friday saturday sunday"),
	"language": Set(`
english french spanish german italian portuguese dutch russian polish czech slovak ukrainian greek turkish arabic hebrew hindi urdu bengali
punjabi tamil telugu mandarin cantonese japanese korean vietnamese thai tagalog filipino indonesian malay swahili zulu afrikaans swedish
norwegian danish finnish icelandic estonian latvian lithuanian hungarian romanian bulgarian serbian croatian slovenian albanian armenian
georgian persian farsi latin esperanto welsh irish gaelic catalan basque galician nepali sinhala burmese khmer lao mongolian kazakh uzbek
yiddish creole klingon somali amharic yoruba igbo hausa gujarati marathi malayalam kannada chinese asl`),
}
