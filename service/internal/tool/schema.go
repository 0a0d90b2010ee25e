package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/strictjson"
)

const (
	schemaBytes  = 64 << 10
	schemaDepth  = 64
	schemaValues = 4000

	draft2020 = "https://json-schema.org/draft/2020-12/schema"
	// schemaAddress is the base address of schemas. Nothing is ever fetched.
	schemaAddress = "https://chatsdk.invalid/parameters"
)

// olderDrafts are drafts that MCP servers may also name: most servers in TypeScript use
// zod-to-json-schema, which says draft-07, and operators of this service cannot change their
// servers.
var olderDrafts = []string{"https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-07/schema"}

// author says who wrote a definition.
type author int

const (
	// operator is for what AGENTS defines.
	operator author = iota
	// stranger is for what a page sends or a server lists: its patterns have bounds of their own.
	stranger
)

// canonical returns parameters without white space. They may come from anybody who can send a
// message, so their size is bounded.
func canonical(parameters wire.JSON) (wire.JSON, error) {
	switch {
	case len(parameters) == 0:
		return nil, errors.New(`missing; want a JSON Schema such as {"type": "object"}`)
	case len(parameters) > schemaBytes:
		return nil, fmt.Errorf("%d bytes, want at most %d", len(parameters), schemaBytes)
	}
	if err := strictjson.Check(string(parameters), strictjson.Limits{Depth: schemaDepth, Values: schemaValues}); err != nil {
		return nil, err
	}
	return compact(parameters)
}

// compiled is a schema that is ready to check arguments.
type compiled struct {
	*jsonschema.Schema
	// unchecked says why a pattern is not checked, empty if all are.
	unchecked string
	// checked is the schema without those patterns, nil if there are none.
	checked wire.JSON
}

// compile makes a schema of canonical parameters. The cost is bounded. A stranger's patterns that RE2 does not know or that
// are over their bounds are not checked.
func compile(parameters wire.JSON, kind string, by author) (compiled, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(parameters))
	if err != nil {
		return compiled{}, err
	}
	if err := checkRoot(document, kind); err != nil {
		return compiled{}, err
	}
	if err := checkReferences(document); err != nil {
		return compiled{}, err
	}
	one := compiled{}
	if by == stranger {
		looser, err := jsonschema.UnmarshalJSON(bytes.NewReader(parameters))
		if err != nil {
			return compiled{}, err
		}
		if one.unchecked = loosen(looser); one.unchecked != "" {
			document = looser
			if one.checked, err = plainJSON(looser); err != nil {
				return compiled{}, err
			}
		}
	}
	one.Schema, err = compileDocument(document, by)
	return one, err
}

// plainJSON is a value as JSON, whose "<" stays.
func plainJSON(value any) (wire.JSON, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(text.Bytes()), err
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

func compileDocument(document any, by author) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(nowhere{})
	patterns := &patterns{by: by, known: map[string]pattern{}}
	defer patterns.done()
	compiler.UseRegexpEngine(patterns.compile)
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
		return nil, fmt.Errorf("not a JSON Schema: %s", fault.Shorten(strings.ReplaceAll(err.Error(), schemaAddress, ""), 200))
	}
	return schema, nil
}

// nowhere is a loader that loads nothing.
type nowhere struct{}

// Load implements jsonschema.URLLoader.
func (nowhere) Load(string) (any, error) { return nil, errors.New("nothing is fetched") }
