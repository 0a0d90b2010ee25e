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
	if t := typeOf(v); t != safejs.TypeString {
		return "", errors.New("bridge: got a value of type " + t.String() + ", want a string")
	}
	return v.String()
}
