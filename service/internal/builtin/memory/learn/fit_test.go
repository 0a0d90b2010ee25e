package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/eval"
)

func labelledMessages() []message {
	var all []message
	for _, m := range []eval.Message{
		{Text: "I have a dog and a garden", Memorable: true, Types: []string{"fact"}},
		{Text: "Write a poem for my dog", Memorable: true, Types: []string{"fact"}},
		{Text: "I have a question about your answer"},
		{Text: "Write a poem about my answer"},
	} {
		all = append(all, newMessage(m, true), newMessage(m, true))
	}
	return all
}

func TestFitJudgesByWhatItLearnt(t *testing.T) {
	t.Parallel()
	m := fit(labelledMessages())
	told := func(text string) judged {
		return m.judge(newMessage(eval.Message{Text: text, Memorable: true, Types: []string{"fact"}}, true))
	}
	poem := told("Write a poem for my dog")
	require.Greater(t, poem.score, 0.0)
	require.True(t, poem.right[0], "the type of similar messages")
	require.Less(t, told("Write a poem about my answer").score, 0.0)
}

func TestFitAlwaysWritesTheSameBytes(t *testing.T) {
	t.Parallel()
	first := encode(fit(labelledMessages()))
	require.NotEmpty(t, first)
	require.Equal(t, first, encode(fit(labelledMessages())))
}
