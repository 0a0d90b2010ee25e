package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/strictjson"
)

// maxDepth is how deep a JSON text may nest. What is stored is sent again later, to readers that
// have their own limits.
const maxDepth = 100

// object is a JSON object with its values as raw text.
type object map[string]json.RawMessage

// parseObject reads exactly one object.
func parseObject(text []byte) (object, error) {
	if !utf8.Valid(text) {
		return nil, invalid("The body is not valid UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, invalid("The body is not a JSON object")
	}
	fields := object{}
	for decoder.More() {
		if err := fields.next(decoder); err != nil {
			return nil, err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return nil, invalid("The body is not valid JSON, or was cut short")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, invalid("The body continues after its JSON object")
	}
	return fields, nil
}

// next reads a name and its value.
func (o object) next(decoder *json.Decoder) error {
	token, err := decoder.Token()
	name, ok := token.(string)
	if err != nil || !ok {
		return invalid("The body is not valid JSON, or was cut short")
	}
	if _, twice := o[name]; twice {
		return invalidField(name, "occurs twice in the body")
	}
	var value json.RawMessage
	if err := decoder.Decode(&value); err != nil {
		return invalidField(name, "is not valid JSON, or was cut short")
	}
	if err := checkText(value); err != nil && (err == errTooDeep || !slices.Contains(anyText, name)) {
		return invalidField(name, err.Error())
	}
	o[name] = value
	return nil
}

// anyText are fields of tools, which may hold any text: there, half of a surrogate pair becomes
// U+FFFD.
var anyText = []string{"result", "error", "reason"}

// invalidField names the wrong field, unless its name is too long to repeat.
func invalidField(name, problem string) error {
	if len(name) > 64 {
		return invalid("A field of the body " + problem)
	}
	return invalid(name+" "+problem, name)
}

var errTooDeep = fmt.Errorf("nests deeper than %d levels", maxDepth)

// checkText refuses text that is valid JSON but could not be stored and returned everywhere.
func checkText(value []byte) error {
	err := strictjson.Storable(value, maxDepth)
	if err == strictjson.ErrTooDeep {
		return errTooDeep
	}
	return err
}
