package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/strictjson"
)

// maxDepth is how deep a JSON text may nest. What is stored is sent again later, to readers that
// have their own limits.
const maxDepth = 100

// readJSON reads a JSON body into request, a pointer to a struct of package wire. The required
// fields must be present. Field names match exactly, unknown fields are ignored, and null means
// absent. A field whose name ends in _id must not be empty.
func (c *exchange) readJSON(request any, required ...string) error {
	object, err := c.readObject()
	if err != nil {
		return err
	}
	return object.fill(request, required)
}

// readKeyed is readJSON for a request that may have an idempotency key.
func (c *exchange) readKeyed(request any, required ...string) (once.Request, error) {
	key, err := c.key()
	if err != nil {
		return once.Request{}, err
	}
	object, err := c.readObject()
	if err != nil {
		return once.Request{}, err
	}
	if err := object.fill(request, required); err != nil {
		return once.Request{}, err
	}
	return c.keyedJSON(key, object)
}

func (c *exchange) readObject() (object, error) {
	return c.readObjectUpTo(c.api.config.Limits.JSONBytes)
}

func (c *exchange) readObjectUpTo(limit int64) (object, error) {
	if _, err := c.wants("application/json"); err != nil {
		return nil, err
	}
	if limit > 0 && c.r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body := c.openBody(limit)
	text, err := body.keep(body)
	if err != nil {
		return nil, bodyError(err)
	}
	c.closeBody()
	return parseObject(text)
}

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

// fill sets the fields of request, and reports all that are wrong in one error.
func (o object) fill(request any, required []string) error {
	var wrong, reasons []string
	target := reflect.ValueOf(request).Elem()
	for i := range target.NumField() {
		name, _, _ := strings.Cut(target.Type().Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue // the field has no name on the wire
		}
		value := o[name]
		if len(value) == 0 || string(value) == "null" {
			if slices.Contains(required, name) {
				wrong, reasons = append(wrong, name), append(reasons, name+" is missing")
			}
			continue
		}
		if want := set(target.Field(i), value); want != "" {
			wrong, reasons = append(wrong, name), append(reasons, name+" must be "+want)
		} else if strings.HasSuffix(name, "_id") && target.Field(i).IsZero() {
			wrong, reasons = append(wrong, name), append(reasons, name+" is empty")
		}
	}
	if wrong != nil {
		return invalid(strings.Join(reasons, "; "), wrong...)
	}
	return nil
}

// set sets a field to its value, or returns what the value must be.
func set(field reflect.Value, value []byte) (want string) {
	switch target := field.Addr().Interface().(type) {
	case *wire.JSON:
		if value[0] != '{' {
			return "a JSON object"
		}
		*target = bytes.Clone(value)
	case *[]string:
		var ok bool
		if *target, ok = texts(value); !ok {
			return "a list of strings"
		}
	case *[]wire.Resource:
		var ok bool
		if *target, ok = resources(value); !ok {
			return "a list of objects with a key"
		}
	case *string:
		if json.Unmarshal(value, target) != nil {
			return "a string"
		}
	case **string:
		if json.Unmarshal(value, target) != nil {
			return "a string"
		}
	case *bool:
		if json.Unmarshal(value, target) != nil {
			return "true or false"
		}
	case **int, **int64:
		if json.Unmarshal(value, target) != nil {
			return "a whole number"
		}
	case **bool:
		if json.Unmarshal(value, target) != nil {
			return "true or false"
		}
	default:
		panic(fmt.Sprintf("httpapi: no request has a field of type %T", target))
	}
	return ""
}

// resources reads a list of objects that each have a key.
func resources(value []byte) ([]wire.Resource, bool) {
	var items []map[string]any
	if json.Unmarshal(value, &items) != nil {
		return nil, false
	}
	list := make([]wire.Resource, len(items))
	for i, item := range items {
		key, ok := item["key"].(string)
		if !ok {
			return nil, false
		}
		list[i].Key = key
	}
	return list, true
}

// texts reads a list of strings. It refuses null items, which encoding/json would read as empty
// strings.
func texts(value []byte) ([]string, bool) {
	var items []*string
	if json.Unmarshal(value, &items) != nil || slices.Contains(items, nil) {
		return nil, false
	}
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = *item
	}
	return list, true
}
