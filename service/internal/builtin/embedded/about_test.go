package embedded_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/builtin/embedded"
)

const dogs = "No dogs are allowed in the gorge."

func spoken(t *testing.T, prompt answering.Prompt) string {
	t.Helper()
	var text strings.Builder
	for piece, err := range (embedded.Agent{}).Answer(t.Context(), prompt) {
		require.NoError(t, err)
		text.WriteString(piece.Text)
	}
	return text.String()
}

// A question for everything about a subject is answered from the document
// about it, however the question is worded.
func TestAsksForAllThatIsKnown(t *testing.T) {
	t.Parallel()
	for _, form := range []string{
		"What do we know about X?", "what do we know about X", "What do you know about X?", "What is known about X?", "What's known about X?",
		"Tell me about X.", "Please tell me everything about X.", "Can you tell me more about X?", "What can you tell me about X?", "Anything on X?",
		"Anything about X?", "Is there anything on X?", "Do we have anything about X?", "What do we have on X?", "What have we got on X?",
		"Do you know anything about X?", "I'd like to know about X.", "What information is there on X?",
		"Give me information on X.", "What do the documents say about X?", "What does the handbook say about X?", "What is said about X?",
		"Summarize what we know about X.", "Give me a summary of X.", "Describe X.", "Explain X.", "What about X?", "How much do we know about X?",
		"Hi, what do we know about X?", "What are the facts on X?", "Let me know about X.",
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			for subject, want := range map[string]string{
				"the Ashby": "214 kilometres", "Clara Fenwick": "mapped by Clara Fenwick", "salmon": "Salmon swim up", "dogs": dogs,
			} {
				question := strings.ReplaceAll(form, "X", subject)
				for _, alone := range []bool{false, true} {
					text := spoken(t, withPassages(said("I was at the Ashby with dogs and salmon.", question), alone, ashby, fish, pike, dogs))
					require.Contains(t, text, "“", question)
					require.Contains(t, text, want, question)
					require.Contains(t, text, "(Rivers › The Ashby)", question)
				}
			}
			question := strings.ReplaceAll(form, "X", "zebras")
			require.Contains(t, spoken(t, withPassages(said("Hi.", question), true, ashby, fish, pike)), "The documents hold no answer to that.")
			require.Contains(t, spoken(t, withPassages(said("Hi.", question), false, ashby, fish, pike)), "Neither this chat nor the documents", question)
		})
	}
}

// Questions about the chat and about the user are answered from the chat.
func TestAsksWhatWasSaid(t *testing.T) {
	t.Parallel()
	for _, question := range []string{"What did I say about the Ashby?", "What do you know about me?", "What have I told you about the Ashby?"} {
		text := spoken(t, withPassages(said("I love the Ashby.", question), false, ashby, fish, pike))
		require.Contains(t, text, " love the Ashby", question)
		require.NotContains(t, text, "Rivers", question)
	}
}
