package aisdk_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tests of the transport with the AI SDK's own chat, which make test-js runs
// with the newest version, pass with each version.
func TestTheChatInNode(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		args := []string{"--test"}
		for _, name := range []string{"ai-sdk", "ai-sdk-branches", "ai-sdk-tools", "ai-sdk-unsent"} {
			args = append(args, suite.File("js/test/"+name+".test.mjs"))
		}
		command := exec.CommandContext(t.Context(), "node", args...)
		command.Env = append(os.Environ(), "AI_SDK="+suite.File(ai.folder+"/node_modules/ai"))
		output, err := command.CombinedOutput()
		require.NoError(t, err, "%s", output)
	})
}

// The declarations fit each version's in strict mode. Its dependencies' are checked
// too.
func TestTheTypes(t *testing.T) {
	inEach(t, func(t *testing.T, ai *version) {
		config, err := json.Marshal(map[string]any{
			"extends": suite.File("js/test/ai-sdk/tsconfig.json"),
			"include": []string{},
			"files":   []string{suite.File("js/test/ai-sdk/types.test-d.ts"), suite.File("js/test/ai-sdk/json-schema.d.ts")},
			"compilerOptions": map[string]any{
				"typeRoots": []string{suite.File("node_modules/@types")},
				"paths": map[string]any{
					"chatsdk": []string{suite.File("dist/chatsdk.d.ts")},
					"ai":      []string{suite.File(ai.folder + "/node_modules/ai")},
				},
			},
		})
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "tsconfig.json")
		require.NoError(t, os.WriteFile(file, config, 0o600))
		output, err := exec.CommandContext(t.Context(), "node", suite.File("node_modules/typescript/bin/tsc"), "-p", file, "--listFiles").CombinedOutput()
		require.NoError(t, err, "%s", output)
		require.Contains(t, string(output), suite.File(ai.folder+"/node_modules/ai/dist/"))
	})
}
