package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	knowledgetest "github.com/chatsdk/chatsdk/service/internal/knowledge/storetest"
)

func TestKnowledgeStore(t *testing.T) {
	t.Parallel()
	knowledgetest.Run(t, func(t *testing.T) knowledge.Store { return openNew(t) })
}

// A deletion leaves nothing in any table, the index included.
func TestNothingOfADocumentIsLeft(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	knowledgetest.Fill(t, store)
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", knowledgetest.Keys(), 200))
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	writer, _ := store.Pools()
	for _, query := range []string{
		`SELECT count(*) FROM documents`, `SELECT count(*) FROM document_jobs`, `SELECT count(*) FROM document_texts`,
		`SELECT count(*) FROM files`, `SELECT count(*) FROM file_parts`, `SELECT count(*) FROM passages`, `SELECT count(*) FROM passages_runs`,
		`SELECT count(*) FROM passages_index WHERE passages_index MATCH 'salmon OR heron OR marmalade'`,
	} {
		var count int
		require.NoError(t, writer.QueryRow(query).Scan(&count))
		require.Zero(t, count, query)
	}
	_, err := writer.Exec(`INSERT INTO passages_index (passages_index) VALUES ('integrity-check')`)
	require.NoError(t, err)
}

// Empty space that deletions leave in the index makes each further one slower, so the index is
// rewritten on the way.
func TestALargeDocumentIsRemovedFromAnIndexThatShrinks(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	d := knowledge.Document{Key: "d", ProjectID: "project", Name: "d", Title: "d", Kind: read.Plain, Status: wire.DocumentQueued, Size: 1, CreatedAt: 1}
	require.NoError(t, store.AddDocument(t.Context(), d, []byte("x"), nil))
	var passages []split.Passage
	for n := range 4500 {
		passages = append(passages, split.Passage{Start: n, End: n + 1, Text: fmt.Sprintf("word%d other%d third%d", n, n*7, n*13)})
	}
	require.NoError(t, store.FinishDocument(t.Context(), "d", read.Document{Kind: read.Plain, Title: "d", Text: "x"}, passages))
	_, readers := store.Pools()
	pages := func() (count int) {
		require.NoError(t, readers.QueryRow(`SELECT count(*) FROM passages_index_data`).Scan(&count))
		return count
	}
	before := pages()
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"d"}, 200))
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	require.Less(t, pages(), before/4)
}

// A range equals the same range of the whole text, wherever the parts are cut.
func TestARangeOfATextInManyParts(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	text := strings.Repeat("Heron 🪶 ä eats. ", 30_000)
	d := knowledge.Document{Key: "d", ProjectID: "project", Name: "d", Title: "d", Kind: read.Plain, Status: wire.DocumentQueued, Size: 1, CreatedAt: 1}
	require.NoError(t, store.AddDocument(t.Context(), d, []byte("x"), nil))
	require.NoError(t, store.FinishDocument(t.Context(), "d", read.Document{Kind: read.Plain, Title: "d", Text: text}, nil))
	units := utf16.Encode([]rune(text))
	reach := knowledge.Reach{ProjectID: "project"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		start := random.IntN(len(units))
		end := start + random.IntN(min(70_000, len(units)-start)+1)
		got, err := store.Content(t.Context(), reach, "d", &wire.Span{Start: start, End: end})
		require.NoError(t, err)
		for _, at := range []*int{&start, &end} {
			if *at < len(units) && units[*at]&0xfc00 == 0xdc00 { // inside a character
				*at--
			}
		}
		require.Equal(t, []int{start, end, len(units)}, []int{got.Start, got.End, got.Length})
		require.True(t, string(utf16.Decode(units[start:end])) == got.Text, "from %d to %d", start, end)
	}
}
