package sqlite

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
