package runtimes_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// neighbours are what a project may have beside the package, and what its hook
// says there.
var neighbours = []struct{ name, packages, react string }{
	{"nothing", `{}`, "ERR_MODULE_NOT_FOUND"},
	{"ai 5", `{"ai": "5.0.277"}`, "ERR_MODULE_NOT_FOUND"},
	{"ai 6", `{"ai": "6.0.324"}`, "ERR_MODULE_NOT_FOUND"},
	{"ai 7", `{"ai": "7.0.173"}`, "ERR_MODULE_NOT_FOUND"},
	{"a prerelease of ai", `{"ai": "7.0.0-beta.5"}`, "ERR_MODULE_NOT_FOUND"},
	{"React 16", `{"react": "16.14.0"}`, "chatsdk/react needs React 18 or later; this is 16.14.0"},
	{"React 17", `{"react": "17.0.2"}`, "chatsdk/react needs React 18 or later; this is 17.0.2"},
	{"React 18", `{"react": "18.3.1"}`, "function"},
	{"React 19", `{"react": "19.3.1"}`, "function"},
	{"a prerelease of React", `{"react": "19.2.0-canary-86181134-20251001"}`, "function"},
}

// npm installs the package beside each, and what does not need the neighbour works.
func TestNpmInstallsItBesideAnyVersion(t *testing.T) {
	t.Parallel()
	for _, tt := range neighbours {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			folder := installBeside(t, tt.packages)
			const program = `
				const { ChatSDK } = await import("chatsdk");
				const { ChatSDKTransport } = await import("chatsdk/ai-sdk");
				const said = await import("chatsdk/react").then(({ useChat }) => typeof useChat, ({ code, message }) => code ?? message);
				console.log(JSON.stringify([ChatSDK.name, typeof ChatSDKTransport, said]));`
			require.Equal(t, []string{"ChatSDK", "function", tt.react}, said(t, folder, "--input-type=module", "-e", program))
		})
	}
}

// The hook, bundled with an older React, says the same.
func TestABundleSaysWhichReactIsNeeded(t *testing.T) {
	t.Parallel()
	folder := installBeside(t, `{"react": "17.0.2"}`)
	main := filepath.Join(folder, "main.mjs")
	require.NoError(t, os.WriteFile(main, []byte(`import { useChat } from "chatsdk/react"; console.log(JSON.stringify([typeof useChat]));`), 0o600))
	bundle := filepath.Join(folder, "bundle.mjs")
	command := exec.CommandContext(t.Context(), "go", "tool", "esbuild", main, "--bundle", "--format=esm", "--log-level=warning", "--outfile="+bundle)
	command.Dir = suite.Root
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Empty(t, string(output), "no warning")
	const program = `console.log(JSON.stringify([await import("./bundle.mjs").then(() => "", ({ message }) => message)]));`
	require.Equal(t, []string{"chatsdk/react needs React 18 or later; this is 17.0.2"}, said(t, folder, "--input-type=module", "-e", program))
}

// installBeside does what a user does in a project that has those packages.
func installBeside(t *testing.T, packages string) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"private": true, "dependencies": `+packages+`}`), 0o600))
	command := exec.CommandContext(t.Context(), "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", suite.File(".build/chatsdk.tgz"))
	command.Dir = folder
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return folder
}

// said are the texts that a program in Node prints.
func said(t *testing.T, folder string, args ...string) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "node", args...)
	command.Dir = folder
	output, err := command.Output()
	require.NoError(t, err)
	var texts []string
	require.NoError(t, json.Unmarshal(output, &texts), "%s", output)
	return texts
}
