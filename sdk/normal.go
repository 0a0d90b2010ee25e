package sdk

import (
	"strings"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// normal returns a message in the form that pages and programs expect, whichever server it came from:
// an object with its text in "content", and absolute image_urls. A message that already has this form
// is returned as it is.
func (c *Client) normal(message jsontext.Value) jsontext.Value {
	if message.Kind() == jsontext.String {
		var o body
		o.string("role", wire.RoleAssistant)
		o.raw("content", message)
		return o.bytes()
	}
	if response := message.Get("response"); response.Kind() == jsontext.String && message.Get("content").Kind() != jsontext.String {
		message = with(message, "content", response)
	}
	return c.absolute(message)
}

// normalField does this for the message in a field of an object.
func (c *Client) normalField(object jsontext.Value, name string) jsontext.Value {
	message := object.Get(name)
	if !message.Exists() {
		return object
	}
	if whole := c.normal(message); !same(whole, message) {
		return with(object, name, whole)
	}
	return object
}

// with returns an object with that member, in its old place or at the end.
func with(object jsontext.Value, name string, value jsontext.Value) jsontext.Value {
	var o body
	found := false
	object.Members(func(member string, old jsontext.Value) {
		if member == name {
			found, old = true, value
		}
		o.raw(member, old)
	})
	if !found {
		o.raw(name, value)
	}
	return o.bytes()
}

// absolute makes the image_urls of an object absolute. The service sends them relative to its base
// address.
func (c *Client) absolute(object jsontext.Value) jsontext.Value {
	return each(object, "image_urls", func(item jsontext.Value) jsontext.Value {
		address := item.Text()
		if whole := c.resolve(address); whole != address {
			return AppendString(nil, whole)
		}
		return item
	})
}

// each maps the elements of an array in an object. If none changes, it returns the object as it is.
func each(object jsontext.Value, name string, change func(jsontext.Value) jsontext.Value) jsontext.Value {
	array, changed := object.Get(name), false
	array.Elements(func(item jsontext.Value) { changed = changed || !same(item, change(item)) })
	if !changed {
		return object
	}
	list := []byte{'['}
	array.Elements(func(item jsontext.Value) {
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, change(item)...)
	})
	return with(object, name, append(list, ']'))
}

// same reports whether two values are the same piece of memory.
func same(a, b jsontext.Value) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func (c *Client) resolve(address string) string {
	scheme, _, found := strings.Cut(address, ":")
	if address == "" || strings.HasPrefix(address, "//") || found && !strings.ContainsAny(scheme, "/?#") {
		return address
	}
	return c.base + "/" + strings.TrimPrefix(address, "/")
}
