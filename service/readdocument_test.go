package main_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadDocumentIsASubcommand(t *testing.T) {
	t.Parallel()
	cmd := command(t.TempDir(), nil, "read-document")
	cmd.Stdin = strings.NewReader(`{"name":"a.md","time":20000000000,"memory":536870912,"bytes":14}` + "\n# Title\n\nText.")
	answer, err := cmd.Output()
	require.NoError(t, err)
	require.JSONEq(t, `{"document":{"kind":"markdown","title":"Title","encoding":"UTF-8","text":"Title\n\nText.",
		"blocks":[{"kind":"heading","level":1,"start":0,"end":5},{"kind":"paragraph","start":7,"end":12}]}}`, string(answer))
	require.Contains(t, fails(t, t.TempDir(), nil, "read-document"), "want a line of JSON and a file")
}
