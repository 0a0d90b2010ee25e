package embedded_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/builtin/embedded"
	"github.com/chatsdk/chatsdk/service/internal/lineartest"
)

// TestALongMessageIsReadInLinearTime reads messages up to the longest that the service accepts.
func TestALongMessageIsReadInLinearTime(t *testing.T) {
	for _, row := range []struct{ name, begin, part string }{
		{"a question with one word again and again", "What is ", "1 "},
		{"a question with different words", "What is ", "%d "},
		{"a question about the user", "What is my ", "a a "},
		{"what is to be counted", "How many words are in ", "word letters %d "},
		{"a signed sum", "What is ", "9*9*"},
		{"one question after the other", "What is that ", "and what is %d "},
		{"sentences", "", "Who is %d? "},
		{"statements", "", "My %d is a %d. "},
		{"one order", "Tell me what I said about ", "%d my name from "},
		{"abbreviations without spaces", "What is ", "A.\u00a0"},
		{"names of tools that there are not", "", "/%d\n"},
		{"one tool again and again", "", "/known {}\n"},
		{"objects that do not end", "", "/known {\"a\":\n"},
		{"quotation marks", "What is ", "“ \" "},
		{"no words", "", "? ! "},
		{"one word", "", "x"},
		{"accents", "Who is ", "é%d "},
		{"other languages", "", "je suis %d "},
		{"lines", "What is ", "\n%d"},
		{"marks in front of spaces", "What is ", ".    "},
	} {
		t.Run(row.name, func(t *testing.T) {
			lineartest.Check(t, row.part, 2000, func(text string) {
				prompt := said("I work at a hospital.", row.begin+text)
				prompt.Tools = []answering.PromptTool{{Name: "known"}}
				drain(t, prompt)
			})
		})
	}
}

// drain gets an answer without keeping it.
func drain(t *testing.T, prompt answering.Prompt) {
	for _, err := range (embedded.Agent{}).Answer(t.Context(), prompt) {
		require.NoError(t, err)
	}
}

// TestALongChatIsReadInLinearTime has the words in an earlier message.
func TestALongChatIsReadInLinearTime(t *testing.T) {
	for _, role := range []string{wire.RoleUser, wire.RoleAssistant} {
		for _, part := range []string{"%d is. ", "my %d ", "What is my %d? ", "A.\u00a0", "name "} {
			lineartest.Check(t, part, 2000, func(text string) {
				prompt := said(text, "What is my name? What did I say about a dog? How many messages are there?")
				prompt.Messages[0].Role = role
				drain(t, prompt)
			})
		}
	}
}
