package memory_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

func TestDetectionOfTheEmbeddedRules(t *testing.T) {
	t.Parallel()
	s := start(t, memory.Embedded{})
	const message = "👋 I prefer short answers, and I work at a hospital."
	found := s.learn("ann", message)
	require.Len(t, found, 2)
	for i, want := range []struct{ memoryType, content, span string }{
		{wire.MemoryFact, "User works at a hospital", "I work at a hospital"},
		{wire.MemoryPreference, "User prefers short answers", "I prefer short answers"},
	} {
		require.Equal(t, want.content, found[i].MemoryContent)
		require.Equal(t, want.memoryType, found[i].MemoryType)
		require.Equal(t, message, found[i].TriggeringMessage)
		units := utf16.Encode([]rune(message))
		require.Equal(t, want.span, string(utf16.Decode(units[found[i].Span.Start:found[i].Span.End])))
		require.Equal(t, wire.MemoryPending, found[i].Status)
		require.Equal(t, "msg1", found[i].SourceMessageID)
		require.Equal(t, noon+week, found[i].ExpiresAt)
	}
}

func TestExamines(t *testing.T) {
	t.Parallel()
	s := start(t, says{}, func(c *memory.Config) {
		c.Defaults = map[string]wire.MemorySettings{"other": {MemoryEnabled: to(true)}}
	})
	for name, test := range map[string]struct {
		message string
		want    bool
	}{
		"9 characters":                     {strings.Repeat("é", 9), false},
		"10 characters":                    {strings.Repeat("😀", 10), true},
		"2000 characters":                  {strings.Repeat("é", 2000), true},
		"2001 characters":                  {strings.Repeat("e", 2001), false},
		"9 characters with white space":    {"  123456789 \n", false},
		"2000 characters with white space": {" \t" + strings.Repeat("e", 2000) + "\n", true},
		"white space":                      {strings.Repeat(" ", 50), false},
	} {
		examines, enabled := s.Examines("assistant", test.message)
		require.Equal(t, test.want, examines, name)
		require.False(t, enabled)
	}
	_, enabled := s.Examines("other", "")
	require.True(t, enabled)
}

// The service checks everything that it can check in a detector's findings.
func TestFindingsAreChecked(t *testing.T) {
	t.Parallel()
	const message = "I have a 🐈 and the code 4111-1111-1111-1111 opens it. My password is hunter2hunter2."
	good := memory.Finding{Type: wire.MemoryFact, Content: "User has a cat", Confidence: 0.8, Start: 0, End: 11}
	change := func(f func(*memory.Finding)) memory.Finding {
		one := good
		f(&one)
		return one
	}
	tests := []struct {
		name    string
		finding memory.Finding
		want    string
	}{
		{"as it should be", good, "User has a cat"},
		{"sure", change(func(f *memory.Finding) { f.Confidence = 1 }), "User has a cat"},
		{"of 300 characters", change(func(f *memory.Finding) { f.Content = "User " + strings.Repeat("é", 295) }), "User " + strings.Repeat("é", 295)},
		{"of several lines", change(func(f *memory.Finding) { f.Content = " User\n\n has\u2028a\tcat\x00 " }), "User has a cat"},
		{"of 301 characters", change(func(f *memory.Finding) { f.Content = "User " + strings.Repeat("é", 296) }), ""},
		{"empty", change(func(f *memory.Finding) { f.Content = " \n" }), ""},
		{"invalid UTF-8", change(func(f *memory.Finding) { f.Content = "User \xff" }), ""},
		{"without a type", change(func(f *memory.Finding) { f.Type = "" }), ""},
		{"of an unknown type", change(func(f *memory.Finding) { f.Type = "mood" }), ""},
		{"a confidence below 0", change(func(f *memory.Finding) { f.Confidence = -0.1 }), ""},
		{"a confidence above 1", change(func(f *memory.Finding) { f.Confidence = 1.1 }), ""},
		{"a confidence that is not a number", change(func(f *memory.Finding) { f.Confidence = math.NaN() }), ""},
		{"before the message", change(func(f *memory.Finding) { f.Start = -1 }), ""},
		{"beyond the message", change(func(f *memory.Finding) { f.End = 1000 }), ""},
		{"without words", change(func(f *memory.Finding) { f.End = f.Start }), ""},
		{"backwards", change(func(f *memory.Finding) { f.Start, f.End = 5, 2 }), ""},
		{"from within a character", change(func(f *memory.Finding) { f.End = 10 }), ""},
		{"with a secret", change(func(f *memory.Finding) { f.Content = "User has the code 4111-1111-1111-1111" }), ""},
		{"with a secret in other words", change(func(f *memory.Finding) { f.Content = "User opens it by hunter2hunter2 alone" }), ""},
		{"from the words of a secret", change(func(f *memory.Finding) { f.Start, f.End = 12, 50 }), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, detects(func(context.Context, string) ([]memory.Finding, error) {
				return []memory.Finding{test.finding}, nil
			}))
			found := s.learn("ann", message)
			if test.want == "" {
				require.Empty(t, found)
				return
			}
			require.Equal(t, []string{test.want}, contents(found))
			require.NotContains(t, found[0].TriggeringMessage, "hunter2")
			require.NotContains(t, found[0].TriggeringMessage, "4111")
			require.Len(t, utf16.Encode([]rune(found[0].TriggeringMessage)), len(utf16.Encode([]rune(message))))
			require.True(t, strings.HasPrefix(found[0].TriggeringMessage, "I have a 🐈 and the code "))
		})
	}
}
