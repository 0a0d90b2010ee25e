package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits of a file. The parser has none, and its memory and time grow with the square of the
// nesting and of the tokens.
const (
	yamlBytes  = 1 << 20
	yamlDepth  = 32
	yamlTokens = 20_000
	// yamlNodes is how many values the file may have, including all that its aliases stand for.
	yamlNodes = 20_000
)

// readYAML reads the file of a setting. An error is one line that names the setting, the file, and
// the position in it.
func readYAML[F any](setting, path string) (file F, text yamlText, err error) {
	text.name = fmt.Sprintf("%s: %s", setting, path)
	content, err := readAtMost(path, yamlBytes)
	if err != nil {
		return file, text, fmt.Errorf("%s: %w", setting, err)
	}
	if text.file, err = checkYAML(string(content)); err != nil {
		return file, text, fmt.Errorf("%s: %w", text.name, err)
	}
	if err := yaml.UnmarshalWithOptions(content, &file, yaml.Strict(), yaml.UseOrderedMap()); err != nil {
		return file, text, fmt.Errorf("%s: %s", text.name, yaml.FormatError(err, false, false))
	}
	return file, text, nil
}

// yamlText is the syntax tree of a file, with its setting and its name.
type yamlText struct {
	name string
	file *ast.File
}

// misplaced is an error with the position that it is about, such as tools[1].url.
type misplaced struct {
	path string
	err  error
}

// below puts the position of the value around it in front.
func (m *misplaced) below(path string) *misplaced {
	if m != nil {
		m.path = strings.TrimSuffix(path+"."+m.path, ".")
	}
	return m
}

// wrong returns an error about the item of a list, such as agents[1], which is called what in it.
func (t yamlText) wrong(item, what string, wrong *misplaced) error {
	return fmt.Errorf("%s: %s%s: %w", t.name, t.position(item, wrong.path), what, wrong.err)
}

// position returns the position of a part of an item, such as tools[1].url, as the beginning of an
// error; empty if the file doesn't have the part.
func (t yamlText) position(item, path string) string {
	for path != "" {
		at, err := yaml.PathString(fmt.Sprintf("$.%s.%s", item, path))
		if err != nil {
			return ""
		}
		if node, err := at.FilterFile(t.file); err == nil && node != nil {
			return position(beginning(node)) + " "
		}
		// A missing value is reported at the position of the value around it.
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return ""
}

// beginning returns the first token of a value.
func beginning(node ast.Node) *token.Token {
	switch node := node.(type) {
	case *ast.MappingNode:
		if len(node.Values) > 0 {
			return node.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return node.Key.GetToken()
	}
	return node.GetToken()
}

func readAtMost(path string, limit int) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if len(content) > limit {
		err = fmt.Errorf("%s has more than %d bytes, want a shorter file", path, limit)
	}
	return content, err
}

// checkYAML refuses a text that the parser or the decoder would need too much time or memory for.
func checkYAML(text string) (*ast.File, error) {
	var open nesting
	for i, one := range lexer.Tokenize(text) {
		if open.read(one); open.depth() > yamlDepth {
			return nil, fmt.Errorf("%s nests deeper than %d levels", position(one), yamlDepth)
		}
		if i == yamlTokens {
			return nil, fmt.Errorf("%s the file has more than %d words and signs, want a shorter one", position(one), yamlTokens)
		}
	}
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return nil, errors.New(yaml.FormatError(err, false, false))
	}
	count := expansion{anchors: map[string]ast.Node{}}
	for _, doc := range file.Docs {
		ast.Walk(&count, doc)
	}
	if count.nodes > yamlNodes {
		return nil, fmt.Errorf("%s the aliases stand for more than %d values, want fewer", position(count.alias.GetToken()), yamlNodes)
	}
	return file, nil
}

func position(at *token.Token) string {
	return fmt.Sprintf("[%d:%d]", at.Position.Line, at.Position.Column)
}

// nesting counts the lists and mappings that are open at a token: brackets, and outside of them
// the columns of dashes and question marks, several of which may be in one line. Other mappings
// need a line for each level.
type nesting struct {
	brackets int
	columns  []int
}

func (n *nesting) depth() int { return n.brackets + len(n.columns) }

func (n *nesting) read(one *token.Token) {
	switch one.Type {
	case token.SequenceStartType, token.MappingStartType:
		n.brackets++
	case token.SequenceEndType, token.MappingEndType:
		n.brackets = max(0, n.brackets-1)
	case token.SequenceEntryType, token.MappingKeyType:
		for len(n.columns) > 0 && n.columns[len(n.columns)-1] >= one.Position.Column {
			n.columns = n.columns[:len(n.columns)-1]
		}
		n.columns = append(n.columns, one.Position.Column)
	}
}

// expansion counts the values of a file as the decoder creates them: an alias counts as much as
// its anchor holds. It stops counting beyond yamlNodes.
type expansion struct {
	anchors map[string]ast.Node
	nodes   int
	// alias is the last alias that was read.
	alias ast.Node
}

// Visit counts a value and what is in it.
func (e *expansion) Visit(node ast.Node) ast.Visitor {
	if e.nodes > yamlNodes {
		return nil
	}
	e.nodes++
	switch node := node.(type) {
	case *ast.AnchorNode:
		e.anchors[node.Name.String()] = node.Value
	case *ast.AliasNode:
		e.alias = node
		if value := e.anchors[node.Value.String()]; value != nil {
			ast.Walk(e, value)
		}
	}
	return e
}
