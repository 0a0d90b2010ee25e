package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

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
