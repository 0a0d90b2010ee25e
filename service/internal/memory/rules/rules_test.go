package rules_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
	"unicode/utf16"

	"github.com/chatsdk/chatsdk/service/internal/memory/rules"
	"github.com/stretchr/testify/require"
)

// lines reads a file of JSON values, one a line.
func lines[T any](t testing.TB, path string) []T {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var values []T
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		var v T
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &v))
		values = append(values, v)
	}
	require.NoError(t, scanner.Err())
	return values
}

type wanted struct {
	Type    string `json:"type"`
	Content string `json:"content"`
	Words   string `json:"words"`
}

type message struct {
	Text     string   `json:"text"`
	Findings []wanted `json:"findings"`
}

// given is what Detect found, as the file writes it.
func given(text string) []wanted {
	out := []wanted{}
	units := utf16.Encode([]rune(text))
	for _, f := range rules.Detect(text) {
		out = append(out, wanted{f.Type, f.Content, string(utf16.Decode(units[f.Start:f.End]))})
	}
	return out
}

func TestMessages(t *testing.T) {
	t.Parallel()
	all := lines[message](t, "testdata/messages.jsonl")
	right := 0
	for _, m := range all {
		t.Run(m.Text, func(t *testing.T) {
			require.Equal(t, m.Findings, given(m.Text))
			right++
		})
	}
	t.Logf("messages: %d of %d as wanted, statement, type and words", right, len(all))
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	all := lines[struct{ Name, Text, Redacted string }](t, "testdata/secrets.jsonl")
	right := 0
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			got := rules.Redact(s.Text)
			require.Equal(t, s.Redacted, got)
			require.Equal(t, got, rules.Redact(got))
			require.Len(t, utf16.Encode([]rune(got)), len(utf16.Encode([]rune(s.Text))))
			right++
		})
	}
	t.Logf("secrets: %d of %d redacted as wanted", right, len(all))
}

func TestPasted(t *testing.T) {
	t.Parallel()
	all := lines[struct{ Kind, Text string }](t, "testdata/pasted.jsonl")
	silent := 0
	for _, p := range all {
		t.Run(p.Kind+" "+p.Text, func(t *testing.T) {
			require.Empty(t, given(p.Text))
			silent++
		})
	}
	t.Logf("pasted: %d of %d give nothing", silent, len(all))
}
