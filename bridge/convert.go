//go:build js && wasm

package bridge

import (
	"errors"

	"github.com/hack-pad/safejs"
)

// typeOf returns the type of a value. safejs panics on a BigInt, a type that nothing here accepts.
func typeOf(v safejs.Value) (t safejs.Type) {
	defer func() {
		if recover() != nil {
			t = safejs.TypeSymbol
		}
	}()
	return v.Type()
}

// fromJSString reads a string, and refuses other types. For those, safejs would return texts such as
// "<undefined>".
func fromJSString(v safejs.Value) (string, error) {
	if typeOf(v) != safejs.TypeString {
		return "", errors.New("bridge: got a value of type " + typeName(v) + ", want a string")
	}
	return v.String()
}

// typeName is the name of a value's type in an error.
func typeName(v safejs.Value) (name string) {
	defer func() {
		if recover() != nil {
			name = "bigint"
		}
	}()
	return v.Type().String()
}
