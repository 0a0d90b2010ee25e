package answer

import (
	_ "embed" // the antonyms
	"strings"
	"sync"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

var auxiliaries = english.Set("do does did is are was were be been has have had can could will would shall should may might must")

var negations = english.Set(`not no non never none nor neither without cannot can't don't doesn't didn't isn't aren't wasn't weren't won't
wouldn't couldn't shouldn't hasn't haven't hadn't rarely seldom hardly unable fail fails failed unlike incapable except nothing nobody rather instead`)

// interrogatives and asking may stand for what a question wants to know.
var (
	interrogatives = english.Set("what which whose")
	asking         = english.Set(`name named names called term type kind sort example year date number amount percentage percent proportion times way
thing things happen happens happened refer referred known`)
)

// counting are the small numbers, without "one", which often is not a number.
var counting = english.Set("two three four five six seven eight nine ten eleven twelve hundred thousand million 2 3 4 5 6 7 8 9 10 11 12")

// opposed reports whether two stems exclude each other.
func opposed(a, b string) bool {
	return exclusive()[a][b] || prefixed(a, b) || prefixed(b, a)
}

// prefixed reports whether a is b with a prefix that reverses its meaning.
func prefixed(a, b string) bool {
	rest, found := strings.CutSuffix(a, b)
	return found && len(b) > 3 && turning[rest]
}

var turning = english.Set("un in im ir il non dis anti mis")

// antonyms are the antonyms of WordNet 3.1, one pair a line, without pairs that differ
// only by a prefix. Their licence is wordnet/LICENSE.
//
//go:embed wordnet/antonyms.txt
var antonyms string

// exclusive maps each stem to the stems on the same line. It is made for the first question: a
// process that reads a document has none.
var exclusive = sync.OnceValue(func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for line := range strings.Lines(antonyms + opposites) {
		line := strings.Fields(line)
		for _, a := range line {
			for _, b := range line {
				exclude(all, english.Stem(a), english.Stem(b))
			}
		}
	}
	return all
})

func exclude(all map[string]map[string]bool, a, b string) {
	switch {
	case a == b:
	case all[a] == nil:
		all[a] = map[string]bool{b: true}
	default:
		all[a][b] = true
	}
}

// opposites are lines of words that exclude each other and that are not antonyms in
// WordNet.
const opposites = `first last second third fourth fifth sixth seventh eighth ninth tenth
north south east west
northern southern eastern western
northeast northwest southeast southwest
higher lower
large small
largest smallest
biggest smallest
longest shortest
highest lowest
fastest slowest
strongest weakest
oldest newest youngest
majority minority
winter summer spring autumn
january february march april june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
red blue green yellow black white
son daughter
build destroy
cause prevent
allow prevent
accept reject
liberal conservative
france england germany russia italy spain poland china japan india egypt turkey greece america britain netherlands austria sweden
french english german russian italian spanish polish chinese japanese indian egyptian turkish greek american british dutch austrian swedish roman arab
christian muslim jewish buddhist hindu
catholic protestant orthodox
`
