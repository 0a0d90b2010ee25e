package main_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/cli"
)

func TestSubcommandsSayWhatTheyReadAndWrite(t *testing.T) {
	t.Parallel()
	tables := []struct{ name, reads, writes string }{
		{"detect", `{"id", "text"}`, `{"id", "memories": [`},
		{"duplicates", `{"id", "a", "b"}`, `{"id", "duplicate": `},
	}
	var all strings.Builder
	require.Zero(t, cli.Run([]string{"-h"}, env{}.lookup, nil, &all, nil))
	require.Regexp(t, `(?m)^  import +\w`, all.String())
	require.NotContains(t, all.String(), "read-document", "only the service uses it")
	for _, table := range tables {
		require.Regexp(t, `(?m)^  `+table.name+` +\w`, all.String(), "the help of the service names it")
		for _, ask := range []string{"-h", "-help", "--help"} {
			var stdout, stderr bytes.Buffer
			require.Zero(t, cli.Run([]string{table.name, ask}, env{}.lookup, strings.NewReader("not read"), &stdout, &stderr))
			require.Empty(t, stderr.String())
			require.Contains(t, stdout.String(), table.reads)
			require.Contains(t, stdout.String(), table.writes)
		}
	}
}
