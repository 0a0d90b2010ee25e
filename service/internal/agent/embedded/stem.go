package embedded

import "strings"

// stemOf gives what the forms of an English word share: lives, lived and
// living are one, as are favourite and favorite, mum and mother. It need not be
// a word.
func stemOf(word string) string {
	word = strings.TrimSuffix(word, "'")
	if base, ok := baseForms[word]; ok {
		word = base
	}
	word = bare(american(word))
	if len(word) > 3 {
		word = strings.TrimSuffix(word, "e")
	}
	return word
}

// american writes a word as in the United States: colour becomes color.
func american(word string) string {
	if len(word) > 5 {
		for _, end := range []string{"our", "ours", "ourite", "ourites"} {
			if head, ok := strings.CutSuffix(word, end); ok {
				return head + "or" + end[3:]
			}
		}
	}
	return word
}

// bare takes off the endings of verbs and of the plural.
func bare(word string) string {
	n := len(word)
	switch {
	case n > 5 && strings.HasSuffix(word, "ing"):
		return undoubled(word[:n-3])
	case n > 4 && (strings.HasSuffix(word, "ies") || strings.HasSuffix(word, "ied")):
		return word[:n-3] + "y"
	case n > 4 && strings.HasSuffix(word, "ed"):
		return undoubled(word[:n-2])
	case n > 4 && hasSuffix(word, "xes", "ches", "shes", "sses"):
		return word[:n-2]
	case n > 3 && strings.HasSuffix(word, "s") && !hasSuffix(word, "ss", "us", "is", "'s"):
		return word[:n-1]
	}
	return word
}

// undoubled takes back the letter that "planning" doubles.
func undoubled(word string) string {
	n := len(word)
	if n > 2 && word[n-1] == word[n-2] && !strings.ContainsRune("lsz", rune(word[n-1])) {
		return word[:n-1]
	}
	return word
}

func hasSuffix(word string, ends ...string) bool {
	for _, end := range ends {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// baseForms are the words whose stem no ending tells.
var baseForms = pairs(`am be, is be, are be, was be, were be, been be, being be, has have, had have, having have,
	does do, did do, done do, doing do, said say, told tell, went go, gone go, goes go, going go, bought buy, got get, gotten get,
	ate eat, eaten eat, drove drive, driven drive, spoke speak, spoken speak, wrote write, written write,
	saw see, seen see, met meet, came come, grew grow, grown grow, made make, took take, taken take,
	gave give, given give, knew know, known know, thought think, felt feel, taught teach, kept keep, left leave,
	lost lose, found find, sold sell, paid pay, ran run, sang sing, sung sing, swam swim, rode ride, ridden ride, flew fly,
	flown fly, slept sleep, wore wear, worn wear, spent spend, built build, brought bring, sent send, began begin, begun begin,
	forgot forget, forgotten forget, won win, lent lend, hid hide, hidden hide, heard hear, held hold, chose choose,
	chosen choose, broke break, broken break, drank drink, drunk drink, understood understand, caught catch, fell fall,
	cost cost, put put, cut cut, set set, hurt hurt, quit quit, read read,
	children child, men man, women woman, feet foot, mum mother, mom mother, mommy mother, mummy mother, mama mother,
	dad father, daddy father, papa father, kid child, kids child, bro brother, sis sister, fav favorite, fave favorite,
	tv television, bike bicycle, lying lie, dying die, using use, used use,
	owed owe, telephone phone, cellphone phone`)

// pairs reads "key value, key value".
func pairs(list string) map[string]string {
	all := map[string]string{}
	for pair := range strings.SplitSeq(list, ",") {
		if words := strings.Fields(pair); len(words) == 2 {
			all[words[0]] = words[1]
		}
	}
	return all
}

// words reads a list of words into a set.
func words(list string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		all[word] = true
	}
	return all
}

// stems is words for stems.
func stems(list string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		all[stemOf(word)] = true
	}
	return all
}

// phrases reads a list of phrases, separated by commas, into their words.
func phrases(list string) [][]string {
	var all [][]string
	for phrase := range strings.SplitSeq(list, ",") {
		all = append(all, strings.Fields(phrase))
	}
	return all
}
