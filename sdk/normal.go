package sdk

import (
	"strings"

	"github.com/valyala/fastjson"
)

// normal makes a message what pages and programs expect, whichever server it
// came from: an object whose text is "content", with absolute image_urls. It
// gives the message and whether it had to change anything.
func (c *Client) normal(arena *fastjson.Arena, message *fastjson.Value) (*fastjson.Value, bool) {
	if message.Type() == fastjson.TypeString {
		object := arena.NewObject()
		object.Set("role", arena.NewString("assistant"))
		object.Set("content", message)
		return object, true
	}
	changed := c.absolute(arena, message)
	if message.Type() != fastjson.TypeObject || filled(message.Get("content")) || !filled(message.Get("response")) {
		return message, changed
	}
	message.Set("content", message.Get("response"))
	return message, true
}

func filled(v *fastjson.Value) bool { return v != nil && v.Type() == fastjson.TypeString }

// absolute makes the image_urls of an object absolute: the service gives them
// relative to its base address.
func (c *Client) absolute(arena *fastjson.Arena, object *fastjson.Value) bool {
	changed := false
	for i, item := range object.GetArray("image_urls") {
		address := string(item.GetStringBytes())
		if whole := c.resolve(address); whole != address {
			object.Get("image_urls").SetArrayItem(i, arena.NewString(whole))
			changed = true
		}
	}
	return changed
}

func (c *Client) resolve(address string) string {
	scheme, _, found := strings.Cut(address, ":")
	if address == "" || strings.HasPrefix(address, "//") || found && !strings.ContainsAny(scheme, "/?#") {
		return address
	}
	return c.base + "/" + strings.TrimPrefix(address, "/")
}

// normalField does the same for the message in a field of an answer.
func (c *Client) normalField(arena *fastjson.Arena, object *fastjson.Value, name string) bool {
	message := object.Get(name)
	if message == nil {
		return false
	}
	whole, changed := c.normal(arena, message)
	if whole != message {
		object.Set(name, whole)
	}
	return changed
}

// normalMessages does the same for the messages of a history.
func (c *Client) normalMessages(arena *fastjson.Arena, history *fastjson.Value) bool {
	any := false
	for i, message := range history.GetArray("messages") {
		whole, changed := c.normal(arena, message)
		if whole != message {
			history.Get("messages").SetArrayItem(i, whole)
		}
		any = any || changed
	}
	return any
}
