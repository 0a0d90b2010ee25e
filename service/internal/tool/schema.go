package tool

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

const (
	schemaBytes  = 64 << 10
	schemaDepth  = 64
	schemaValues = 4000
	// patternSize is how many steps the patterns of a schema may have together. a{1000} has a
	// thousand.
	patternSize = 10_000

	draft2020 = "https://json-schema.org/draft/2020-12/schema"
	// schemaAddress is the base address of schemas. Nothing is ever fetched.
	schemaAddress = "https://chatsdk.invalid/parameters"
)

// olderDrafts are drafts that MCP servers may also name: most servers in TypeScript use
// zod-to-json-schema, which says draft-07, and operators of this service cannot change their
// servers.
var olderDrafts = []string{"https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-07/schema"}

// compile checks parameters and returns them without white space. They may come from anybody who
// can send a message, so their cost is bounded.
func compile(parameters wire.JSON, kind string) (wire.JSON, *jsonschema.Schema, error) {
	switch {
	case len(parameters) == 0:
		return nil, nil, errors.New(`missing; want a JSON Schema such as {"type": "object"}`)
	case len(parameters) > schemaBytes:
		return nil, nil, fmt.Errorf("%d bytes, want at most %d", len(parameters), schemaBytes)
	}
	if err := readStrictly(string(parameters), limits{depth: schemaDepth, values: schemaValues}); err != nil {
		return nil, nil, err
	}
	parameters, err := compact(parameters)
	if err != nil {
		return nil, nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(parameters))
	if err != nil {
		return nil, nil, err
	}
	if err := checkRoot(document, kind); err != nil {
		return nil, nil, err
	}
	if err := checkReferences(document); err != nil {
		return nil, nil, err
	}
	schema, err := compileDocument(document)
	return parameters, schema, err
}

func checkRoot(document any, kind string) error {
	root, ok := document.(map[string]any)
	if !ok || root["type"] != "object" {
		return errors.New(`want a JSON Schema with "type": "object"`)
	}
	named, given := root["$schema"]
	if !given {
		return nil
	}
	known := []string{draft2020}
	if kind == wire.ToolMCP {
		known = append(known, olderDrafts...)
	}
	draft, _ := named.(string)
	for _, one := range known {
		if strings.TrimSuffix(draft, "#") == one {
			return nil
		}
	}
	return fmt.Errorf("$schema is not supported, want %s or none", draft2020)
}

// checkReferences refuses references out of the document, and references whose target depends on
// the path to them, which affordable could not follow.
func checkReferences(value any) error {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			if err := checkReferences(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, keyword := range []string{"$dynamicRef", "$recursiveRef"} {
			if _, isText := value[keyword].(string); isText {
				return fmt.Errorf("%s is not supported, want $ref", keyword)
			}
		}
		if to, isText := value["$ref"].(string); isText && !strings.HasPrefix(to, "#") {
			return errors.New("a $ref leads outside of the schema; want one that begins with #")
		}
		for _, item := range value {
			if err := checkReferences(item); err != nil {
				return err
			}
		}
	}
	return nil
}

func compileDocument(document any) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(nowhere{})
	compiler.UseRegexpEngine(new(patterns).compile)
	if err := compiler.AddResource(schemaAddress, document); err != nil {
		return nil, errors.New("not a JSON Schema")
	}
	schema, err := compiler.Compile(schemaAddress)
	var invalid *jsonschema.SchemaValidationError
	var misfit *jsonschema.ValidationError
	switch {
	case errors.As(err, &invalid) && errors.As(invalid.Err, &misfit):
		return nil, fmt.Errorf("not a JSON Schema: %s", sentence(misfit))
	case err != nil:
		return nil, fmt.Errorf("not a JSON Schema: %s", cutCharacters(strings.ReplaceAll(err.Error(), schemaAddress, ""), 200))
	}
	return schema, nil
}

// nowhere is a loader that loads nothing.
type nowhere struct{}

// Load implements jsonschema.URLLoader.
func (nowhere) Load(string) (any, error) { return nil, errors.New("nothing is fetched") }

// patterns compiles the patterns of one schema. RE2 itself does not limit how many copies of a
// pattern its repetitions make.
type patterns struct{ size int }

// pattern is a compiled pattern with the number of its steps.
type pattern struct {
	*regexp.Regexp
	size int
}

func (p *patterns) compile(text string) (jsonschema.Regexp, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, errors.New("it is not a regular expression that RE2 accepts")
	}
	size := steps(parsed)
	// Each pattern is compiled twice: once to check the schema, once for use.
	if p.size += size; p.size > 2*patternSize {
		return nil, fmt.Errorf("the patterns have more than %d steps together, want fewer repetitions", patternSize)
	}
	compiled, err := regexp.Compile(text)
	return pattern{compiled, size}, err
}

// steps returns about how many steps a pattern has when its repetitions are expanded, at most one
// more than allowed.
func steps(re *syntax.Regexp) int {
	sum := 1 + len(re.Rune)/8
	for _, part := range re.Sub {
		sum += steps(part)
	}
	if re.Op == syntax.OpLiteral {
		sum = len(re.Rune)
	}
	if re.Op == syntax.OpRepeat {
		sum *= max(re.Min, re.Max, 1)
	}
	return min(sum, 2*patternSize+1)
}
