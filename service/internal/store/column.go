package store

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

// JSON keeps a slice, or what a pointer points to, in a column as JSON, and nil as NULL.
func JSON[T any](to *T) Value { return value[T]{to} }

type value[T any] struct{ to *T }

// Value implements driver.Valuer.
func (v value[T]) Value() (driver.Value, error) {
	text, err := json.Marshal(*v.to)
	if err != nil || string(text) == "null" {
		return nil, err
	}
	return string(text), nil
}

// Scan implements sql.Scanner.
func (v value[T]) Scan(stored any) error {
	*v.to = *new(T)
	switch stored := stored.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(stored), v.to)
	case []byte:
		return json.Unmarshal(stored, v.to)
	}
	return fmt.Errorf("a %T is stored as %T, want text", *v.to, stored)
}

// Text keeps a JSON text byte for byte, and none as NULL.
func Text(object wire.JSON) any {
	if len(object) == 0 {
		return nil
	}
	return string(object)
}
