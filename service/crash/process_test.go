package crash_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/crash/witness"
)

const agentID = "keeper"

// agents is an agents file with one agent. No user reaches its limit of memories, so a memory is only
// replaced by one that contradicts it.
const agents = "agents: [{id: " + agentID + ", memory: {memory_enabled: true, max_memories: 1000}}]"

// newFolder returns a folder to start the service in.
func newFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "agents.yaml"), []byte(agents), 0o600))
	return folder
}

// start starts the service with the data in a folder. The service may log answers that a kill
// interrupted, but no other failure.
func start(t *testing.T, folder string, env []string) *witness.Process {
	t.Helper()
	return witness.Start(t, binary, folder, append([]string{"AGENTS=agents.yaml"}, env...), func(_, message, line string) {
		if message != "ended answers that the last run left open" {
			t.Errorf("the service logged: %s", line)
		}
	})
}
