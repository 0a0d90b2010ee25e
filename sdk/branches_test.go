package sdk_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

func TestAnAnswerIsResumedByItsID(t *testing.T) {
	t.Parallel()
	running := `{"id":"m2","role":"assistant","content":"H","stream_id":"s1"}`
	other := `{"id":"m4","role":"assistant","content":"x","stream_id":"s2"}`
	given := func(text string) func() reply { return func() reply { return jsonReply(text) } }
	tests := []struct {
		name            string
		stored, history func() reply
		asked           []string
	}{
		{"that is being written", given(running), nil, []string{stored, resumes}},
		{"that has ended", given(`{"id":"m2","content":"H","finish_reason":"stop"}`), nil, []string{stored}},
		{"of an older service", func() reply { return coded(404, wire.CodeNotFound) }, given(`{"messages":[` + running + `,` + other + `]}`), []string{stored, history, resumes}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{events: short(), stored: test.stored, history: test.history}
			text := ""
			for event, err := range k.open(t, retryConfig()).Resume(t.Context(), "c1", sdk.ResumeOptions{MessageID: "m2"}) {
				require.NoError(t, err)
				text += event.Text
			}
			require.Equal(t, test.asked, k.log())
			require.Equal(t, len(test.asked) > 1, text != "")
		})
	}

	k := &keeper{}
	err := drain(k.open(t, retryConfig()).Resume(t.Context(), "c1", sdk.ResumeOptions{MessageID: "m2"}))
	require.Equal(t, 404, apiError(t, err).Status, "there is no such message")
	require.Equal(t, []string{stored}, k.log())
}

// An answer whose stream is known is read to its end, also if it has ended since, and if its events are gone.
func TestResumeOfAStreamThatHasEnded(t *testing.T) {
	t.Parallel()
	ended := func() reply {
		return jsonReply(`{"id":"m2","role":"assistant","content":"Hi","finish_reason":"stop"}`)
	}
	gone := func(int, string) reply { return coded(410, wire.CodeStreamGone) }
	for name, test := range map[string]struct {
		keeper *keeper
		asked  []string
	}{
		"its events are kept": {&keeper{events: short(), stored: ended}, []string{resumes}},
		"its events are gone": {&keeper{events: short(), stored: ended, spoil: gone}, []string{resumes, stored}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			types := []string{}
			options := sdk.ResumeOptions{MessageID: "m2", StreamID: "s1"}
			for event, err := range test.keeper.open(t, retryConfig()).Resume(t.Context(), "c1", options) {
				require.NoError(t, err)
				types = append(types, event.Type)
			}
			require.Equal(t, []string{wire.EventComplete, wire.EventEnd}, types[len(types)-2:])
			require.Equal(t, test.asked, test.keeper.log())
		})
	}
	client := (&keeper{}).open(t, retryConfig())
	require.Equal(t, "streamId", argumentError(t, drain(client.Resume(t.Context(), "c1", sdk.ResumeOptions{StreamID: " "}))).Field)
}

func TestAnEditNamesItsQuestion(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, streamReply(stream(answerOf("yes")...)))
	require.NoError(t, drain(client.Edit(t.Context(), "c1", "m1", "why?", sdk.SendMessageOptions{ModelName: "large"})))
	sent := map[string]string{}
	for _, field := range script.requests[0].Form {
		sent[field.Name] = field.Text
	}
	require.Equal(t, map[string]string{"message": "why?", "project_id": "p1", "chat_id": "c1", "edits": "m1", "model_name": "large", "tool_calls": "true"}, sent)
}

// Without the key, the second try could undo a selection that somebody made after the first.
func TestASelectionIsRepeatedWithItsKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &keeper{spoil: func(n int, _ string) reply {
			if n == 0 {
				return coded(503, wire.CodeUnavailable)
			}
			return jsonReply(`{"message_id":"m9"}`)
		}}
		last, err := k.open(t, retryConfig()).SelectBranch(t.Context(), "c1", "m1")
		require.NoError(t, err)
		require.Equal(t, "m9", last)
		require.Equal(t, []string{"POST /chat/branch", "POST /chat/branch"}, k.log())
		require.NotEmpty(t, k.keys[0])
		require.Equal(t, k.keys[0], k.keys[1])
	})
}
