package embedded_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/builtin/embedded"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// withPassages is a prompt whose documents were searched.
func withPassages(prompt answering.Prompt, alone bool, texts ...string) answering.Prompt {
	prompt.FromDocuments, prompt.Passages = alone, []search.Hit{}
	for i, text := range texts {
		prompt.Passages = append(prompt.Passages, search.Hit{
			Key: "doc", Title: "Rivers", Index: i, Score: float64(len(texts) - i),
			Passage: split.Passage{Headings: []string{"The Ashby"}, Start: 100, End: 100 + len(text), Text: text},
		})
	}
	return prompt
}

const (
	ashby = "The Ashby is 214 kilometres long and rises in the Orrin hills. It was first mapped by Clara Fenwick in 1846. Her map was printed in Leeds."
	fish  = "Salmon swim up the Ashby in autumn, because the gravel beds are free of silt."
	pike  = "Pike are rare. The largest fish that was ever caught weighed 31 kilograms."
)

func crowded(prompt answering.Prompt) answering.Prompt {
	prompt.Crowded = true
	return prompt
}

func TestAnswersFromDocuments(t *testing.T) {
	t.Parallel()
	quoted := "“It was first mapped by Clara Fenwick in 1846.” (Rivers › The Ashby)"
	for _, row := range []struct {
		name   string
		prompt answering.Prompt
		want   string
		quotes bool // of a document
	}{
		{"a question that they answer", withPassages(said("Who first mapped the Ashby?"), false, ashby, fish, pike), quoted, true},
		{"from documents only", withPassages(said("Who first mapped the Ashby?"), true, ashby, fish, pike), quoted, true},
		{"one that they don't", withPassages(said("What is the capital of France?"), false, ashby, fish, pike), "Neither this chat nor the documents hold an answer to that.", false},
		{"one that they don't, from documents only", withPassages(said("What is the capital of France?"), true, ashby, fish, pike), "The documents hold no answer to that.", false},
		{"no passages", withPassages(said("Who first mapped the Ashby?"), false), "Neither this chat nor the documents hold an answer to that.", false},
		{"no passages, from documents only", withPassages(said("Who first mapped the Ashby?"), true), "The documents hold no answer to that.", false},
		{"passages that did not fit", crowded(withPassages(said("Who first mapped the Ashby?"), false)), "your message leaves no room to read them", false},
		{"passages that did not fit, from documents only", crowded(withPassages(said("Who first mapped the Ashby?"), true)), "your message leaves no room to read them", false},
		{"what was said in the chat", withPassages(said("My name is Anna.", "What is my name?"), false, ashby, fish, pike), "Anna", false},
		{"what was said, from documents only", withPassages(said("My name is Anna.", "What is my name?"), true, ashby, fish, pike), "The documents hold no answer to that.", false},
		{"a question with me that is not about the user", withPassages(said("Can you tell me who first mapped the Ashby?"), false, ashby, fish, pike), quoted, true},
		{"a statement", withPassages(said("My name is Anna."), false, ashby, fish, pike), "Noted", false},
		{"a greeting", withPassages(said("Hello"), false, ashby, fish, pike), "Hello!", false},
		{"about the agent", withPassages(said("Who are you?"), false, ashby, fish, pike), "built-in agent", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			var sources []wire.Source
			named := false
			for piece, err := range (embedded.Agent{}).Answer(t.Context(), row.prompt) {
				require.NoError(t, err)
				require.False(t, piece.Sources != nil && text.Len() > 0, "sources come first")
				named, sources = named || piece.Sources != nil, append(sources, piece.Sources...)
				text.WriteString(piece.Text)
			}
			require.Contains(t, text.String(), row.want)
			require.True(t, named, "or all passages would count")
			if !row.quotes {
				require.Empty(t, sources)
				return
			}
			at := 100 + strings.Index(ashby, "It was")
			require.True(t, slices.Contains(sources, wire.Source{
				DocumentKey: "doc", Title: "Rivers", Snippet: "It was first mapped by Clara Fenwick in 1846.", Score: 3,
				PassageID: "doc_0", Start: at, End: at + 45,
			}), sources)
		})
	}
}

// Without a search, the answer says nothing about documents.
func TestAnswersWithoutDocuments(t *testing.T) {
	t.Parallel()
	for piece, err := range (embedded.Agent{}).Answer(t.Context(), said("Who first mapped the Ashby?")) {
		require.NoError(t, err)
		require.Nil(t, piece.Sources)
		require.NotContains(t, piece.Text, "documents")
	}
}

func TestAtMostThreeSentencesAreQuoted(t *testing.T) {
	t.Parallel()
	all := ask(t, withPassages(said("Who mapped the Ashby?"), false, strings.Repeat("Clara Fenwick mapped the Ashby. ", 9)))
	require.LessOrEqual(t, strings.Count(all.text, "“"), 3)
	require.NotZero(t, strings.Count(all.text, "“"))
}
