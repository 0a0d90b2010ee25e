//go:build !js

package sdk_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// make test runs the packages in the Makefile's PURE without the race detector: it makes them ten times
// slower and cannot find anything in them. The tests of packages with goroutines still run them with
// the detector.
func TestPurePackagesShareNothingBetweenGoroutines(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	lines := regexp.MustCompile(`(?m)^PURE := ((?:.*\\\n)*.*)$`).FindSubmatch(makefile)
	require.NotNil(t, lines)
	listed := strings.Fields(strings.ReplaceAll(string(lines[1]), "\\\n", " "))
	require.NotEmpty(t, listed)
	for _, name := range strings.Fields(string(goList(t, "linux", "amd64", append([]string{"-deps", "-test"}, listed...)...))) {
		if folder, ours := strings.CutPrefix(name, module); ours && !strings.ContainsAny(folder, "._") {
			requirePure(t, filepath.Join("..", folder))
		}
	}
}

// requirePure checks the code and the tests of a folder.
func requirePure(t *testing.T, folder string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	places := token.NewFileSet()
	parts := map[string][]*ast.File{} // the package and its external tests
	for _, name := range names {
		file, err := parser.ParseFile(places, name, nil, 0)
		require.NoError(t, err)
		parts[file.Name.Name] = append(parts[file.Name.Name], file)
	}
	for name, files := range parts {
		// Imports are not resolved: only the package's own declarations count.
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: noImports{}, Error: func(error) {}}
		declared, _ := config.Check(name, places, files, info)
		for _, file := range files {
			ast.Inspect(file, func(node ast.Node) bool {
				if what := sharing(node, declared, info); what != "" {
					t.Errorf("%s: %s; see PURE in the Makefile", places.Position(node.Pos()), what)
				}
				return !isInit(node)
			})
		}
	}
}

func isInit(node ast.Node) bool {
	function, ok := node.(*ast.FuncDecl)
	return ok && function.Name.Name == "init" && function.Recv == nil
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not resolved") }

// sharing says how a node may share something between goroutines: it starts one, imports sync, or
// changes a variable of the package.
func sharing(node ast.Node, declared *types.Package, info *types.Info) string {
	switch node := node.(type) {
	case *ast.GoStmt:
		return "a goroutine starts"
	case *ast.ImportSpec:
		if path := strings.Trim(node.Path.Value, `"`); path == "sync" || path == "sync/atomic" {
			return "it imports " + path
		}
	case *ast.AssignStmt:
		for _, target := range node.Lhs {
			if name := changed(target, declared, info); name != "" {
				return "the variable " + name + " of the package changes"
			}
		}
	case *ast.IncDecStmt:
		if name := changed(node.X, declared, info); name != "" {
			return "the variable " + name + " of the package changes"
		}
	}
	return ""
}

// changed returns the name of the package's variable that an assignment changes, as a whole or in part.
func changed(target ast.Expr, declared *types.Package, info *types.Info) string {
	switch target := target.(type) {
	case *ast.Ident:
		if variable, ok := info.Uses[target].(*types.Var); ok && variable.Parent() == declared.Scope() {
			return target.Name
		}
	case *ast.IndexExpr:
		return changed(target.X, declared, info)
	case *ast.SelectorExpr:
		return changed(target.X, declared, info)
	case *ast.StarExpr:
		return changed(target.X, declared, info)
	case *ast.ParenExpr:
		return changed(target.X, declared, info)
	}
	return ""
}
