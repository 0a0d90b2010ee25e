package answering

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// evidence is a passage or a result of a web search in a prompt.
type evidence struct {
	source wire.Source
	stems  map[string]bool // of its words
}

// evidenceOf returns the passages of a prompt, followed by the results.
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
		source := wire.Source{Title: result.Title, Snippet: result.Snippet, URL: result.URL, Score: 1 / float64(i+1)} // a search only gives an order
		add(source, result.Title, result.Snippet)
	}
	return all
}

// Sourced adds what this round used to the sources of the answer. It returns the event that lists
// all sources, or none if there is no new one.
func (d *Draft) Sourced() []stream.Event {
	old := len(d.Sources)
	for _, source := range d.drawnOn() {
		if !slices.Contains(d.Sources, source) {
			d.Sources = append(d.Sources, source)
		}
	}
	if len(d.Sources) == old {
		return nil
	}
	return []stream.Event{stream.EventOf(wire.EventMessageObject, map[string][]wire.Source{"sources": d.Sources})}
}

// drawnOn returns the sources of this round, the best first: the passages that the provider
// names, else those that the text cites, else those that its sentences match; and the results
// whose address is in the text or that its sentences match.
func (d *Draft) drawnOn() (sources []wire.Source) {
	text := d.Text.String()[d.Before:]
	matched := match(d.Question.Content, d.parts(text), d.evidence)
	cited := d.marks.anyCited()
	sources = d.named
	for i, one := range d.evidence {
		drawn := matched[i]
		switch {
		case one.source.URL != "":
			drawn = drawn || strings.Contains(text, one.source.URL)
		case d.named != nil:
			drawn = false
		case cited:
			drawn = d.marks.cited[i]
		}
		if drawn {
			sources = append(sources, one.source)
		}
	}
	return sources
}

// parts returns the sentences of an answer, or the values if the answer is JSON.
func (d *Draft) parts(text string) []string {
	if d.Options.ExampleJSON == "" {
		return sentences(text)
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return nil
	}
	return appendValues(nil, value)
}

// appendValues appends the strings and numbers of a JSON value.
func appendValues(all []string, value any) []string {
	switch value := value.(type) {
	case string:
		return append(all, sentences(value)...)
	case float64:
		return append(all, string(stream.Encode(value)))
	case []any:
		for _, one := range value {
			all = appendValues(all, one)
		}
	case map[string]any:
		for _, one := range value {
			all = appendValues(all, one)
		}
	}
	return all
}

// sentences splits a text at line ends and sentence ends.
func sentences(text string) []string {
	ends := false
	return strings.FieldsFunc(text, func(r rune) bool {
		cut := r == '\n' || ends && unicode.IsSpace(r)
		ends = strings.ContainsRune(".!?。！？", r)
		return cut
	})
}

// A sentence that is not a question matches the evidence that contains most of its words. The
// evidence must contain shareOfAll of its words, and shareOfNew of those that are not in the
// question. If a sentence has fewer than fewWords words, the evidence must contain all that are not
// in the question, and shareOfAll of these and the question's words together.
const (
	shareOfAll = 0.6
	shareOfNew = 0.5
	fewWords   = 4
)

// match reports which evidence the sentences use.
func match(question string, sentences []string, all []evidence) []bool {
	matched := make([]bool, len(all))
	if len(all) == 0 {
		return matched
	}
	asked := askedFor(question, all)
	for _, sentence := range sentences {
		if strings.HasSuffix(sentence, "?") {
			continue
		}
		if best := asked.bestFor(contentOf(sentence), all); best >= 0 {
			matched[best] = true
		}
	}
	return matched
}

// contentOf returns the stems of those words of a text that say what it is about, each once.
func contentOf(text string) (stems []string) {
	seen := map[string]bool{}
	for _, word := range english.Of(text) {
		if !english.Stop(word.Plain) && !search.Talk(word.Plain) && !seen[word.Stem] {
			seen[word.Stem] = true
			stems = append(stems, word.Stem)
		}
	}
	return stems
}

// askedWords are what a question is about, and how many of them each evidence contains. A long
// question is counted once, and not again for each sentence.
type askedWords struct {
	stems map[string]bool
	held  []int
}

func askedFor(question string, all []evidence) askedWords {
	words := contentOf(question)
	asked := askedWords{stems: map[string]bool{}}
	for _, stem := range words {
		asked.stems[stem] = true
	}
	for _, one := range all {
		asked.held = append(asked.held, one.held(words))
	}
	return asked
}

// bestFor returns the index of the evidence that contains most of a sentence, -1 if none contains
// enough.
func (asked askedWords) bestFor(words []string, all []evidence) int {
	var own []string
	for _, stem := range words {
		if !asked.stems[stem] {
			own = append(own, stem)
		}
	}
	if len(own) == 0 {
		return -1
	}
	best, most := -1, 0.0
	for i, one := range all {
		ofOwn := float64(one.held(own)) / float64(len(own))
		share, wantOfOwn := float64(one.held(words))/float64(len(words)), shareOfNew
		if len(words) < fewWords {
			share, wantOfOwn = float64(one.held(own)+asked.held[i])/float64(len(own)+len(asked.stems)), 1
		}
		if share > most && share >= shareOfAll && ofOwn >= wantOfOwn {
			best, most = i, share
		}
	}
	return best
}

// held returns how many of the words the evidence contains.
func (e evidence) held(words []string) (count int) {
	for _, stem := range words {
		if e.stems[stem] {
			count++
		}
	}
	return count
}

// snippetRunes is how long the snippet of a source is at most.
const snippetRunes = 300

// Source returns the source of an answer for a passage.
func Source(hit search.Hit) wire.Source {
	snippet := hit.Text
	if utf8.RuneCountInString(snippet) > snippetRunes {
		snippet = string([]rune(snippet)[:snippetRunes-1]) + "…"
	}
	return wire.Source{
		DocumentKey: hit.Key, Title: hit.Title, Snippet: snippet, Score: hit.Score,
		PassageID: hit.PassageID(), Start: hit.Start, End: hit.End,
	}
}
