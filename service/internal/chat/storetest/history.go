package storetest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

var historyRules = []rule{
	{"each answer comes right after its question, questions in order of arrival", answersFollowQuestions},
	{"an answer that is being written has its text so far and its stream", unfinishedAnswer},
	{"an answer that was ended has its own text and no stream", finishedAnswer},
	{"every field of a message comes back", fieldsComeBack},
	{"metadata comes back byte for byte", metadataComesBack},
	{"a chunk's text is joined as it was, whatever is in it", chunkTexts},
}

func answersFollowQuestions(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1", "c2")
	var want []string
	for i := range 6 {
		begin(t, store, ann, turnIn("c1", fmt.Sprint("t", i)), turnIn("c2", fmt.Sprint("other", i)))
		want = append(want, fmt.Sprint("t", i, "-q"), fmt.Sprint("t", i, "-a"))
	}
	for _, i := range []int{3, 0, 5, 1} { // ended in another order
		end(t, store, turnIn("c1", fmt.Sprint("t", i)), "done")
	}
	var got []string
	for _, message := range history(t, store, ann, "c1").Messages {
		got = append(got, message.ID)
	}
	require.Equal(t, want, got)
}

func unfinishedAnswer(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	turn.Answer.ModelName, turn.Answer.AgentID = "model", "agent"
	turn.Events = append(turn.Events, chunks(2, "Hel")...)
	begin(t, store, ann, turn)
	want := turn.Answer
	want.StreamID, want.Content = "t-s", "Hel"
	require.Equal(t, []wire.Message{turn.Question, want}, history(t, store, ann, "c1").Messages)

	more := chunks(3, "lo", " you")
	more = append(more, chat.Event{ID: 5, Type: wire.EventDocumentChunk, Data: []byte(`{"text":"looking up"}`)},
		chat.Event{ID: 6, Type: wire.EventMessageObject, Data: []byte(`{"text":"no chunk"}`)})
	require.NoError(t, store.AppendEvents(t.Context(), held("t-s"), append(more, chunks(7, "!")...)))
	want.Content = "Hello you!"
	require.Equal(t, want, answerOf(t, store, turn))
}

func finishedAnswer(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	require.NoError(t, store.AppendEvents(t.Context(), held("t-s"), chunks(2, "So far")))
	want := ended(turn, "The text as the service has it")
	require.NoError(t, store.EndTurn(t.Context(), held("t-s"), want, &chat.End{At: 300}))
	require.Equal(t, []wire.Message{turn.Question, want}, history(t, store, ann, "c1").Messages)
}

func fieldsComeBack(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	full := wire.Message{
		Content: "text", CreatedAt: 1700000000.987654, Metadata: wire.JSON(`{"k":"v"}`), ModelName: "model", AgentID: "agent",
		Sources:   []wire.Source{{DocumentKey: "d", Title: "T", Snippet: "S", Score: 0.1, PassageID: "p", Start: 1, End: 2, URL: "u"}},
		ImageURLs: []string{"i1", "i2"}, FinishReason: wire.FinishLength, MemoryIDs: []string{"m1"}, IsTest: true,
		Usage: &wire.Usage{InputTokens: 4, CachedTokens: 3, OutputTokens: 2, ReasoningTokens: 1}, LeftOut: &wire.LeftOut{Messages: 1, Images: 2, Tools: 3},
		Reasoning: "I think \x00",
	}
	named := func(as, from wire.Message) wire.Message {
		as.ID, as.ChatID, as.Role = from.ID, from.ChatID, from.Role
		return as
	}
	turn.Question = named(full, turn.Question)
	begin(t, store, ann, turn)
	require.Equal(t, turn.Question, history(t, store, ann, "c1").Messages[0])

	answer := named(full, turn.Answer)
	answer.ParentID = turn.Question.ID
	require.NoError(t, store.SetFeedback(t.Context(), ann, "c1", "t-a", false))
	require.NoError(t, store.EndTurn(t.Context(), held("t-s"), answer, &chat.End{At: 300}))
	answer.Feedback = new(bool)
	require.Equal(t, answer, answerOf(t, store, turn))
	requireFull(t, answer, "StreamID", "Raw", "Siblings", "ToolCalls")
}

// requireFull fails if a field of message, except those named, was not set: a
// field that is added to wire.Message has to be added above.
func requireFull(t *testing.T, message wire.Message, but ...string) {
	t.Helper()
	value := reflect.ValueOf(message)
	for i := range value.NumField() {
		if name := value.Type().Field(i).Name; !strings.Contains(strings.Join(but, " "), name) {
			require.False(t, value.Field(i).IsZero(), "%s is not set", name)
		}
	}
}

func metadataComesBack(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	texts := []string{
		`{}`, `{ "b" : 1, "a":1e3,"a":0.10 }`, `{"n":12345678901234567890.000}`, `{"e":"\u00e9\ud83d\ude00\u0000\/é😀"}`, `{"null":null}`, "",
	}
	for i, text := range texts {
		turn := turnIn("c1", fmt.Sprint("t", i))
		turn.Question.Metadata = wire.JSON(text)
		begin(t, store, ann, turn)
		got := history(t, store, ann, "c1").Messages[2*i].Metadata
		require.Equal(t, text, string(got))
		require.Equal(t, text == "", got == nil, "none is nil")
	}
}

func chunkTexts(t *testing.T, store chat.Store) {
	texts := []string{"", " ", "\n\r\n", `"\\"`, "\\u0041", "</script>&", "é😀\u2028", "\u0001\u007f", "{}", "'; DROP TABLE events"}
	turn := turnInNew("c1", "t")
	turn.Events = append(turn.Events, chunks(2, texts...)...)
	turn.Events = append(turn.Events, chat.Event{ID: 12, Type: wire.EventChunk, Data: []byte(`{ "text" : "\u00e9\ud83d\ude00" }`)})
	begin(t, store, ann, turn)
	require.Equal(t, strings.Join(texts, "")+"é😀", answerOf(t, store, turn).Content)
}
