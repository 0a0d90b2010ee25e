package answering_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/librarytest"
)

// empty are answers that draw on no passage, whatever was found.
var empty = []string{
	"I'm sorry, the documents hold no answer to that question.", "Hello! How can I help you today?", "You're welcome! Let me know if there is anything else.",
	"I could not find any information about this in the provided documents. Could you give me more context?",
}

// The answers that readers of knowledge-eval marked, which a model might give without a mark,
// match a passage that holds them; greetings and refusals hardly ever match any.
func TestAnswersWithoutMarksMatchTheirPassages(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "knowledge", "testdata")
	docs := librarytest.New(t)
	files, err := filepath.Glob(filepath.Join(folder, "documents", "*"))
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		docs.Add(t, filepath.Base(file), source)
	}
	file, err := os.Open(filepath.Join(folder, "dev.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	answers, right, wrong, empties, sourced := 0, 0, 0, 0, 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var q struct {
			Question, Document string
			Answers            []string
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &q))
		hits, err := docs.Search(t.Context(), q.Question, docs.Keys, 10)
		require.NoError(t, err)
		for _, answer := range empty {
			empties++
			if slices.Contains(answering.Match(q.Question, answer, hits), true) {
				sourced++
			}
		}
		if len(q.Answers) == 0 {
			continue
		}
		answers++
		switch at := slices.Index(answering.Match(q.Question, q.Answers[0]+".", hits), true); {
		case at < 0:
		case hits[at].Key == q.Document && strings.Contains(hits[at].Text, q.Answers[0]):
			right++
		default:
			wrong++
		}
	}
	t.Logf("of %d answers %d match a passage that holds them, and %d another; of %d empty ones %d match any", answers, right, wrong, empties, sourced)
	require.GreaterOrEqual(t, right, 188)
	require.LessOrEqual(t, wrong, 2)
	require.LessOrEqual(t, sourced, 20)
}
