package english

import "strings"

// contractions are the irregular ones: where the word is cut, and its two words. Some
// are without the apostrophe, as people type them.
var contractions = func() map[string]contraction {
	all, fields := map[string]contraction{}, strings.Fields(`
i|m i am  i|ve i have  you|re you are  you|ve you have  they|re they are  we|ve we have  what|s what 's  let|s let us  let|'s let us
do|nt do not  does|nt does not  did|nt did not  is|nt is not  are|nt are not  was|nt was not  have|nt have not  has|nt has not
ca|nt can not  ca|n't can not  can|not can not  wo|nt will not  wo|n't will not  sha|n't shall not  ai|n't am not
could|nt could not  would|nt would not  should|nt should not  gon|na going to  wan|na want to`)
	for i := 0; i < len(fields); i += 3 {
		written, rest, _ := strings.Cut(fields[i], "|")
		all[written+rest] = contraction{len(written), fields[i+1], fields[i+2]}
	}
	return all
}()

type contraction struct {
	cut        int
	head, tail string
}

// endings are the endings of regular contractions. Only the words around 'd and 's show
// what they stand for.
var endings = pairs("n't not 'm am 're are 've have 'll will 'd 'd 's 's")

// Contraction returns the two words of a contraction, which is in lower case, and
// where it is cut: "don't" is do and not. For other words the tail is empty.
func Contraction(word string) (head, tail string, cut int) {
	if c, found := contractions[word]; found {
		return c.head, c.tail, c.cut
	}
	at := strings.LastIndexByte(word, '\'')
	if at > 0 && word[at:] == "'t" && word[at-1] == 'n' {
		at--
	}
	if at > 0 && endings[word[at:]] != "" {
		return word[:at], endings[word[at:]], at
	}
	return word, "", len(word)
}
