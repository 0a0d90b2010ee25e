package storetest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// shelf are the keys of the documents of fillShelf.
var shelf = []string{"rivers", "birds", "cooking"}

func fillShelf(t *testing.T, store knowledge.Store) {
	t.Helper()
	shelve(t, store, "rivers", "Rivers", "The Vistula flows through Warsaw to the Baltic Sea.", "Salmon swim up rivers in autumn.")
	shelve(t, store, "birds", "Birds", "Herons stand still in rivers for hours.", "Kingfishers dive from a branch.")
	shelve(t, store, "cooking", "Cooking", "To be or not to be is no recipe.", "Fry the salmon in butter, and serve it with lemon.")
}

// shelve adds a document of the project that was read, with a passage of each text.
func shelve(t *testing.T, store knowledge.Store, key, title string, texts ...string) {
	t.Helper()
	var passages []split.Passage
	start := 0
	for _, text := range texts {
		passages = append(passages, split.Passage{Headings: []string{"On " + title, "Notes"}, Start: start, End: start + len(text), Text: text})
		start += len(text) + 2
	}
	add(t, store, document(key, "", title))
	d := read.Document{Kind: read.Markdown, Title: title, Text: strings.Join(texts, "\n\n")}
	require.NoError(t, store.FinishDocument(t.Context(), key, d, passages))
}

func find(t *testing.T, store knowledge.Store, question string, keys ...string) []search.Hit {
	t.Helper()
	hits, err := store.Search(t.Context(), question, keys, 10)
	require.NoError(t, err)
	for i, h := range hits {
		require.Positive(t, h.Score)
		if i > 0 {
			require.LessOrEqual(t, h.Score, hits[i-1].Score)
		}
	}
	return hits
}

func best(t *testing.T, store knowledge.Store) {
	fillShelf(t, store)
	hits := find(t, store, "How do I fry a salmon?", shelf...)
	require.Len(t, hits, 2)
	require.Equal(t, "Fry the salmon in butter, and serve it with lemon.", hits[0].Text)
	require.Equal(t, "Salmon swim up rivers in autumn.", hits[1].Text)
	hits, err := store.Search(t.Context(), "salmon", shelf, 1)
	require.NoError(t, err)
	require.Len(t, hits, 1)
}

func forms(t *testing.T, store knowledge.Store) {
	fillShelf(t, store)
	hits := find(t, store, "diving kingfisher", shelf...)
	require.Equal(t, "Kingfishers dive from a branch.", hits[0].Text)
}

func above(t *testing.T, store knowledge.Store) {
	fillShelf(t, store)
	require.Len(t, find(t, store, "cooking", shelf...), 2)
	require.Len(t, find(t, store, "notes", shelf...), 6)
}

func long(t *testing.T, store knowledge.Store) {
	word := func(i int) string { return "ka" + strings.Repeat("b", i%7) + strconv.FormatInt(int64(i), 36) + "x" }
	const count = 700
	var texts []string
	for i := range count {
		texts = append(texts, fmt.Sprintf("%s and %s and every", word(i), word(count+i/3)))
	}
	shelve(t, store, "long", "Marmalade", texts...)
	for i := 0; i < count; i += 71 {
		hits := find(t, store, word(i), "long")
		require.Len(t, hits, 1, word(i))
		require.Equal(t, []any{i, texts[i]}, []any{hits[0].Index, hits[0].Text})
		require.Len(t, find(t, store, word(count+i/3), "long"), 3-max(0, i/3*3+3-count))
	}
	require.Len(t, find(t, store, "marmalade every", "long"), 10)
	require.Empty(t, find(t, store, word(5*count), "long"))
}

func within(t *testing.T, store knowledge.Store) {
	fillShelf(t, store)
	hits := find(t, store, "rivers", "birds", "unknown")
	require.Len(t, hits, 1)
	require.Equal(t, "birds", hits[0].Key)
	require.Empty(t, find(t, store, "rivers", "unknown", `"`, "%"))
}

func operators(t *testing.T, store knowledge.Store) {
	fillShelf(t, store)
	for _, question := range []string{
		`salmon" OR "heron`, `title: salmon`, `NEAR(salmon, 3)`, `salmon*`, `^salmon -butter`, `(salmon`, `{text} : salmon`, "salmon\x00",
		`salmon'; DROP passages; --`,
	} {
		require.NotEmpty(t, find(t, store, question, shelf...), question)
	}
	require.Empty(t, find(t, store, `sal*`, shelf...))
	for _, question := range []string{`"`, `*`, `()`, `""`} {
		require.Empty(t, find(t, store, question, shelf...), question)
	}
}

func stopWords(t *testing.T, store knowledge.Store) {
	fillShelf(t, store)
	hits := find(t, store, "To be or not to be?", shelf...)
	require.NotEmpty(t, hits)
	require.Equal(t, "To be or not to be is no recipe.", hits[0].Text)
}

func nothing(t *testing.T, store knowledge.Store) {
	fillShelf(t, store)
	require.Empty(t, find(t, store, "", shelf...))
	require.Empty(t, find(t, store, "?!", shelf...))
	require.Empty(t, find(t, store, "salmon"))
	for _, question := range []string{"Hello! How are you?", "Please help", "Why?", "Write me a poem about the steam engine and butter, or a song"} {
		require.Empty(t, find(t, store, question, shelf...), question)
	}
	hits, err := store.Search(t.Context(), "salmon", shelf, 0)
	require.NoError(t, err)
	require.Empty(t, hits)
}

func place(t *testing.T, store knowledge.Store) {
	fillShelf(t, store)
	hits := find(t, store, "kingfishers", shelf...)
	require.Len(t, hits, 1)
	h := hits[0]
	require.Positive(t, h.Score)
	h.Score = 0
	require.Equal(t, search.Hit{Key: "birds", Title: "Birds", Index: 1, Passage: split.Passage{
		Headings: []string{"On Birds", "Notes"}, Start: 41, End: 72, Text: "Kingfishers dive from a branch.",
	}}, h)
}

// A score over all passages would reveal what the documents that are not searched
// contain: how many there are, how long, and with which words.
func others(t *testing.T, store knowledge.Store) {
	fillShelf(t, store)
	ask := func() (all [][]search.Hit) {
		for _, question := range []string{"salmon rivers kingfishers", "Where do salmon swim?", "recipe notes", "herons and lemon"} {
			all = append(all, find(t, store, question, shelf...))
		}
		return all
	}
	before := ask()
	for _, text := range []string{
		"Salmon.", "Rivers, rivers and salmon in rivers.", "Kingfishers and herons.", "Nothing of the kind stands here, at some length, and then goes on.",
	} {
		shelve(t, store, text, text, text, text+" "+text)
		require.Equal(t, before, ask(), text)
	}
	for _, text := range []string{"Salmon.", "Kingfishers and herons."} {
		require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{text}, 200))
		require.Equal(t, before, ask(), text)
	}
}

// Equal passages are in the caller's order of the keys, whichever was added
// first.
func ties(t *testing.T, store knowledge.Store) {
	for _, key := range []string{"b", "a", "c"} {
		shelve(t, store, key, "Title", "Salmon swim.")
	}
	for _, keys := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"b", "c", "a", "b"}} {
		var order []string
		for _, hit := range find(t, store, "salmon", keys...) {
			order = append(order, hit.Key)
		}
		require.Equal(t, keys[:3], order)
	}
}
