package httpapi_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

const protocolPage = "../../../docs/protocol.md"

// section returns the lines of docs/protocol.md below a heading, up to the next heading.
func section(t *testing.T, heading string) []string {
	t.Helper()
	text, err := os.ReadFile(protocolPage)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	begin := slices.IndexFunc(lines, func(line string) bool {
		return strings.TrimLeft(line, "# ") == heading && strings.HasPrefix(line, "##")
	})
	require.GreaterOrEqual(t, begin, 0, "docs/protocol.md has no heading %q", heading)
	lines = lines[begin+1:]
	if end := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "#") }); end >= 0 {
		lines = lines[:end]
	}
	return lines
}

// table returns the rows of the table below a heading whose first column has that name.
func table(t *testing.T, heading, column string) (rows [][]string) {
	t.Helper()
	inside := false
	for _, line := range section(t, heading) {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && strings.Trim(line, "| -") != "":
			rows = append(rows, cells)
		case cells[0] == column:
			inside = true
		}
	}
	require.NotEmpty(t, rows, "docs/protocol.md has no table of %q below %q", column, heading)
	return rows
}

var codeSpans = regexp.MustCompile("`([^`]+)`")

// spans returns the texts of code spans.
func spans(texts ...string) (all []string) {
	text := strings.ReplaceAll(strings.Join(texts, " "), "```", "")
	for _, match := range codeSpans.FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

// firstCells returns the code spans of the first column.
func firstCells(rows [][]string) (all []string) {
	for _, row := range rows {
		all = append(all, spans(row[0])...)
	}
	return all
}

// node is a mapping of openapi.yaml.
type node = map[string]any

// description is openapi.yaml with unresolved references.
func description(t *testing.T) node {
	t.Helper()
	text, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	var doc node
	require.NoError(t, yaml.Unmarshal(text, &doc))
	return doc
}

// in returns the value at a path, or nil.
func in(value any, path ...string) any {
	for _, name := range path {
		mapping, _ := value.(node)
		value = mapping[name]
	}
	return value
}

// at follows the reference of a mapping.
func at(doc node, value any) node {
	for {
		mapping, _ := value.(node)
		reference, refers := mapping["$ref"].(string)
		if !refers {
			return mapping
		}
		value = in(doc, strings.Split(strings.TrimPrefix(reference, "#/"), "/")...)
	}
}

// fields returns the names of the properties of a schema, with a ? after those that may be absent.
func fields(doc node, schema any) (names []string) {
	resolved := at(doc, schema)
	required, _ := resolved["required"].([]any)
	properties, _ := resolved["properties"].(node)
	for name := range properties {
		names = append(names, marked(name, slices.Contains(required, any(name))))
	}
	return names
}

func marked(name string, required bool) string {
	if required {
		return name
	}
	return name + "?"
}

// bare returns names without their marks, each once.
func bare(names ...string) (all []string) {
	for _, name := range names {
		all = append(all, strings.TrimSuffix(name, "?"))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// described is an operation of openapi.yaml.
type described struct {
	method, path, id string
	node             node
}

func operations(doc node) (all []described) {
	for path, item := range doc["paths"].(node) {
		for method, operation := range item.(node) {
			one := operation.(node)
			all = append(all, described{strings.ToUpper(method), path, one["operationId"].(string), one})
		}
	}
	return all
}
