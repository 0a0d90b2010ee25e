package english_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

func TestSubject(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		question, subject string
		open              bool
	}{
		{"What do we know about the Ashby?", "the Ashby", true},
		{"Hello, can you please tell me everything on the ferry to Calais?", "the ferry to Calais", true},
		{"What is known of Clara Fenwick?", "Clara Fenwick", true},
		{"Give me a summary of the contract", "the contract", true},
		{"What about parking?", "parking", true},
		{"Describe the rules", "rules", true},
		{"Do you know when the Ashby was mapped?", "when the Ashby was mapped", false},
		{"What is said about the map?", "the map", true},
		// Questions that ask for something else stay as they are.
		{"Who mapped the Ashby?", "", false},
		{"What did I say about the Ashby?", "", false},
		{"What did Clara say about the map?", "", false},
		{"What do I say about the map?", "", false},
		{"What are the sources of the Nile?", "", false},
		{"What is the Nile known for?", "", false},
		{"What is known as the Ashby?", "", false},
		{"What has the king got?", "", false},
		{"Tell me about it", "", false},
		{"Anything?", "", false},
		{"About what?", "", false},
		{"What", "", false},
		{"", "", false},
	} {
		t.Run(test.question, func(t *testing.T) {
			t.Parallel()
			got, open := english.Subject(english.Of(test.question))
			var texts []string
			for _, w := range got {
				texts = append(texts, w.Text)
			}
			if test.subject == "" {
				test.subject = strings.Join(strings.Fields(strings.NewReplacer("?", "", ",", "").Replace(test.question)), " ")
			}
			require.Equal(t, test.subject, strings.Join(texts, " "))
			require.Equal(t, test.open, open)
		})
	}
}
