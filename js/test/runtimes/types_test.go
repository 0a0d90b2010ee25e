package runtimes_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a user's compiler sees of the package: the oldest that works and the newest,
// with the types of a page and with only those of Node. The declarations themselves
// are checked too.
func TestTypes(t *testing.T) {
	t.Parallel()
	compilers := map[string]string{
		"TypeScript 5.0": tool(t, "typescript-5.0/lib/tsc.js"),
		"TypeScript 7":   suite.File("node_modules/typescript/bin/tsc"),
	}
	for name, compiler := range compilers {
		for _, resolution := range []string{"nodenext", "bundler"} {
			t.Run(name+" "+resolution+" page", func(t *testing.T) { compile(t, compiler, resolution, []string{"es2022", "dom", "dom.iterable"}, nil) })
			t.Run(name+" "+resolution+" server", func(t *testing.T) { compile(t, compiler, resolution, []string{"es2022"}, []string{"node"}) })
		}
	}
}

func compile(t *testing.T, compiler, resolution string, lib, types []string) {
	t.Helper()
	module := map[string]string{"nodenext": "nodenext", "bundler": "esnext"}[resolution]
	config, err := json.Marshal(map[string]any{
		"files": []string{filepath.Join(installed, "runtimes", "consumer.mts")},
		"compilerOptions": map[string]any{
			"strict": true, "exactOptionalPropertyTypes": true, "noUncheckedIndexedAccess": true, "skipLibCheck": false, "noEmit": true,
			"target": "es2022", "module": module, "moduleResolution": resolution,
			"lib": lib, "types": append([]string{}, types...), "typeRoots": []string{suite.File("node_modules/@types")},
		},
	})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "tsconfig.json")
	require.NoError(t, os.WriteFile(file, config, 0o600))
	output, err := exec.CommandContext(t.Context(), "node", compiler, "-p", file).CombinedOutput()
	require.NoError(t, err, "%s", output)
}
