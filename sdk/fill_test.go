package sdk_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// filler sets every field to a different value.
type filler struct{ count int }

func (f *filler) fill(v reflect.Value) {
	f.count++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("urn:field:%d", f.count)) // an absolute address, which the client keeps in image_urls
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.count))
	case reflect.Float64:
		v.SetFloat(float64(f.count) + 0.25)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		f.fillSlice(v)
	case reflect.Map:
		f.fillMap(v)
	case reflect.Struct:
		for _, field := range onTheWire(v) {
			f.fill(field)
		}
	default:
		panic("fill: " + v.Type().String())
	}
}

func (f *filler) fillSlice(v reflect.Value) {
	if v.Type() == reflect.TypeFor[wire.JSON]() {
		v.SetBytes(fmt.Appendf(nil, `{"n":%d}`, f.count))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), 2, 2))
	for i := range v.Len() {
		f.fill(v.Index(i))
	}
}

// fillMap makes two entries of a map by text.
func (f *filler) fillMap(v reflect.Value) {
	v.Set(reflect.MakeMap(v.Type()))
	for range 2 {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		f.fill(value)
		v.SetMapIndex(key, value)
	}
}

// onTheWire are the fields of a struct except Raw.
func onTheWire(v reflect.Value) []reflect.Value {
	var fields []reflect.Value
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("json") != "-" {
			fields = append(fields, v.Field(i))
		}
	}
	return fields
}

func filled[T any]() T {
	var value T
	new(filler).fill(reflect.ValueOf(&value).Elem())
	return value
}

func marshal(t testing.TB, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return text
}

// takeRaw compares each Raw inside v with the JSON of its struct, and empties it.
func takeRaw(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			takeRaw(t, v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			takeRaw(t, v.MapIndex(key))
		}
	case reflect.Struct:
		if raw := v.FieldByName("Raw"); raw.IsValid() {
			requireSameJSON(t, marshal(t, v.Interface()), raw.Bytes())
			raw.SetZero()
		}
		for _, field := range onTheWire(v) {
			takeRaw(t, field)
		}
	}
}
