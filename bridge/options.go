//go:build js && wasm

package bridge

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/valyala/fastjson"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// options reads the arguments of a call, which come as one JSON object.
// Absent and null are read alike. It keeps the first thing that is wrong, for
// finish to give.
type options struct {
	operation string
	object    *fastjson.Value
	known     []string
	err       error
}

func newOptions(operation, text string) (*options, error) {
	object, err := fastjson.Parse(text)
	if err != nil || object.Type() != fastjson.TypeObject {
		return nil, fmt.Errorf("bridge: the arguments of %s are no JSON object", operation)
	}
	return &options{operation: operation, object: object}, nil
}

// wrong keeps the first fault.
func (o *options) wrong(field, problem string) {
	if o.err == nil {
		o.err = &sdk.ArgumentError{Operation: o.operation, Field: field, Problem: problem}
	}
}

// get gives the value of a field, nil where it is absent, null, or of another
// type than wanted, which is then wrong.
func (o *options) get(field, want string, types ...fastjson.Type) *fastjson.Value {
	o.known = append(o.known, field)
	v := o.object.Get(field)
	if v == nil || v.Type() == fastjson.TypeNull {
		return nil
	}
	if !slices.Contains(types, v.Type()) {
		o.wrong(field, "is "+article(v.Type())+", want "+want)
		return nil
	}
	return v
}

func article(t fastjson.Type) string {
	switch t {
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return "a boolean"
	case fastjson.TypeArray:
		return "an array"
	case fastjson.TypeObject:
		return "an object"
	}
	return "a " + t.String()
}

func (o *options) text(field string) string {
	return string(o.get(field, "a string", fastjson.TypeString).GetStringBytes())
}

// id is a text that may be left out but not empty.
func (o *options) id(field string) string {
	v := o.get(field, "a string", fastjson.TypeString)
	if v != nil && len(v.GetStringBytes()) == 0 {
		o.wrong(field, "is empty")
	}
	return string(v.GetStringBytes())
}

func (o *options) flag(field string) *bool {
	v := o.get(field, "a boolean", fastjson.TypeTrue, fastjson.TypeFalse)
	if v == nil {
		return nil
	}
	value := v.Type() == fastjson.TypeTrue
	return &value
}

func (o *options) isSet(field string) bool {
	value := o.flag(field)
	return value != nil && *value
}

// whole is a whole number other than 0, which in Go means unset.
func (o *options) whole(field, want string) int64 {
	v := o.get(field, "a number", fastjson.TypeNumber)
	if v == nil {
		return 0
	}
	number := v.GetFloat64()
	if number == 0 || number != math.Trunc(number) || math.Abs(number) >= 1<<53 {
		o.wrong(field, "is "+strconv.FormatFloat(number, 'f', -1, 64)+", want "+want)
		return 0
	}
	return int64(number)
}

func (o *options) texts(field string) []string {
	v := o.get(field, "an array of strings", fastjson.TypeArray)
	if v == nil {
		return nil
	}
	list := []string{}
	for _, item := range v.GetArray() {
		if item.Type() != fastjson.TypeString {
			o.wrong(field, "holds "+article(item.Type())+", want strings")
		}
		list = append(list, string(item.GetStringBytes()))
	}
	return list
}

func (o *options) metadata(field string) map[string]any {
	v := o.get(field, "an object", fastjson.TypeObject)
	if v == nil {
		return nil
	}
	return fromJSON(v).(map[string]any)
}

// fromJSON makes what sdk takes as metadata. Numbers stay as they are written.
func fromJSON(v *fastjson.Value) any {
	switch v.Type() {
	case fastjson.TypeString:
		return string(v.GetStringBytes())
	case fastjson.TypeArray:
		list := []any{}
		for _, item := range v.GetArray() {
			list = append(list, fromJSON(item))
		}
		return list
	case fastjson.TypeObject:
		values := map[string]any{}
		v.GetObject().Visit(func(name []byte, item *fastjson.Value) { values[string(name)] = fromJSON(item) })
		return values
	}
	return wire.JSON(v.MarshalTo(nil))
}

// finish gives what was wrong, an unknown field included.
func (o *options) finish() error {
	o.object.GetObject().Visit(func(name []byte, _ *fastjson.Value) {
		if field := string(name); !slices.Contains(o.known, field) {
			o.wrong(field, "is unknown; did you mean "+nearest(field, o.known)+"?")
		}
	})
	return o.err
}
