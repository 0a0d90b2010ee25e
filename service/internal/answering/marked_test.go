package answering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// What a model cited is not shown, and stays in the history that it sees, where it is asked to cite again.
func TestAModelSeesHowItCited(t *testing.T) {
	t.Parallel()
	library := &answering.Library{Keys: []string{"d"}, Cited: true}
	e := &exam{
		basis: answering.Basis{Library: library, NoHistory: true, Question: question("When?")},
		hits:  []search.Hit{{Key: "d", Passage: split.Passage{Text: "It opens at nine."}}},
		say:   []answering.Piece{{Text: "At nïne [1"}, {Text: "]. Then【1†source】 more. "}},
	}
	_, err := e.answer(t)
	require.NoError(t, err)
	require.Equal(t, "At nïne. Then more. Ok.", e.draft.Text.String())
	marks := e.draft.Marks()
	require.Equal(t, []answering.Mark{{At: 8, Text: " [1]"}, {At: 14, Text: "【1†source】"}}, marks)

	earlier := assistant(e.draft.Text.String())
	earlier.Marks = marks
	wrong := assistant("x.")
	wrong.Marks = []answering.Mark{{At: 7, Text: "[1]"}}
	e.past, e.say = chatWith{chatOf: chatOf{user("When?"), earlier, user("Why?"), wrong}}, nil
	e.basis.NoHistory = false
	p, err := e.answer(t)
	require.NoError(t, err)
	require.Equal(t, []string{"u: When?", "a: At nïne [1]. Then【1†source】 more. Ok.", "u: Why?", "a: x.", "u: When?"}, said(p))
	e.basis.Library = nil
	p, err = e.answer(t)
	require.NoError(t, err)
	require.Equal(t, "a: At nïne. Then more. Ok.", said(p)[1], "a model that is not asked to cite learns no marks")
	require.Empty(t, e.draft.Marks())
}
