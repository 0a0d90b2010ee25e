package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/strictjson"
)

// ArgumentBytes is the largest size of the arguments of a call.
const ArgumentBytes = 64 << 10

var argumentLimits = strictjson.Limits{Depth: 64, Values: ArgumentBytes, Exact: true}

// fieldArguments is the name of the field that Check refuses.
const fieldArguments = "arguments"

// Check reports whether the arguments may be approved and carried out: they must be one JSON object
// that every JSON reader reads in the same way, and that fits the schema. An error is a
// *fault.Error with a sentence that tells a model what to do.
func (t *Tool) Check(arguments string) error {
	if len(arguments) > ArgumentBytes {
		return t.misfit("%d bytes, want at most %d", len(arguments), ArgumentBytes)
	}
	if err := strictjson.Check(arguments, argumentLimits); err != nil {
		return t.misfit("%v", err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(arguments))
	if err != nil {
		return t.misfit("not JSON")
	}
	if _, isObject := value.(map[string]any); !isObject {
		return t.misfit("want one JSON object, such as {\"name\": \"value\"}")
	}
	if !affordable(t.schema.Schema, value) {
		return t.misfit("a check against the schema takes too long; want fewer or shorter values")
	}
	var misfit *jsonschema.ValidationError
	if err := t.schema.Validate(value); errors.As(err, &misfit) {
		return t.misfit("%s", sentence(misfit))
	} else if err != nil {
		return t.misfit("they do not fit the schema")
	}
	return nil
}

func (t *Tool) misfit(format string, args ...any) *fault.Error {
	return fault.Invalid(fieldArguments, "The arguments of "+t.Name+" cannot be used: "+format, args...)
}

// compact removes the white space between the values of a JSON text.
func compact(text []byte) ([]byte, error) {
	var short bytes.Buffer
	err := json.Compact(&short, text)
	return short.Bytes(), err
}
