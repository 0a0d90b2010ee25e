package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/agent/router"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/config"
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

// secretsOf are the environment variables that a file names.
func secretsOf(text string) env {
	secrets := env{}
	for _, found := range regexp.MustCompile(`(?:key_env|\{env): (\w+)`).FindAllStringSubmatch(text, -1) {
		secrets[found[1]] = "secret"
	}
	return secrets
}

// The service accepts each file of providers and of agents in docs/models.md.
func TestTheModelsOfTheGuide(t *testing.T) {
	t.Parallel()
	page := guide(t, "models.md")
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```\n").FindAllStringSubmatch(page, -1)
	require.GreaterOrEqual(t, len(blocks), 10, "a file of all settings, one of agents, and eight examples or more")
	for _, block := range blocks {
		text := block[1]
		if strings.HasPrefix(text, "agents:") {
			continue
		}
		s := &config.Settings{ProvidersFile: filepath.Join(writeFiles(t, map[string]string{"providers.yaml": text}), "providers.yaml")}
		providers, err := config.ReadProviders(s, secretsOf(text).lookup)
		require.NoError(t, err, text)
		for _, p := range providers.All {
			opened, err := router.Open(p.Kind, upstream.Config{BaseURL: p.URL, APIKey: p.Key, Headers: p.Headers, Query: p.Query})
			require.NoError(t, err, text)
			opened.Close()
		}
	}
	files := map[string]string{
		"providers.yaml": firstYAML(t, page, "\n## The file of providers\n"),
		"agents.yaml":    firstYAML(t, page, "\n## Agents and their models\n"),
	}
	p := startIn(t, writeFiles(t, files), secretsOf(files["providers.yaml"]).with(env{"PROVIDERS": "providers.yaml", "AGENTS": "agents.yaml"}))
	require.Contains(t, string(p.do("GET", "/project/demo/agents", nil, "").body), `"models":["openai/gpt-5-mini","openai/small"]`)
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
