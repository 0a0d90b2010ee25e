package postgres

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// list keeps a slice in a column as a JSON array, and a nil one as NULL.
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
func (l list[T]) Scan(column any) error {
	switch column := column.(type) {
	case nil:
		*l.items = nil
		return nil
	case string:
		return json.Unmarshal([]byte(column), l.items)
	case []byte:
		return json.Unmarshal(column, l.items)
	}
	return fmt.Errorf("a list is stored as %T, want text", column)
}

// text keeps a JSON text byte for byte, and none as NULL.
func text(object wire.JSON) any {
	if len(object) == 0 {
		return nil
	}
	return string(object)
}

// object keeps what a pointer points to in a column as JSON, and nil as NULL.
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
func (o object[T]) Scan(column any) error {
	*o.to = nil
	switch column := column.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(column), o.to)
	case []byte:
		return json.Unmarshal(column, o.to)
	}
	return fmt.Errorf("an object is stored as %T, want text", column)
}
