//go:build js && wasm

package bridge_test

import (
	"errors"
	"syscall/js"
	"testing"

	"github.com/hack-pad/safejs"
	"github.com/stretchr/testify/require"
)

// bridge/safejs differs from the original in how exceptions and panics of syscall/js become errors.
func TestExceptionsBecomeErrors(t *testing.T) {
	function := func(body string) safejs.Value {
		made, err := safejs.MustGetGlobal("Function").New(body)
		require.NoError(t, err)
		return made
	}
	invoked := func(body string) error {
		_, err := function(body).Invoke()
		return err
	}

	t.Run("a thrown Error, with its message and its value", func(t *testing.T) {
		err := invoked(`throw new RangeError("too far")`)
		require.EqualError(t, err, "JavaScript error: too far")
		thrown, ok := errors.AsType[js.Error](err)
		require.True(t, ok)
		require.Equal(t, "RangeError", thrown.Get("name").String())
	})

	t.Run("a thrown value that is not an Error", func(t *testing.T) {
		err := invoked(`throw { code: 7 }`)
		thrown, ok := errors.AsType[js.Error](err)
		require.True(t, ok)
		require.Equal(t, 7, thrown.Get("code").Int())
	})

	t.Run("a value of the wrong type", func(t *testing.T) {
		_, err := function("").Int()
		_, ok := errors.AsType[*js.ValueError](err)
		require.True(t, ok)
	})

	t.Run("a Go value that JavaScript cannot have", func(t *testing.T) {
		_, err := safejs.ValueOf(struct{}{})
		require.EqualError(t, err, "ValueOf: invalid value")
	})

	t.Run("a class that is not a class", func(t *testing.T) {
		_, err := safejs.Null().InstanceOf(safejs.Null())
		require.EqualError(t, err, "invalid type for instanceof: null")
		arrow, err := function("return () => {}").Invoke()
		require.NoError(t, err)
		_, err = safejs.Null().InstanceOf(arrow)
		require.EqualError(t, err, "invalid constructor type for instanceof: undefined")
	})

	t.Run("a missing global", func(t *testing.T) {
		require.PanicsWithError(t, `global "no such \"thing\"" is not defined`, func() { safejs.MustGetGlobal(`no such "thing"`) })
	})
}
