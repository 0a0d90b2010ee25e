package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// jsonOf encodes a YAML value as JSON, and keeps the order of members.
func jsonOf(value any) (wire.JSON, error) {
	switch value := value.(type) {
	case nil:
		return nil, nil
	case yaml.MapSlice:
		return joined('{', '}', value, func(member yaml.MapItem) (wire.JSON, error) {
			inner, err := orNull(member.Value)
			if err != nil {
				return nil, err
			}
			quoted, err := scalar(fmt.Sprint(member.Key))
			return slices.Concat(quoted, wire.JSON(":"), inner), err
		})
	case []any:
		return joined('[', ']', value, orNull)
	}
	return scalar(value)
}

func orNull(value any) (wire.JSON, error) {
	if value == nil {
		return wire.JSON("null"), nil
	}
	return jsonOf(value)
}

func joined[T any](open, end byte, all []T, each func(T) (wire.JSON, error)) (wire.JSON, error) {
	text := wire.JSON{open}
	for i, one := range all {
		if i > 0 {
			text = append(text, ',')
		}
		inner, err := each(one)
		if err != nil {
			return nil, err
		}
		text = append(text, inner...)
	}
	return append(text, end), nil
}

// scalar encodes a string, a number, true or false.
func scalar(value any) (wire.JSON, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("%v cannot be written as JSON", value)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}
