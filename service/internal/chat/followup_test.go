package chat_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/embedded"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	reading "github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	passages "github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/sqlite"
)

// library are documents of a store that everybody may use.
type library struct {
	store *sqlite.Store
	keys  []string
}

func (l *library) Usable(context.Context, string, string, []string) ([]string, error) {
	return l.keys, nil
}

func (l *library) Search(ctx context.Context, question string, keys []string, limit int) ([]passages.Hit, error) {
	return l.store.Search(ctx, question, keys, limit)
}

func (l *library) add(t *testing.T, name string, source []byte) {
	t.Helper()
	d, err := reading.Bytes(name, source)
	require.NoError(t, err)
	require.NoError(t, l.store.AddDocument(t.Context(), knowledge.Document{Key: name, Status: wire.DocumentQueued}, nil, nil))
	require.NoError(t, l.store.FinishDocument(t.Context(), name, d, split.Passages(d)))
	l.keys = append(l.keys, name)
}

var searched = chat.Options{UseKnowledgebase: use(true)}

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
			docs := &library{store: openStore(t)}
			docs.add(t, "shop.md", []byte(shop))
			model := newRecorder(says(words("Ok.")...))
			s := start(t, model, func(c *chat.Config) { c.Store, c.Knowledge, c.Structured = docs.store, docs, true })
			chatID := ""
			var prompt chat.Prompt
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
	docs := &library{store: openStore(t)}
	docs.add(t, "shop.md", []byte(shop))
	s := start(t, embedded.Agent{}, func(c *chat.Config) { c.Store, c.Knowledge = docs.store, docs })
	first := s.ask(ann, chat.Send{Message: "Where are shoes returned?", Options: searched})
	require.Contains(t, first.Message.Content, "at the counter")
	second := s.ask(ann, chat.Send{ChatID: first.ChatID, Message: "And how long does that take?", Options: searched})
	require.Contains(t, second.Message.Content, "five days")
	require.NotEmpty(t, second.Message.Sources)
}

func TestFollowUps(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"And how long?", "and how long", "Why?", "Why not?", "How come?", "When was it built?", "What about shoes?", "How do I get there?", "Tell me more",
		"how many people live there?", "more details please", "Can you explain?", "Is that refundable?", "So what happens then?", "What does that mean?",
		"Since when?", "And in winter?", "What else?", "How much does it cost?", "Where did he go after the war?", "Which of them is the oldest?",
		"Give me an example", "How many students does it have in its law school?",
	} {
		require.True(t, chat.FollowUp(message), message)
	}
	for _, message := range []string{
		"", "?", "Hello", "Thanks, that helps", "How are you?", "What can you do?", "Who are you?", "What is the return period?", "refunds", "refund policy",
		"And when does the ferry to Calais sail?", "When was the bridge built and who designed it?", "Did Tesla sell his patents?", "What is a message?",
		"What do we know about the Ashby?", "Write a poem", "So, when does the shop open on Sunday?", "Where do I work?",
		"How many planets are there?",
	} {
		require.False(t, chat.FollowUp(message), message)
	}
}

// The questions of knowledge-eval are all complete. Hardly any is taken for a
// follow-up, so earlier questions don't change what is found.
func TestCompleteQuestionsAreSearchedAlone(t *testing.T) {
	t.Parallel()
	file, err := os.Open(filepath.Join("..", "knowledge", "testdata", "dev.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	var taken []string
	all := 0
	for lines := bufio.NewScanner(file); lines.Scan(); all++ {
		var one struct{ Question string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &one))
		if chat.FollowUp(one.Question) {
			taken = append(taken, one.Question)
		}
	}
	require.Equal(t, 280, all)
	require.Equal(t, []string{"How was this possible", "What was a first for this network"}, taken, "and these don't say what they are about")
}
