// Package storetest defines in tests what a knowledge.Store must do. The tests
// of each store call Run.
package storetest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Run tests a store against every rule. It calls open for each; open returns a
// new, empty store each time and closes it with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) knowledge.Store) {
	t.Helper()
	for _, rule := range []struct {
		name  string
		check func(t *testing.T, store knowledge.Store)
	}{
		{"documents are returned as they were added", asTheyCame},
		{"what is out of reach does not exist", outOfReach},
		{"pages are newest first and have the total", pages},
		{"pages from a position return each remaining document once", pagesStandStill},
		{"names and titles are searched", nameSearch},
		{"a document that was read is searched", synced},
		{"a document that failed says why", failedOne},
		{"what was deleted is gone, with its job", deleted},
		{"several documents are all deleted, or none is", allOrNone},
		{"a document that was deleted while it was read stays deleted", deletedWhileRead},
		{"the queue is in order, and delays what was put off", queue},
		{"owners take turns in the queue", rounds},
		{"an owner who was put off holds up nobody and gains nothing", roundsAfterFailure},
		{"keys in reach are usable, each once and in their order", usable},
		{"a key is taken once", keys},
		{"the best passage comes first", best},
		{"forms of a word are found", forms},
		{"headings and titles are searched", above},
		{"each word of a long document is found where it is", long},
		{"only the named documents are searched", within},
		{"operators are treated as words", operators},
		{"a question of stop words finds them", stopWords},
		{"no question, no documents or no limit: no hits", nothing},
		{"a hit has its position", place},
		{"other documents change no hit and no score", others},
		{"equal passages are in the order of the keys", ties},
		{"files that an owner adds at once have a round each", roundsAtOnce},
		{"only one of many uploads with the same key is stored", keysAtOnce},
		{"a document that is deleted while it is stored stays deleted", deletingMeetsReading},
	} {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			rule.check(t, open(t))
		})
	}
}

// What the callers in the tests may see.
var (
	ann    = knowledge.Reach{ProjectID: "project", UserID: "ann"}
	bob    = knowledge.Reach{ProjectID: "project", UserID: "bob"}
	nobody = knowledge.Reach{ProjectID: "project"}
	admin  = knowledge.Reach{ProjectID: "project", Everybody: true}
	alien  = knowledge.Reach{ProjectID: "elsewhere", UserID: "ann", Everybody: true}
)

func document(key, userID, name string) knowledge.Document {
	return knowledge.Document{
		Key: key, ProjectID: "project", UserID: userID, Name: name, Title: name, Kind: read.Markdown,
		Status: wire.DocumentQueued, Size: 7, CreatedAt: 100,
	}
}

// texts are what the documents of Fill say.
var texts = []struct{ key, userID, name, text string }{
	{"house", "", "Fish.md", "Salmon swim up rivers."},
	{"hers", "ann", "Birds.md", "Herons eat salmon."},
	{"his", "bob", "Toast.md", "Marmalade goes well with salmon."},
}

// Keys are the keys of Fill's documents, which are the project's, ann's and
// bob's.
func Keys() (all []string) {
	for _, one := range texts {
		all = append(all, one.key)
	}
	return all
}

// Fill adds a document of the project, one of ann's and one of bob's, all read.
func Fill(t *testing.T, store knowledge.Store) {
	t.Helper()
	for _, one := range texts {
		add(t, store, document(one.key, one.userID, one.name))
		finish(t, store, one.key, one.name, one.text)
	}
}

func add(t *testing.T, store knowledge.Store, d knowledge.Document) {
	t.Helper()
	require.NoError(t, store.AddDocument(t.Context(), d, []byte("content"), nil))
}

func finish(t *testing.T, store knowledge.Store, key, title, text string) {
	t.Helper()
	require.NoError(t, store.FinishDocument(t.Context(), key, read.Document{Kind: read.Markdown, Title: "On " + title, Text: text}, passages(text)))
}

func passages(text string) []split.Passage {
	return []split.Passage{{Headings: []string{"One", "Two"}, Start: 0, End: split.Units(text), Text: text}}
}

func asTheyCame(t *testing.T, store knowledge.Store) {
	want := document("a", "ann", "ä 'a\".md")
	want.Metadata = wire.JSON(`{"a": [1, null]}`)
	add(t, store, want)
	got, err := store.Document(t.Context(), ann, "a")
	require.NoError(t, err)
	require.Equal(t, want, got)
	content, err := store.Content(t.Context(), ann, "a", nil)
	require.NoError(t, err)
	require.Equal(t, wire.Document{DocumentKey: "a", Title: want.Title, Passages: []wire.Passage{}}, content)
	file, err := store.DocumentFile(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, "content", string(file))
}

func outOfReach(t *testing.T, store knowledge.Store) {
	Fill(t, store)
	for _, row := range []struct {
		name  string
		reach knowledge.Reach
		sees  []string
	}{
		{"ann", ann, []string{"hers", "house"}}, {"bob", bob, []string{"his", "house"}}, {"nobody", nobody, []string{"house"}},
		{"an administrator", admin, []string{"his", "hers", "house"}}, {"another project", alien, []string{}},
	} {
		all, err := store.Usable(t.Context(), row.reach, nil)
		require.NoError(t, err)
		require.Equal(t, row.sees, all, row.name)
		list, err := store.ListDocuments(t.Context(), row.reach, knowledge.Page{Number: 1, Size: 10})
		require.NoError(t, err)
		require.Len(t, list.Documents, len(row.sees), row.name)
		require.Equal(t, len(row.sees), list.Total)
		for _, key := range append(Keys(), "none", "") {
			_, err := store.Document(t.Context(), row.reach, key)
			_, contentErr := store.Content(t.Context(), row.reach, key, nil)
			if slices.Contains(row.sees, key) {
				require.NoError(t, err)
				require.NoError(t, contentErr)
				continue
			}
			require.ErrorIs(t, err, fault.ErrNotFound, "%s %s", row.name, key)
			require.ErrorIs(t, contentErr, fault.ErrNotFound)
		}
	}
	require.ErrorIs(t, store.DeleteDocuments(t.Context(), "elsewhere", []string{"house"}, 200), fault.ErrNotFound)
}

func pages(t *testing.T, store knowledge.Store) {
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		add(t, store, document(key, "", key))
	}
	for number, want := range map[int][]string{1: {"e", "d"}, 2: {"c", "b"}, 3: {"a"}, 4: nil} {
		list, err := store.ListDocuments(t.Context(), nobody, knowledge.Page{Number: number, Size: 2})
		require.NoError(t, err)
		require.Equal(t, 5, list.Total)
		require.Equal(t, len(want) == 2, list.Next > 0)
		var keys []string
		for _, d := range list.Documents {
			keys = append(keys, d.Key)
		}
		require.Equal(t, want, keys)
	}
}

func nameSearch(t *testing.T, store knowledge.Store) {
	Fill(t, store)
	add(t, store, document("odd", "", "100%_Über.md"))
	for needle, want := range map[string]int{
		"fish": 1, "ON ": 2, "über": 1, "ÜBER": 1, "%": 1, "_": 1, "100%_": 1, ".md": 3, "marmalade": 0, "toast": 0, "'": 0,
	} {
		list, err := store.ListDocuments(t.Context(), ann, knowledge.Page{Number: 1, Size: 10, Search: needle})
		require.NoError(t, err)
		require.Len(t, list.Documents, want, needle)
		require.Equal(t, want, list.Total, needle)
	}
}

func synced(t *testing.T, store knowledge.Store) {
	Fill(t, store)
	d, err := store.Document(t.Context(), ann, "hers")
	require.NoError(t, err)
	require.Equal(t, []string{wire.DocumentSynced, "On Birds.md", "Birds.md"}, []string{d.Status, d.Title, d.Name})
	content, err := store.Content(t.Context(), ann, "hers", nil)
	require.NoError(t, err)
	require.Equal(t, wire.Document{DocumentKey: "hers", Title: "On Birds.md", Text: "Herons eat salmon.", End: 18, Length: 18, Passages: []wire.Passage{
		{ID: search.PassageID("hers", 0), HeadingPath: []string{"One", "Two"}, End: 18},
	}}, content)
	hits, err := store.Search(t.Context(), "salmon", []string{"hers", "house"}, 10)
	require.NoError(t, err)
	require.Len(t, hits, 2)
	hits, err = store.Search(t.Context(), "marmalade", []string{"hers", "house"}, 10)
	require.NoError(t, err)
	require.Empty(t, hits)
	_, err = store.DocumentFile(t.Context(), "hers")
	require.ErrorIs(t, err, fault.ErrNotFound, "the file is not kept once it is read")
	require.ErrorIs(t, store.FinishDocument(t.Context(), "hers", read.Document{}, nil), fault.ErrNotFound)
}

func failedOne(t *testing.T, store knowledge.Store) {
	add(t, store, document("a", "", "a"))
	require.NoError(t, store.FailDocument(t.Context(), "a", "it is broken"))
	d, err := store.Document(t.Context(), nobody, "a")
	require.NoError(t, err)
	require.Equal(t, []string{wire.DocumentFailed, "it is broken"}, []string{d.Status, d.Error})
	require.Empty(t, due(t, store, 1000))
	require.ErrorIs(t, store.FailDocument(t.Context(), "a", "again"), fault.ErrNotFound)
}

func deleted(t *testing.T, store knowledge.Store) {
	Fill(t, store)
	add(t, store, document("queued", "", "q"))
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"house", "queued", "house"}, 200))
	hits, err := store.Search(t.Context(), "salmon", Keys(), 10)
	require.NoError(t, err)
	require.Len(t, hits, 2)
	require.Empty(t, due(t, store, 1000))
	require.ErrorIs(t, store.DeleteDocuments(t.Context(), "project", []string{"house"}, 200), fault.ErrNotFound)
}

func allOrNone(t *testing.T, store knowledge.Store) {
	Fill(t, store)
	require.ErrorIs(t, store.DeleteDocuments(t.Context(), "project", []string{"house", "none"}, 200), fault.ErrNotFound)
	hits, err := store.Search(t.Context(), "rivers", Keys(), 10)
	require.NoError(t, err)
	require.Len(t, hits, 1)
}

func deletedWhileRead(t *testing.T, store knowledge.Store) {
	add(t, store, document("a", "", "a"))
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"a"}, 200))
	err := store.FinishDocument(t.Context(), "a", read.Document{Title: "A", Text: "Salmon."}, passages("Salmon."))
	require.ErrorIs(t, err, fault.ErrNotFound)
	hits, err := store.Search(t.Context(), "salmon", []string{"a"}, 10)
	require.NoError(t, err)
	require.Empty(t, hits)
}

func usable(t *testing.T, store knowledge.Store) {
	Fill(t, store)
	got, err := store.Usable(t.Context(), ann, []string{"none", "house", `"`, "his", "hers", "house"})
	require.NoError(t, err)
	require.Equal(t, []string{"house", "hers"}, got)
	got, err = store.Usable(t.Context(), ann, []string{})
	require.NoError(t, err)
	require.Empty(t, got)
}

func keys(t *testing.T, store knowledge.Store) {
	claim := &once.UsedKey{ID: once.ID{ProjectID: "project", UserID: "ann", Key: "k"}, Subject: "a", At: 100}
	require.NoError(t, store.AddDocument(t.Context(), document("a", "ann", "a"), []byte("a"), claim))
	again := *claim
	again.Subject = "b"
	require.ErrorIs(t, store.AddDocument(t.Context(), document("b", "ann", "b"), []byte("b"), &again), once.ErrTaken)
	_, err := store.Document(t.Context(), ann, "b")
	require.ErrorIs(t, err, fault.ErrNotFound)
	found, ok, err := store.UsedKey(t.Context(), claim.ID, 0)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "a", found.Subject)
}
