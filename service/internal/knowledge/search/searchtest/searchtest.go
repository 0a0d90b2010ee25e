// Package searchtest says what a search.Index must do. Use Run.
package searchtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// Run tests an Index. Each call of open gives an empty one.
func Run(t *testing.T, open func(*testing.T) search.Index) {
	for name, test := range map[string]func(*testing.T, search.Index){
		"the passage that says most comes first":      best,
		"forms of a word are found":                   forms,
		"headings and titles are searched":            above,
		"only the documents that are named are":       within,
		"a document takes the place of its elder":     replaced,
		"a removed document is gone":                  removed,
		"operators are words":                         operators,
		"a question of stop words finds them":         stopWords,
		"no question, no documents or no limit: none": nothing,
		"a hit says where it stands":                  place,
		"other documents change no hit and no score":  others,
		"documents are told apart in their order":     ties,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

var all = []string{"rivers", "birds", "cooking"}

// fill puts three documents in.
func fill(t *testing.T, index search.Index) {
	t.Helper()
	add(t, index, "rivers", "Rivers", "The Vistula flows through Warsaw to the Baltic Sea.", "Salmon swim up rivers in autumn.")
	add(t, index, "birds", "Birds", "Herons stand still in rivers for hours.", "Kingfishers dive from a branch.")
	add(t, index, "cooking", "Cooking", "To be or not to be is no recipe.", "Fry the salmon in butter, and serve it with lemon.")
}

func add(t *testing.T, index search.Index, key, title string, texts ...string) {
	t.Helper()
	d := search.Document{Key: key, Title: title}
	start := 0
	for _, text := range texts {
		d.Passages = append(d.Passages, split.Passage{Headings: []string{"On " + title, "Notes"}, Start: start, End: start + len(text), Text: text})
		start += len(text) + 2
	}
	require.NoError(t, index.Add(context.Background(), d))
}

func find(t *testing.T, index search.Index, question string, keys ...string) []search.Hit {
	t.Helper()
	hits, err := index.Search(context.Background(), question, keys, 10)
	require.NoError(t, err)
	for i, h := range hits {
		require.Positive(t, h.Score)
		if i > 0 {
			require.LessOrEqual(t, h.Score, hits[i-1].Score)
		}
	}
	return hits
}

func best(t *testing.T, index search.Index) {
	fill(t, index)
	hits := find(t, index, "How do I fry a salmon?", all...)
	require.Len(t, hits, 2)
	require.Equal(t, "Fry the salmon in butter, and serve it with lemon.", hits[0].Text)
	require.Equal(t, "Salmon swim up rivers in autumn.", hits[1].Text)
	hits, err := index.Search(context.Background(), "salmon", all, 1)
	require.NoError(t, err)
	require.Len(t, hits, 1)
}

func forms(t *testing.T, index search.Index) {
	fill(t, index)
	hits := find(t, index, "diving kingfisher", all...)
	require.Equal(t, "Kingfishers dive from a branch.", hits[0].Text)
}

func above(t *testing.T, index search.Index) {
	fill(t, index)
	require.Len(t, find(t, index, "cooking", all...), 2)
	require.Len(t, find(t, index, "notes", all...), 6)
}

func within(t *testing.T, index search.Index) {
	fill(t, index)
	hits := find(t, index, "rivers", "birds", "unknown")
	require.Len(t, hits, 1)
	require.Equal(t, "birds", hits[0].Key)
	require.Empty(t, find(t, index, "rivers", "unknown", `"`, "%"))
}

func replaced(t *testing.T, index search.Index) {
	fill(t, index)
	add(t, index, "birds", "Birds", "Owls hunt at night.")
	require.Empty(t, find(t, index, "kingfishers herons", all...))
	require.Len(t, find(t, index, "owls", all...), 1)
}

func removed(t *testing.T, index search.Index) {
	fill(t, index)
	require.NoError(t, index.Remove(context.Background(), "birds"))
	require.NoError(t, index.Remove(context.Background(), "birds"))
	require.Empty(t, find(t, index, "kingfishers", all...))
	require.Len(t, find(t, index, "rivers", all...), 2)
}

func operators(t *testing.T, index search.Index) {
	fill(t, index)
	for _, question := range []string{
		`salmon" OR "heron`, `title: salmon`, `NEAR(salmon, 3)`, `salmon*`, `^salmon -butter`, `(salmon`, `{text} : salmon`, "salmon\x00", `salmon'; DROP TABLE passages; --`,
	} {
		require.NotEmpty(t, find(t, index, question, all...), question)
	}
	require.Empty(t, find(t, index, `sal*`, all...))
	for _, question := range []string{`"`, `*`, `()`, `""`} {
		require.Empty(t, find(t, index, question, all...), question)
	}
}

func stopWords(t *testing.T, index search.Index) {
	fill(t, index)
	hits := find(t, index, "To be or not to be?", all...)
	require.NotEmpty(t, hits)
	require.Equal(t, "To be or not to be is no recipe.", hits[0].Text)
}

func nothing(t *testing.T, index search.Index) {
	fill(t, index)
	require.Empty(t, find(t, index, "", all...))
	require.Empty(t, find(t, index, "?!", all...))
	require.Empty(t, find(t, index, "salmon"))
	hits, err := index.Search(context.Background(), "salmon", all, 0)
	require.NoError(t, err)
	require.Empty(t, hits)
}

func place(t *testing.T, index search.Index) {
	fill(t, index)
	hits := find(t, index, "kingfishers", all...)
	require.Len(t, hits, 1)
	h := hits[0]
	require.Positive(t, h.Score)
	h.Score = 0
	require.Equal(t, search.Hit{Key: "birds", Title: "Birds", Index: 1, Passage: split.Passage{
		Headings: []string{"On Birds", "Notes"}, Start: 41, End: 72, Text: "Kingfishers dive from a branch.",
	}}, h)
}

// A score over all passages would tell what the documents hold that are not
// searched: how many there are, how long, and with which words.
func others(t *testing.T, index search.Index) {
	fill(t, index)
	ask := func() (all [][]search.Hit) {
		for _, question := range []string{"salmon rivers kingfishers", "Where do salmon swim?", "recipe notes", "herons and lemon"} {
			all = append(all, find(t, index, question, "rivers", "birds", "cooking"))
		}
		return all
	}
	before := ask()
	for _, text := range []string{
		"Salmon.", "Rivers, rivers and salmon in rivers.", "Kingfishers and herons.", "Nothing of the kind stands here, at some length, and then goes on.",
	} {
		add(t, index, text, text, text, text+" "+text)
		require.Equal(t, before, ask(), text)
	}
	for _, text := range []string{"Salmon.", "Kingfishers and herons."} {
		require.NoError(t, index.Remove(context.Background(), text))
		require.Equal(t, before, ask(), text)
	}
}

// Equal passages stand in the order of the keys, which is the caller's, whenever
// they came.
func ties(t *testing.T, index search.Index) {
	for _, key := range []string{"b", "a", "c"} {
		add(t, index, key, "Title", "Salmon swim.")
	}
	for _, keys := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"b", "c", "a", "b"}} {
		var order []string
		for _, hit := range find(t, index, "salmon", keys...) {
			order = append(order, hit.Key)
		}
		require.Equal(t, keys[:3], order)
	}
}
