package chat

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

// evidence is a passage or a result of a web search that stood in a prompt.
type evidence struct {
	source wire.Source
	stems  map[string]bool // of its words
}

// evidenceOf gives the passages of a prompt, and behind them the results.
func evidenceOf(p Prompt) (all []evidence) {
	known := map[string]string{}
	add := func(source wire.Source, texts ...string) {
		one := evidence{source, map[string]bool{}}
		for stem := range english.Stems(strings.Join(texts, "\n"), known) {
			one.stems[stem] = true
		}
		all = append(all, one)
	}
	for _, hit := range p.Passages {
		add(Source(hit), append([]string{hit.Title, hit.Text}, hit.Headings...)...)
	}
	for i, result := range p.Results {
		source := wire.Source{Title: result.Title, Snippet: result.Snippet, URL: result.URL, Score: 1 / float64(i+1)} // a search gives an order alone
		add(source, result.Title, result.Snippet)
	}
	return all
}

// sourced adds what this round drew on to the sources of the answer, and gives the event
// that tells all of them, none if nothing is new.
func (t *turn) sourced() []Event {
	old := len(t.answer.Sources)
	for _, source := range t.drawnOn() {
		if !slices.Contains(t.answer.Sources, source) {
			t.answer.Sources = append(t.answer.Sources, source)
		}
	}
	if len(t.answer.Sources) == old {
		return nil
	}
	return []Event{eventOf(wire.EventMessageObject, map[string][]wire.Source{"sources": t.answer.Sources})}
}

// drawnOn are the sources of this round, the best first: the passages that the provider
// names, else those that the text cites, else those that its sentences match; and the
// results whose address stands in the text or that its sentences match.
func (t *turn) drawnOn() (sources []wire.Source) {
	text := t.text.String()[t.before:]
	matched := match(t.question.Content, t.parts(text), t.evidence)
	cited := t.marks.anyCited()
	sources = t.named
	for i, one := range t.evidence {
		drawn := matched[i]
		switch {
		case one.source.URL != "":
			drawn = drawn || strings.Contains(text, one.source.URL)
		case t.named != nil:
			drawn = false
		case cited:
			drawn = t.marks.cited[i]
		}
		if drawn {
			sources = append(sources, one.source)
		}
	}
	return sources
}

// parts are the sentences of an answer, or the values of one that is JSON.
func (t *turn) parts(text string) []string {
	if t.options.ExampleJSON == "" {
		return sentences(text)
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return nil
	}
	return values(value)
}

// values are the texts and numbers of a JSON value.
func values(value any) (all []string) {
	switch value := value.(type) {
	case string:
		return sentences(value)
	case float64:
		return []string{string(encode(value))}
	case []any:
		for _, one := range value {
			all = append(all, values(one)...)
		}
	case map[string]any:
		for _, one := range value {
			all = append(all, values(one)...)
		}
	}
	return all
}

// sentences cuts a text at the ends of lines and of sentences.
func sentences(text string) []string {
	ends := false
	return strings.FieldsFunc(text, func(r rune) bool {
		cut := r == '\n' || ends && unicode.IsSpace(r)
		ends = strings.ContainsRune(".!?。！？", r)
		return cut
	})
}

// A sentence that asks nothing matches the evidence that holds most of its words: at least so
// many of all, and of those that the question does not have. Of a short one, with fewer words
// than fewWords, it holds all of its own, and as many of them and the question's together.
const (
	shareOfAll = 0.6
	shareOfNew = 0.5
	fewWords   = 4
)

// match tells which evidence each of the sentences draws on.
func match(question string, sentences []string, all []evidence) []bool {
	matched := make([]bool, len(all))
	if len(all) == 0 {
		return matched
	}
	asked := contentOf(question)
	for _, sentence := range sentences {
		if strings.HasSuffix(sentence, "?") {
			continue
		}
		if best := bestFor(contentOf(sentence), asked, all); best >= 0 {
			matched[best] = true
		}
	}
	return matched
}

// contentOf gives the stems of the words of a text that say what it is about, each once.
func contentOf(text string) (stems []string) {
	for _, word := range english.Of(text) {
		if !english.Stop(word.Plain) && !search.Talk(word.Plain) && !slices.Contains(stems, word.Stem) {
			stems = append(stems, word.Stem)
		}
	}
	return stems
}

// bestFor is the place of the evidence that holds most of a sentence, -1 if none holds
// enough.
func bestFor(words, asked []string, all []evidence) int {
	var own []string
	for _, stem := range words {
		if !slices.Contains(asked, stem) {
			own = append(own, stem)
		}
	}
	if len(own) == 0 {
		return -1
	}
	shareOfOwn := shareOfNew
	if len(words) < fewWords {
		words, shareOfOwn = slices.Concat(own, asked), 1
	}
	best, most := -1, 0.0
	for i, one := range all {
		share := one.share(words)
		if share > most && share >= shareOfAll && one.share(own) >= shareOfOwn {
			best, most = i, share
		}
	}
	return best
}

// share is how much of some words the evidence holds.
func (e evidence) share(words []string) float64 {
	held := 0
	for _, stem := range words {
		if e.stems[stem] {
			held++
		}
	}
	return float64(held) / float64(len(words))
}
