package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/strictjson"
)

const (
	// fieldDefinition is the name of the field that PageDigest refuses: the field of a claim.
	fieldDefinition = "definition"

	// pageDepth and pageValues bound what a page sends: a schema in an entry in an object.
	pageDepth  = schemaDepth + 2
	pageValues = 32_000
)

// PageDigest returns the digest of a page's entry, a wire.PageTool without other fields, and compiles
// nothing. An error is a *fault.Error with the field definition.
func PageDigest(name string, definition wire.JSON) (string, error) {
	d, err := pageDefinition(name, definition)
	if err != nil {
		return "", inField(fieldDefinition, err)
	}
	return d.Digest(), nil
}

// entryOf returns the definition with this name that a page offered.
func entryOf(pageTools wire.JSON, name string) (wire.JSON, error) {
	entries, err := readEntries(pageTools)
	if err != nil {
		return nil, err
	}
	for _, one := range entries {
		if one.name == name {
			return one.definition, nil
		}
	}
	return nil, fmt.Errorf("the page offered no tool %q", name)
}

// pageDefinition reads an entry. The result is canonical.
func pageDefinition(name string, definition wire.JSON) (Definition, error) {
	d := Definition{Kind: wire.ToolPage, Name: name}
	if !names.MatchString(name) {
		return d, d.check()
	}
	if err := strictjson.Check(string(definition), strictjson.Limits{Depth: pageDepth, Values: pageValues}); err != nil {
		return d, d.invalid("the definition", "%v", err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(definition, &members); err != nil || members == nil {
		return d, d.invalid("the definition", "want an object such as {\"description\": \"…\", \"parameters\": {\"type\": \"object\"}}")
	}
	seconds := 0.0
	known := map[string]any{
		"description": &d.Description, "parameters": &d.Parameters, "approval": &d.Approval, "idempotent": &d.Idempotent, "timeout": &seconds,
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		into, ok := known[member]
		if !ok {
			return d, d.invalid("the definition", "%q is unknown, want %s", fault.Shorten(member, 64), strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if err := json.Unmarshal(members[member], into); err != nil {
			return d, d.invalid(member, "%s", wanted(into))
		}
	}
	if seconds < 0 || seconds > MaxTimeout.Seconds() {
		return d, d.invalid("timeout", "%v seconds, want more than 0 and at most %v", seconds, MaxTimeout.Seconds())
	}
	d.Timeout = time.Duration(seconds * float64(time.Second))
	return d.canonical()
}

func wanted(into any) string {
	switch into.(type) {
	case *string:
		return "want a string"
	case *bool:
		return "want true or false"
	case *float64:
		return "want a number of seconds"
	}
	return "want a JSON Schema"
}

// entry is an entry of page_tools.
type entry struct {
	name       string
	definition wire.JSON
}

// readEntries reads page_tools, an object, and keeps its order.
func readEntries(pageTools wire.JSON) ([]entry, error) {
	if err := strictjson.Check(string(pageTools), strictjson.Limits{Depth: pageDepth, Values: pageValues}); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(pageTools))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("want an object of definitions by name")
	}
	var all []entry
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var definition json.RawMessage
		if err := decoder.Decode(&definition); err != nil {
			return nil, err
		}
		all = append(all, entry{fmt.Sprint(name), wire.JSON(definition)})
	}
	return all, nil
}

// inField adds the field of the request to a refusal.
func inField(field string, err error) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		return fault.Invalid(field, "%s: %v", field, err)
	}
	named := *refusal
	named.Fields = []string{field}
	return &named
}
