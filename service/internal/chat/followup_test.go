package chat_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/builtin/embedded"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/librarytest"
)

var searched = answering.Options{UseKnowledgebase: use(true)}

const shop = `# Opening hours

The shop opens at nine and closes at six.

# Returns

Shoes are returned at the counter, with the receipt. A return of shoes takes five days.

# Parking

Cars are parked behind the shop. Parking costs two pounds an hour.

# Captain

The ferry Marina is steered by Captain Doyle. Doyle learned to sail in Cork.`

// A follow-up is searched together with what it refers to, a complete question alone.
func TestFollowUpsAreSearchedWithWhatTheyReferTo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		questions []string
		want      string // in a passage of the last prompt
		query     string // of the last prompt
	}{
		{"no words of its own", []string{"How do I return shoes?", "And how long does it take?"}, "five days",
			"How do I return shoes?\nOk.\nAnd how long does it take?"},
		{"and nothing else", []string{"How do I return shoes?", "and how long?"}, "five days", "How do I return shoes?\nOk.\nand how long?"},
		{"a chain", []string{"How do I return shoes?", "Why?", "And how long?"}, "five days", "How do I return shoes?\nWhy?\nOk.\nAnd how long?"},
		{"a pronoun", []string{"Who steers the ferry Marina?", "Where did he learn to sail?"}, "Cork",
			"Who steers the ferry Marina?\nOk.\nWhere did he learn to sail?"},
		{"another matter", []string{"How do I return shoes?", "What about parking?"}, "two pounds", "How do I return shoes?\nOk.\nWhat about parking?"},
		{"a complete question", []string{"How do I return shoes?", "When does the shop open?"}, "opens at nine", ""},
		{"a first message", []string{"And when does it open?"}, "opens at nine", ""},
		{"thanks", []string{"How do I return shoes?", "Thanks, that helps"}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			docs := librarytest.New(t)
			docs.Add(t, "shop.md", []byte(shop))
			model := newRecorder(says(words("Ok.")...))
			s := start(t, model, func(c *chat.Config) { c.Store, c.Knowledge, c.Structured = docs.Store, docs, true })
			chatID := ""
			var prompt answering.Prompt
			for _, question := range test.questions {
				chatID = s.ask(ann, chat.Send{ChatID: chatID, Message: question, Options: searched}).ChatID
				prompt = <-model.prompts
			}
			require.Equal(t, test.query, prompt.Query)
			var texts strings.Builder
			for _, hit := range prompt.Passages {
				texts.WriteString(hit.Text + "\n")
			}
			require.Contains(t, texts.String(), test.want)
			require.Equal(t, test.want == "", len(prompt.Passages) == 0)

			alone := searched
			alone.IgnoreChatHistory = true
			s.ask(ann, chat.Send{ChatID: chatID, Message: test.questions[len(test.questions)-1], Options: alone})
			require.Empty(t, (<-model.prompts).Query, "without the chat")
		})
	}
}

// The embedded agent quotes the answer to a follow-up.
func TestTheEmbeddedAgentAnswersAFollowUp(t *testing.T) {
	t.Parallel()
	docs := librarytest.New(t)
	docs.Add(t, "shop.md", []byte(shop))
	s := start(t, embedded.Agent{}, func(c *chat.Config) { c.Store, c.Knowledge = docs.Store, docs })
	first := s.ask(ann, chat.Send{Message: "Where are shoes returned?", Options: searched})
	require.Contains(t, first.Message.Content, "at the counter")
	second := s.ask(ann, chat.Send{ChatID: first.ChatID, Message: "And how long does that take?", Options: searched})
	require.Contains(t, second.Message.Content, "five days")
	require.NotEmpty(t, second.Message.Sources)
}
