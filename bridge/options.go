//go:build js && wasm

package bridge

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// options reads the arguments of a call from one JSON object. Null counts as absent. It keeps the
// first error; finish returns it.
type options struct {
	operation string
	object    jsontext.Value
	known     []string
	err       error
}

func newOptions(operation string, text []byte) (*options, error) {
	object, err := jsontext.Parse(text)
	if err != nil || object.Kind() != jsontext.Object {
		return nil, errors.New("bridge: the arguments of " + operation + " are not a JSON object")
	}
	return &options{operation: operation, object: object}, nil
}

// wrong keeps the first error.
func (o *options) wrong(field, problem string) {
	if o.err == nil {
		o.err = &sdk.ArgumentError{Operation: o.operation, Field: field, Problem: problem}
	}
}

// get returns the value of a field, or the absent value if the field is absent or null. For a field of
// another kind it also returns the absent value, and keeps an error.
func (o *options) get(field string, want jsontext.Kind) jsontext.Value {
	o.known = append(o.known, field)
	v := o.object.Get(field)
	if !v.Exists() {
		return nil
	}
	if v.Kind() != want {
		o.wrong(field, "is "+v.Kind().String()+", want "+want.String())
		return nil
	}
	return v
}

func (o *options) text(field string) string { return o.get(field, jsontext.String).Text() }

// id is a text that may be left out but not empty.
func (o *options) id(field string) string {
	v := o.get(field, jsontext.String)
	if string(v) == `""` {
		o.wrong(field, "is empty")
	}
	return v.Text()
}

func (o *options) flag(field string) *bool {
	v := o.get(field, jsontext.Bool)
	if v == nil {
		return nil
	}
	value := v.True()
	return &value
}

// isFunction reports whether a field is a function of the page, which arrives as true.
func (o *options) isFunction(field string) bool {
	o.known = append(o.known, field)
	return o.object.Get(field).True()
}

func (o *options) isSet(field string) bool { return o.get(field, jsontext.Bool).True() }

// count returns a whole number, 0 or more, and whether it is set.
func (o *options) count(field string) (int64, bool) {
	v := o.get(field, jsontext.Number)
	number := v.Int()
	if v != nil && (number < 0 || strconv.FormatInt(number, 10) != string(v)) {
		o.wrong(field, "is "+string(v)+", want a whole number of at least 0")
	}
	return number, v != nil
}

// orNone returns a count as Config has it: -1 if the page set it to 0, and 0 if it is unset.
func (o *options) orNone(field string) int64 {
	number, set := o.count(field)
	if set && number == 0 {
		return -1
	}
	return number
}

// milliseconds returns a time of at least one millisecond, or 0 if it is unset.
func (o *options) milliseconds(field string) time.Duration {
	number, set := o.count(field)
	if set && number == 0 {
		o.wrong(field, "is 0, want milliseconds")
	}
	return time.Duration(min(number, 1<<31)) * time.Millisecond
}

func (o *options) texts(field string) []string {
	v := o.get(field, jsontext.Array)
	if v == nil {
		return nil
	}
	v.Elements(func(item jsontext.Value) {
		if item.Kind() != jsontext.String {
			o.wrong(field, "must hold only strings")
		}
	})
	return append([]string{}, v.Texts()...)
}

func (o *options) metadata() wire.JSON { return wire.JSON(o.get("metadata", jsontext.Object)) }

// finish returns the first error. An unknown field is an error too. Inlining finish into each operation
// would add 2.4 KB to the page's download.
//
//go:noinline
func (o *options) finish() error {
	o.object.Members(func(field string, _ jsontext.Value) {
		if !slices.Contains(o.known, field) {
			o.wrong(field, "is unknown"+suggestion(field, o.known))
		}
	})
	return o.err
}
