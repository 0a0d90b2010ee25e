package store_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bodies are the functions and methods of a package, by name.
func bodies(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declared := range file.Decls {
			if one, ok := declared.(*ast.FuncDecl); ok {
				var body bytes.Buffer
				require.NoError(t, format.Node(&body, set, one.Body))
				all[one.Name.Name] = body.String()
			}
		}
	}
	return all
}

// What both Stores do in the same way is in package store.
func TestNothingIsWrittenTwice(t *testing.T) {
	t.Parallel()
	sqlite, postgres := bodies(t, "sqlite"), bodies(t, "postgres")
	for name, body := range sqlite {
		if strings.Count(body, "\n") > 2 { // more than one line
			require.NotEqual(t, body, postgres[name], "sqlite and postgres have the same %s: write it once, in package store", name)
		}
	}
}
