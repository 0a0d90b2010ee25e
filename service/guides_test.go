package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// guide is the text of a page of docs/.
func guide(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../docs", name))
	require.NoError(t, err)
	return string(text)
}

// docs/deploying.md lists every setting.
func TestTheGuideHasEverySetting(t *testing.T) {
	t.Parallel()
	code, help, _ := output(t, t.TempDir(), nil, "-h")
	require.Zero(t, code)
	page := guide(t, "deploying.md")
	variables := regexp.MustCompile(`(?m)(?:^  |; )([A-Z][A-Z_]+)$`).FindAllStringSubmatch(help, -1)
	require.Greater(t, len(variables), 40)
	for _, variable := range variables {
		require.True(t, strings.Contains(page, "`"+variable[1]+"`"), "docs/deploying.md lacks %s", variable[1])
	}
}

// firstYAML is the first block of YAML behind a heading.
func firstYAML(t *testing.T, page, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(page, heading)
	require.True(t, found, heading)
	_, text, found = strings.Cut(text, "```yaml\n")
	require.True(t, found, heading)
	text, _, _ = strings.Cut(text, "```\n")
	return text
}

// The service accepts the file of providers in docs/deploying.md.
func TestTheProvidersOfTheGuide(t *testing.T) {
	t.Parallel()
	text := firstYAML(t, guide(t, "deploying.md"), "\n#### Several providers\n")
	p := startIn(t, writeFiles(t, map[string]string{"providers.yaml": text}), env{"PROVIDERS": "providers.yaml", "OPENAI_API_KEY": "key"})
	require.Contains(t, string(p.do("GET", "/project/demo/agents", nil, "").body), `"models":["openai/gpt-5-mini"]`)
	p.stop()
}

// The service accepts the file of agents in docs/deploying.md.
func TestTheAgentsOfTheGuide(t *testing.T) {
	t.Parallel()
	text := firstYAML(t, guide(t, "deploying.md"), "\n### Agents\n")
	file := filepath.Join(writeAgents(t, text), "agents.yaml")
	p := start(t, env{"AGENTS": file, "OPENAI_BASE_URL": "http://127.0.0.1:1", "OPENAI_API_KEY": "key"})
	require.Contains(t, string(p.do("GET", "/project/demo/agents", nil, "").body), `"clerk"`)
	require.Contains(t, string(p.do("GET", "/agents/clerk/memory-settings", nil, "").body), `"memory_enabled":true`)
	p.stop()
}

// The units of docs/deploying.md are as systemd wants them, and one process has a folder that it may write.
func TestTheUnitsOfTheGuide(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	blocks := regexp.MustCompile("(?s)```ini\n# /etc/systemd/system/(\\S+\\.service)\n(.*?)```").FindAllStringSubmatch(guide(t, "deploying.md"), -1)
	require.Len(t, blocks, 2)
	folder, units := t.TempDir(), []string{"verify"}
	for _, block := range blocks {
		unit := strings.ReplaceAll(block[2], "/usr/local/bin/chatsdk-service", binary)
		require.NotEqual(t, block[2], unit)
		file := filepath.Join(folder, block[1])
		require.NoError(t, os.WriteFile(file, []byte(unit), 0o600))
		units = append(units, file)
	}
	said, err := exec.CommandContext(t.Context(), analyze, units...).CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Empty(t, string(said))
	require.Contains(t, blocks[0][2], "DATA=/var/lib/chatsdk\n")
	require.Contains(t, blocks[0][2], "StateDirectory=chatsdk\n")
}
