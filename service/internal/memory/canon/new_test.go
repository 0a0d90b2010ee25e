package canon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// New statements must not be dropped as duplicates: one more item in a list, another
// value, another ending of the same words.
func TestNewStatementsAreNoDuplicates(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]string{
		"one more item of a list":   {"User is allergic to penicillin and nuts", "User is allergic to penicillin, nuts and eggs"},
		"another system":            {"User has an Android phone", "User has an iOS phone"},
		"a longer list":             {"User likes tea, milk, rice and fish", "User likes tea, milk, rice, fish and eggs"},
		"another kind of a trade":   {"User is a teacher", "User is a maths teacher"},
		"only":                      {"User drinks wine", "User only drinks wine"},
		"sometimes":                 {"User drinks wine", "User sometimes drinks wine"},
		"a time of day":             {"User goes running every morning", "User goes running every night"},
		"a time of year":            {"User visited Iceland last year", "User visited Iceland last month"},
		"a size":                    {"User has a big dog", "User has a little dog"},
		"what follows the place":    {"User lives in Lyon", "User lives in Lyon for work"},
		"what follows the trade":    {"User works as a nurse", "User works as a nurse at night"},
		"a year":                    {"User lives in Berlin since 2019", "User lives in Berlin since 2020"},
		"midnight and noon":         {"User goes to bed at 12 am", "User goes to bed at 12 pm"},
		"which number counts what":  {"User has two cats and three dogs", "User has three cats and two dogs"},
		"a currency":                {"User has a budget of $500", "User has a budget of €500"},
		"a sign":                    {"User likes 🐱", "User likes 🐶"},
		"no words of weight":        {"User works in IT", "User works in the US"},
		"the order of a date":       {"User wants dates as DD/MM/YYYY", "User wants dates as MM/DD/YYYY"},
		"the order of two words":    {"User likes milk chocolate", "User likes chocolate milk"},
		"which end of a journey":    {"User flies from Rome to Oslo", "User flies from Oslo to Rome"},
		"before and after":          {"User eats before swimming", "User eats after swimming"},
		"one without the other":     {"User eats fish but no meat", "User does not eat fish or meat"},
		"a contrast":                {"User likes tea, not coffee", "User likes tea and coffee"},
		"an exception":              {"User likes all fruit", "User likes all fruit except bananas"},
		"the animal and the sport":  {"User likes fish", "User likes fishing"},
		"the vehicle and the sport": {"User likes trains", "User likes training"},
		"another science":           {"User's favorite subject is physics", "User's favorite subject is physical education"},
		"a part of a country":       {"User lives in England", "User lives in the UK"},
		"whom one is married to":    {"User has a wife", "User has a husband"},
		"how well":                  {"User speaks Arabic", "User is fluent in Arabic"},
		"an older brother":          {"User's older brother is called Max", "User's younger brother is called Max"},
		"what it is preferred to":   {"User prefers tea", "User prefers tea to coffee"},
		"at most and at least":      {"User wants at most 3 sentences in an answer", "User wants at least 3 sentences in an answer"},
		"perhaps":                   {"User is moving to Rome", "User may be moving to Rome"},
		"every other week":          {"User meets the team every week", "User meets the team every other week"},
		"avoiding is not disliking": {"User avoids gluten", "User dislikes gluten"},
		"a language on some days":   {"User wants answers in German", "User wants answers in German on Mondays"},
		"slow, for one subject":     {"Speak slowly", "Speak slowly about medicine"},
		"a name in one place":       {"Call me Bo", "Call me Bo at work"},
		"another initial":           {"User drives a Tesla Model S", "User drives a Tesla Model X"},
		"a model without letters":   {"User drives a Tesla Model 3", "User drives a Tesla Model"},
		"a percentage":              {"User works 50%", "User works 80%"},
		"with company":              {"User lives in Paris", "User and a cat live in Paris"},
		"an age of something else":  {"User is 30", "User has been a nurse for 30 years"},
		"somebody's":                {"User likes the dog of Max", "User likes the dog of Tom"},
		"two days":                  {"User works Monday to Friday", "User works Friday to Monday"},
		"less and more":             {"User wants less salt", "User wants more salt"},
		"how many more":             {"User wants more than 3 examples", "User wants less than 3 examples"},
		"more of it":                {"User wants salt", "User wants more salt"},
		"two names":                 {"User's cat is called Tom", "User's dog is called Rex and User's cat is called Tom"},
		"the two exchanged":         {"User's sister is older than User", "User is older than User's sister"},
		"another day":               {"User swims on the 3rd of May", "User swims on the 4th of May"},
		"a hyphenated code":         {"User's ticket is AB-12", "User's ticket is AB-13"},
		"another address":           {"User's site is example.com", "User's site is example.org"},
		"another language":          {"用户住在北京", "用户住在上海"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := canon.Of(pair[0]), canon.Of(pair[1])
			require.False(t, a.SameAs(b), "%s / %s", a.Key(), b.Key())
			require.False(t, b.SameAs(a), "%s / %s", a.Key(), b.Key())
		})
	}
}
