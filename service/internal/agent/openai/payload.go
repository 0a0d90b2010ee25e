package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
)

// payload puts the messages first. The content of a message is a string, which every
// server accepts, or an array if there are images.
func (c completion) payload() (upstream.Payload, error) {
	all := upstream.Payload{Files: c.Files}
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&all, format, args...) }
	say(`{"messages":[`)
	for i, m := range c.turns() {
		if i > 0 {
			say(",")
		}
		if len(m.Images) == 0 {
			written, err := m.plain(c.Refused)
			if err != nil {
				return all, err
			}
			say("%s", written)
			continue
		}
		say(`{"role":%q,"content":[`, m.Role)
		comma := ""
		if strings.TrimSpace(m.Text) != "" { // providers refuse a blank one
			written, err := json.Marshal(m.Text)
			if err != nil {
				return all, err
			}
			say(`{"type":"text","text":%s}`, written)
			comma = ","
		}
		for _, image := range m.Images {
			say("%s", comma)
			comma = ","
			say(`{"type":"image_url","image_url":{"url":"data:%s;base64,`, image.MediaType)
			all.WriteImage(image)
			say(`"}}`)
		}
		say("]}")
	}
	members, err := c.head()
	if err != nil {
		return all, err
	}
	head, err := json.Marshal(members)
	if err != nil {
		return all, err
	}
	say("]")
	if len(head) > len("{}") {
		say(",")
	}
	say("%s", head[1:])
	return all, nil
}

// plain returns the JSON of a message without images, and without the members that are refused.
func (m message) plain(refused []string) ([]byte, error) {
	switch {
	case len(m.Calls) > 0:
		return m.withCalls(refused)
	case m.Role == "tool":
		return m.outcome()
	}
	return json.Marshal(struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{m.Role, m.Text})
}
