package bridge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryFileHasItsBuildTag also makes this package visible to native go test ./..., which skips
// packages whose files all have build tags.
func TestEveryFileHasItsBuildTag(t *testing.T) {
	for _, pattern := range []string{"*.go", "../wasm/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			if filepath.Base(file) == "tags_test.go" {
				continue
			}
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(source), "//go:build js && wasm"), "%s lacks its build tag", file)
		}
	}
}
