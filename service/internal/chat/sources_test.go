package chat_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// ferries is a shelf with two documents to ask questions about.
func ferries() *shelf {
	docs := newShelf()
	docs.texts["house"] = "The ferry to Calais sails at nine from the red pier. It takes forty minutes."
	docs.texts["other"] = "Tickets cost twelve pounds at the kiosk. Bicycles travel free."
	return docs
}

var onFerries = answering.Options{DocumentKeys: []string{"house", "other"}}

func keysOf(sources []wire.Source) string {
	var keys []string
	for _, source := range sources {
		keys = append(keys, source.DocumentKey)
	}
	return strings.Join(keys, " ")
}

// The sources are those that the answer cites, or else those that its sentences match.
func TestSourcesAreThoseThatTheAnswerUses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, question, answer, example string
		text, sources                   string // an empty text is the answer
	}{
		{"what it cites", "When?", "At nine [1].", "", "At nine.", "house"},
		{"both, the best first", "When?", "Free. [2] At nine [1].", "", "Free. At nine.", "house other"},
		{"a number without a passage", "When?", "At nine [3].", "", "", ""},
		{"a greeting", "Hello!", "Hello! How can I help you today?", "", "", ""},
		{"thanks", "Thanks, that helps", "You are welcome! Is there anything else about the ferry?", "", "", ""},
		{"a refusal", "When does the train leave?", "I found nothing about the train in the documents.", "", "", ""},
		{"sentences that match", "How do I get to Calais?", "A ferry sails to Calais at nine. It leaves from the red pier.", "", "", "house"},
		{"a sentence for each", "Tell me all", "The ferry to Calais sails at nine.\n- Bicycles travel free", "", "", "house other"},
		{"a short answer", "What do tickets cost at the kiosk?", "Twelve pounds.", "", "", "other"},
		{"a short answer on something else", "What does the train to London cost?", "Five pounds.", "", "", ""},
		{"JSON that matches", "What do tickets cost at the kiosk?", `{"price": ["twelve pounds"]}`, `{"price": [""]}`, "", "other"},
		{"JSON that cites", "When?", `{"a": "It is [1]."}`, `{"a": ""}`, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := newRecorder(says(words(strings.SplitAfter(test.answer, "")...)...))
			s := start(t, model, knowing(ferries()))
			options := onFerries
			options.ExampleJSON = test.example
			tr := read(t, s.send(ann, chat.Send{Message: test.question, Options: options}))
			require.Equal(t, test.example == "", strings.Contains(beside(<-model.prompts), "[1] [2]"), "JSON has no marks")
			if test.text == "" {
				test.text = test.answer
			}
			require.Equal(t, test.text, tr.text())
			require.Equal(t, test.sources, keysOf(tr.complete.Message.Sources))
			require.Equal(t, test.sources, keysOf(s.history(tr.start.ChatID).Messages[1].Sources))
			want := "start document_chunk message_object chat_name complete end"
			if test.sources == "" {
				want = "start document_chunk chat_name complete end"
			}
			require.Equal(t, want, tr.types())
			require.Equal(t, test.sources, keysOf(s.regenerateAnswer(ann, tr.complete.Message).Sources), "regenerated")
		})
	}
}

// A chat that has a name keeps it, and its later answers name their sources too.
func TestSourcesOfALaterAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, newRecorder(says(words("At nine. [1]")...)), knowing(ferries()))
	chatID := s.ask(ann, chat.Send{Message: "When?", Options: onFerries}).ChatID
	tr := read(t, s.send(ann, chat.Send{ChatID: chatID, Message: "And tomorrow?", Options: onFerries}))
	require.Equal(t, "start document_chunk message_object complete end", tr.types())
	require.Equal(t, "house", keysOf(tr.complete.Message.Sources))
	require.Equal(t, "When?", s.history(chatID).Name)
}

// A provider that follows no instructions is asked for no marks, and its text stays.
func TestWithoutAModelNothingIsTakenForAMark(t *testing.T) {
	t.Parallel()
	model := newRecorder(says(words("It sails at nine. [1]")...))
	s := start(t, model, knowing(ferries()), func(c *chat.Config) { c.Structured = false })
	answer := s.ask(ann, chat.Send{Message: "When?", Options: onFerries}).Message
	require.Equal(t, "It sails at nine. [1]", answer.Content)
	require.NotContains(t, beside(<-model.prompts), "brackets")
}

// An answer that ends early has the sources of its text so far.
func TestSourcesOfAnswersThatEndEarly(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model, knowing(ferries()))
	stream := s.send(ann, chat.Send{Message: "When?", Options: onFerries})
	q := <-model
	q.say("At nine. [1] It", " costs twelve [")
	events := readUntil(t, stream, 4)
	receipt, err := s.Stop(t.Context(), ann, decode[wire.Start](t, events[0]).StreamID)
	require.NoError(t, err)
	require.Equal(t, "house", keysOf(receipt.Message.Sources))
	tr := read(t, stream)
	require.Equal(t, "start document_chunk message_object chat_name complete end", tr.types())
	require.True(t, strings.HasPrefix(tr.text(), "At nine. It"))

	stream = s.send(ann, chat.Send{Message: "When?", Options: onFerries})
	q = <-model
	q.say("At nine. [1] It costs [2")
	q.fail(errBusy)
	tr = read(t, stream)
	require.Equal(t, "start document_chunk message_object error end", tr.types())
	require.Equal(t, "At nine. It costs [2", tr.text(), "text that was held back is sent")
	require.Equal(t, "house", keysOf(s.history(tr.start.ChatID).Messages[1].Sources))
}

// The sources of a round are sent when it parks, so that any process knows them, and
// those of all rounds after the last text.
func TestSourcesOfSeveralRounds(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"in one process", "in another process", "stopped while it waits"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &rounds{say: [][]answering.Piece{
				{{Text: "It sails at nine. [1"}, {Text: "]"}, calls("act", `{"n":1}`)}, {{Text: "["}, {Text: "1] stays. "}, {Text: "Booked. [2]"}},
			}}
			s := start(t, model.script(), knowing(ferries()), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalUser}))
			response := s.waits(ann, chat.Send{Message: "When?", Offer: knows, Options: onFerries})
			require.Equal(t, "It sails at nine.", response.Message.Content)
			require.Equal(t, "house", keysOf(response.Message.Sources))
			switch name {
			case "in another process":
				s = s.restarted()
			case "stopped while it waits":
				receipt, err := s.Stop(t.Context(), ann, response.StreamID)
				require.NoError(t, err)
				require.Equal(t, "house", keysOf(receipt.Message.Sources))
				return
			}
			s.decide(ann, response.Message.ToolCalls[0].ID, approve)
			whole := s.carried().whole(response.StreamID).Message
			require.Equal(t, "It sails at nine.\n\n[1] stays. Booked.", whole.Content)
			require.Equal(t, "house other", keysOf(whole.Sources))
			stream, err := s.Resume(t.Context(), ann, response.StreamID, 0)
			require.NoError(t, err)
			var told []string
			for events, err := range stream.Events(t.Context()) {
				require.NoError(t, err)
				for _, event := range events {
					switch event.Type {
					case wire.EventChunk:
						told = append(told, decode[wire.Text](t, event).Text)
					case wire.EventMessageObject:
						told = append(told, keysOf(decode[struct{ Sources []wire.Source }](t, event).Sources))
					}
				}
			}
			require.Equal(t, []string{"It sails at nine.", "house", "\n\n", "[", "1] stays.", " Booked.", "house other"}, told)
			require.Equal(t, "It sails at nine.", model.asked()[1].Rounds[0].Text)
		})
	}
}
