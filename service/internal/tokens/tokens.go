// Package tokens counts how many tokens a text takes of a model's window. Begin with For.
//
// The vocabularies of two families of models are built in: o200k of OpenAI's, and cl100k, which those of Llama 3 and Qwen
// extend. Other models are counted by Estimate, which asks for more than most of them need.
package tokens

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Counter counts tokens for a model. The zero value counts a token for each three bytes: no model is asked.
type Counter struct {
	family *family
	// times corrects each count; 0 means 1.
	times float64
	// rough counts quickly, and never less than a family that it knows.
	rough bool
}

// family are models with one vocabulary. Its codec is made when something is counted: it takes about 7 MB.
type family struct {
	codec func() *codec.Codec
	// singly says that each digit is a token.
	singly bool
}

var (
	o200k  = sync.OnceValue(codec.NewO200kBase)
	cl100k = sync.OnceValue(codec.NewCl100kBase)
	// estimated are all models without a known vocabulary.
	estimated = &family{}

	families = map[string]*family{
		"o200k": {codec: o200k}, "cl100k": {codec: cl100k}, "llama": {codec: cl100k}, "qwen": {codec: cl100k, singly: true}, "estimate": estimated,
	}
)

// Vocabularies are the names of what a model's tokens can be counted by.
func Vocabularies() []string { return []string{"o200k", "cl100k", "llama", "qwen", "estimate"} }

// begins has beginnings of models' names, a longer one before a shorter one.
var begins = []struct{ name, vocabulary string }{
	{"gpt-3.5", "cl100k"}, {"gpt-4-", "cl100k"}, {"gpt-4o", "o200k"}, {"gpt-", "o200k"}, {"chatgpt-", "o200k"},
	{"o1", "o200k"}, {"o3", "o200k"}, {"o4", "o200k"},
	{"llama-3", "llama"}, {"llama3", "llama"}, {"meta-llama-3", "llama"}, {"qwen", "qwen"}, {"qwq", "qwen"},
}

// For returns the counter for a model: by a vocabulary of Vocabularies, or, if that is empty, by the model's name. No
// name means that no model is asked.
func For(model, vocabulary string) Counter {
	if model == "" {
		return Counter{}
	}
	if family := families[vocabulary]; family != nil {
		return Counter{family: family}
	}
	name := strings.ToLower(model[strings.LastIndexAny(model, "/")+1:])
	at := slices.IndexFunc(begins, func(one struct{ name, vocabulary string }) bool { return strings.HasPrefix(name, one.name) })
	if at < 0 {
		return Counter{family: estimated}
	}
	return Counter{family: families[begins[at].vocabulary]}
}

// IsPlain reports whether no model is asked.
func (c Counter) IsPlain() bool { return c.family == nil }

// Times returns the counter with its counts corrected by a factor.
func (c Counter) Times(factor float64) Counter {
	c.times = factor
	return c
}

// Rough returns a counter that is quick, and counts no less than this one.
func (c Counter) Rough() Counter {
	c.rough = c.IsExact()
	return c
}

// IsExact reports whether there is a quicker counter, see Rough.
func (c Counter) IsExact() bool { return c.family != nil && c.family.codec != nil && !c.rough }

// Count returns how many tokens a text takes.
func (c Counter) Count(text string) int {
	count := c.count(text)
	if c.times > 0 {
		count = int(float64(count)*c.times + 1 - 1e-9)
	}
	return count
}

// plainBytes is how many bytes a token has if no model is asked.
const plainBytes = 3

func (c Counter) count(text string) int {
	switch {
	case c.family == nil:
		return (len(text) + plainBytes - 1) / plainBytes
	case c.rough:
		return len(text) // no token has less than a byte
	case c.family.codec == nil:
		return Estimate(text)
	}
	return counts.count(c.family, text, func() int { return c.family.count(text) })
}

// count counts by the vocabulary.
func (f *family) count(text string) (count int) {
	for rest := text; rest != ""; {
		part := firstPart(rest)
		one, err := f.codec().Count(part)
		if err != nil {
			one = len(part)
		}
		count, rest = count+one, rest[len(part):]
	}
	if f.singly {
		count += joinedDigits(text)
	}
	return count
}

// partBytes is how much of a text is counted at once. The time for a word grows faster than the word, and a cut inside
// of one costs a token at most.
const partBytes = 8 << 10

// firstPart returns the beginning of a text, up to a space if there is one near.
func firstPart(text string) string {
	if len(text) <= partBytes {
		return text
	}
	if space := strings.LastIndexByte(text[:partBytes], ' '); space > partBytes/2 {
		return text[:space]
	}
	end := partBytes
	for end > partBytes-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// digitsOfToken is how many digits a token of o200k and cl100k has at most.
const digitsOfToken = 3

// joinedDigits returns how many tokens are saved by joining digits.
func joinedDigits(text string) (saved int) {
	run := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			run = 0
			continue
		}
		if run++; run%digitsOfToken != 1 {
			saved++
		}
	}
	return saved
}
