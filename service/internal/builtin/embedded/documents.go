package embedded

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	documents "github.com/chatsdk/chatsdk/service/internal/builtin/knowledge/answer"
)

const (
	noAnswer  = "The documents hold no answer to that."
	crowded   = "There are passages on that in the documents, but your message leaves no room to read them. Ask a shorter question."
	notInThem = "Neither this chat nor the documents hold an answer to that."
)

// respond calls tools if it is told to, and otherwise answers from the chat, or from the
// documents if they were searched. For a question about the user or about the agent it looks in
// the chat first, for anything else in the documents first.
func respond(prompt answering.Prompt) reply {
	prompt = asAsked(prompt)
	if r, ok := useTools(prompt); ok {
		return r
	}
	t := read(prompt)
	if prompt.Passages == nil {
		return t.answer()
	}
	quoted, found := quoteDocuments(cmp.Or(prompt.Query, t.last.Text), prompt)
	if prompt.FromDocuments {
		return quoted
	}
	said := t.answer()
	said.sources = []wire.Source{}
	about := slices.ContainsFunc(t.asked, func(q question) bool { return q.own || q.talk })
	switch {
	case len(t.asked) == 0, about && !said.unknown, said.slow:
		return said
	case found:
		quoted.showResults(t.Results)
		return quoted
	case said.unknown && len(t.Results)+len(t.last.Images) == 0:
		said = reply{text: notInThem, lookup: said.lookup, sources: said.sources}
		if prompt.Crowded {
			said.text = crowded
		}
	}
	return said
}

// asAsked returns a prompt whose last message is what the user wrote alone: what stands beside it is for models.
func asAsked(prompt answering.Prompt) answering.Prompt {
	if last := len(prompt.Messages) - 1; last >= 0 && prompt.Question != "" {
		prompt.Messages = slices.Clone(prompt.Messages)
		prompt.Messages[last].Text = prompt.Question
	}
	return prompt
}

// quoteDocuments quotes the sentences that answer a question, each with the document and the
// headings above it.
func quoteDocuments(question string, prompt answering.Prompt) (r reply, found bool) {
	r = reply{text: noAnswer, sources: []wire.Source{}}
	if prompt.Crowded {
		r.text = crowded
	}
	quotes := documents.Find(question, prompt.Passages).Quotes
	if len(quotes) == 0 {
		return r, false
	}
	var lines []string
	for _, q := range quotes {
		source := answering.Source(prompt.Passages[q.Hit])
		source.Snippet, source.Start, source.End = q.Text, q.Start, q.End
		r.sources = append(r.sources, source)
		lines = append(lines, fmt.Sprintf("“%s” (%s)", q.Text, strings.Join(append([]string{q.Title}, q.Headings...), " › ")))
	}
	r.text = strings.Join(lines, "\n\n")
	return r, true
}
