package answering_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

func TestFollowUps(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"And how long?", "and how long", "Why?", "Why not?", "How come?", "When was it built?", "What about shoes?", "How do I get there?", "Tell me more",
		"how many people live there?", "more details please", "Can you explain?", "Is that refundable?", "So what happens then?", "What does that mean?",
		"Since when?", "And in winter?", "What else?", "How much does it cost?", "Where did he go after the war?", "Which of them is the oldest?",
		"Give me an example", "How many students does it have in its law school?",
	} {
		require.True(t, answering.FollowUp(message), message)
	}
	for _, message := range []string{
		"", "?", "Hello", "Thanks, that helps", "How are you?", "What can you do?", "Who are you?", "What is the return period?", "refunds", "refund policy",
		"And when does the ferry to Calais sail?", "When was the bridge built and who designed it?", "Did Tesla sell his patents?", "What is a message?",
		"What do we know about the Ashby?", "Write a poem", "So, when does the shop open on Sunday?", "Where do I work?",
		"How many planets are there?",
	} {
		require.False(t, answering.FollowUp(message), message)
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
		if answering.FollowUp(one.Question) {
			taken = append(taken, one.Question)
		}
	}
	require.Equal(t, 280, all)
	require.Equal(t, []string{"How was this possible", "What was a first for this network"}, taken, "and these don't say what they are about")
}
