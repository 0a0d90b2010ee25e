//go:build js && wasm

package bridge

import (
	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// row makes a call from the table of operations.
func (c *call) row(m *sdk.Call) (wire.JSON, error) {
	var values []string
	for _, field := range m.Arguments {
		kind := m.Kind(field)
		if field == "arguments" && c.object.Get(field).Kind() == jsontext.Object {
			kind = jsontext.Object // a page may pass an object; its JSON text is used
		}
		value := c.get(field, kind)
		text := string(value)
		switch {
		case text == `""` && !sdk.MayBeEmpty(field):
			c.wrong(field, "is empty")
		case text == "" && field == "newName":
			c.wrong(field, "is missing, want a string")
		case text == "" && field == "feedback":
			c.wrong(field, "is missing, want true or false")
		}
		if kind == jsontext.String {
			text = value.Text()
		}
		values = append(values, text)
	}
	if m.Keyed {
		values = append(values, c.id("idempotencyKey"))
	}
	if err := c.finish(); err != nil {
		return nil, err
	}
	c.out.passes = m.Passes()
	return c.client.CallJSON(c.ctx, m, values...)
}
