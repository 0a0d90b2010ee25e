//go:build unix

package compat_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// followed is an answer as the callbacks reported it.
type followed struct {
	Text    string
	Message wire.Message
	Error   string
	Ended   int
}

// The old npm package, with the wasm of the same commit, works in Node with the new service.
func TestTheOldPackage(t *testing.T) {
	t.Parallel()
	built := exec.Command("make", "--silent", "dist/chatsdk.wasm", "dist/chatsdk.mjs")
	built.Dir = oldFolder
	built.Env = withoutMake(os.Environ())
	said, err := built.CombinedOutput()
	require.NoError(t, err, "%s", said)

	s := newScene(t, newVersion, oldVersion)
	s.cutter.left.Store(2)
	page := exec.Command("node", "page.mjs", filepath.Join(oldFolder, "dist", "chatsdk.mjs"), s.cutter.URL)
	page.Env = append(os.Environ(), "API_KEY="+apiKey, "API_SECRET="+apiSecret)
	var failed strings.Builder
	page.Stderr = &failed
	told, err := page.Output()
	require.NoError(t, err, "%s", &failed)
	var seen struct {
		Streamed, Regenerated followed
		Sent                  wire.Message
		Iterated, Gone        string
		History               [][]string
		Chats, Agents         []string
	}
	require.NoError(t, json.Unmarshal(told, &seen), "%s", told)
	require.EqualValues(t, 2, s.cutter.cuts.Load())
	for text, answer := range map[string]followed{whole("One?", 1): seen.Streamed, whole("Three?", 2): seen.Regenerated} {
		require.Equal(t, []any{text, text, "", 1}, []any{answer.Text, answer.Message.Content, answer.Error, answer.Ended})
	}
	require.Equal(t, whole("Two?", 1), seen.Sent.Content)
	require.Equal(t, whole("Three?", 1), seen.Iterated)
	require.Equal(t, [][]string{
		{"user", "One?"}, {"assistant", whole("One?", 1)}, {"user", "Two?"}, {"assistant", whole("Two?", 1)}, {"user", "Three?"}, {"assistant", whole("Three?", 2)},
	}, seen.History)
	require.Equal(t, [][]string{{"Page"}, {agentID}}, [][]string{seen.Chats, seen.Agents})
	require.Equal(t, "APIError 404", seen.Gone)
}

// withoutMake returns an environment without GOOS, GOARCH and the variables of make.
func withoutMake(environment []string) (rest []string) {
	for _, variable := range environment {
		if !strings.HasPrefix(variable, "MAKE") && !strings.HasPrefix(variable, "MFLAGS") && !strings.HasPrefix(variable, "GOOS=") && !strings.HasPrefix(variable, "GOARCH=") {
			rest = append(rest, variable)
		}
	}
	return rest
}
