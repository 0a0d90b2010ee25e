// Package column keeps values in columns of text, as JSON. Both Stores use it.
package column

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Value goes into a column and comes out of it.
type Value interface {
	driver.Valuer
	sql.Scanner
}

// List keeps a slice in a column as a JSON array, and a nil one as NULL.
func List[T any](items *[]T) Value { return list[T]{items} }

type list[T any] struct{ items *[]T }

// Value implements driver.Valuer.
func (l list[T]) Value() (driver.Value, error) {
	if *l.items == nil {
		return nil, nil
	}
	array, err := json.Marshal(*l.items)
	return string(array), err
}

// Scan implements sql.Scanner.
func (l list[T]) Scan(stored any) error {
	*l.items = nil
	return scan("a list", stored, l.items)
}

// Object keeps what a pointer points to in a column as JSON, and nil as NULL.
func Object[T any](to **T) Value { return object[T]{to} }

type object[T any] struct{ to **T }

// Value implements driver.Valuer.
func (o object[T]) Value() (driver.Value, error) {
	if *o.to == nil {
		return nil, nil
	}
	text, err := json.Marshal(*o.to)
	return string(text), err
}

// Scan implements sql.Scanner.
func (o object[T]) Scan(stored any) error {
	*o.to = nil
	return scan("an object", stored, o.to)
}

func scan(what string, stored, to any) error {
	switch stored := stored.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(stored), to)
	case []byte:
		return json.Unmarshal(stored, to)
	}
	return fmt.Errorf("%s is stored as %T, want text", what, stored)
}

// Text keeps a JSON text byte for byte, and none as NULL.
func Text(object wire.JSON) any {
	if len(object) == 0 {
		return nil
	}
	return string(object)
}
