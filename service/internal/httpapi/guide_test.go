package httpapi_test

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// source is the project's folder.
const source = "../../.."

// row is a row of docs/errors.md: a code and, if the service sends it, its status.
var row = regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|(?: ([0-9]{3})(?:, or 0)? \\|)?")

// docs/errors.md has every code once, with the status that the service sends it with, and no other code.
func TestTheGuideHasEveryCode(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(source, "docs/errors.md"))
	require.NoError(t, err)
	var codes []string
	for _, match := range row.FindAllStringSubmatch(string(page), -1) {
		code, status := match[1], match[2]
		codes = append(codes, code)
		if body := httpapi.BodyOf(&fault.Error{Code: code, Message: "No"}, nil); status != "" {
			require.Equal(t, []string{code, status}, []string{body.Error.Code, strconv.Itoa(body.StatusCode)})
		} else {
			require.NotEqual(t, code, body.Error.Code, "the service sends it: its status is missing")
		}
	}
	require.ElementsMatch(t, codesOfWire(t), codes)
	for _, code := range codesOfPages(t) {
		require.Contains(t, codes, code, "js/src makes it")
	}
}

// codesOfWire are the values of the Code constants in sdk/wire.
func codesOfWire(t *testing.T) (codes []string) {
	t.Helper()
	file, err := parser.ParseFile(gotoken.NewFileSet(), filepath.Join(source, "sdk/wire/errors.go"), nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(node ast.Node) bool {
		if value, ok := node.(*ast.ValueSpec); ok && strings.HasPrefix(value.Names[0].Name, "Code") {
			code, err := strconv.Unquote(value.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			codes = append(codes, code)
		}
		return true
	})
	require.NotEmpty(t, codes)
	return codes
}

// codesOfPages are the codes that the JavaScript package itself makes.
func codesOfPages(t *testing.T) (codes []string) {
	t.Helper()
	for _, pattern := range []string{"js/src/*.ts", "js/src/*/*.ts"} {
		files, err := filepath.Glob(filepath.Join(source, pattern))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, match := range regexp.MustCompile(`code: "([A-Z_]+)"`).FindAllStringSubmatch(string(text), -1) {
				codes = append(codes, match[1])
			}
		}
	}
	require.NotEmpty(t, codes)
	return slices.Compact(slices.Sorted(slices.Values(codes)))
}
