//go:build js && wasm

package bridge

import (
	"errors"

	"github.com/hack-pad/safejs"
)

// typeOf is the type of a value. safejs panics on a BigInt, which is none of the
// types that anything here takes.
func typeOf(v safejs.Value) (t safejs.Type) {
	defer func() {
		if recover() != nil {
			t = safejs.TypeSymbol
		}
	}()
	return v.Type()
}

// fromJSString reads a text. safejs alone gives "<undefined>" and the like for
// what is none.
func fromJSString(v safejs.Value) (string, error) {
	if t := typeOf(v); t != safejs.TypeString {
		return "", errors.New("bridge: got a value of type " + t.String() + ", want a string")
	}
	return v.String()
}
