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

// Stop tells whether a word, in lower case, says nothing about what a text is
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

// irregular gives the base form of verbs and nouns that change inside.
var irregular = pairs(`
began begin begun begin brought bring built build bought buy caught catch chose choose chosen choose came come
drew draw drawn draw drove drive driven drive ate eat eaten eat fell fall fallen fall felt feel fought fight
found find flew fly flown fly forgot forget forgotten forget gave give given give went go gone go grew grow grown grow
held hold kept keep knew know known know laid lay led lead left leave lent lend lost lose made make meant mean met meet
paid pay rode ride ridden ride rose rise risen rise ran run said say saw see seen see sought seek sold sell sent send
shook shake shaken shake shot shoot shown show sang sing sung sing sank sink sunk sink slept sleep spoke speak spoken speak
spent spend stood stand stole steal stolen steal struck strike swam swim swum swim took take taken take taught teach
thought think threw throw thrown throw told tell understood understand wore wear worn wear won win wrote write written write
became become broke break broken break died die dying die fled flee bound bind bore bear born bear borne bear
men man women woman children child people person feet foot teeth tooth mice mouse lives life wives wife leaves leaf
halves half selves self criteria criterion phenomena phenomenon bacteria bacterium nuclei nucleus theses thesis
analyses analysis crises crisis hypotheses hypothesis indices index matrices matrix
`)

func pairs(text string) map[string]string {
	fields, all := strings.Fields(text), map[string]string{}
	for i := 0; i+1 < len(fields); i += 2 {
		all[fields[i]] = fields[i+1]
	}
	return all
}
