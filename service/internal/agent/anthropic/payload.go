package anthropic

import (
	"encoding/json"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// payload puts the messages last, since the files of their images are read while it is sent.
func (b body) payload(prompt answering.Prompt, refused []string) (upstream.Payload, error) {
	all := upstream.Payload{Files: prompt.Files}
	head, err := upstream.Merge(b, prompt.Parameters.Body, refused...)
	if err != nil {
		return all, err
	}
	write := func(text string) { _, _ = all.Write([]byte(text)) }
	write(string(head[:len(head)-1]) + `,"messages":[`)
	for i, m := range b.messages {
		if i > 0 {
			write(",")
		}
		write(`{"role":"` + m.role + `","content":[`)
		for i, one := range m.parts {
			if i > 0 {
				write(",")
			}
			if err := one.write(&all); err != nil {
				return all, err
			}
		}
		write("]}")
	}
	write("]}")
	return all, nil
}

func (p part) write(all *upstream.Payload) error {
	if p.image != nil {
		_, _ = all.Write([]byte(`{"type":"image","source":{"type":"base64","media_type":"` + p.image.MediaType + `","data":"`))
		all.WriteImage(*p.image)
		end := `"}}`
		if p.CacheControl != nil {
			end = `"},"cache_control":{"type":"ephemeral"}}`
		}
		_, _ = all.Write([]byte(end))
		return nil
	}
	written := []byte(p.returned)
	if written == nil {
		var err error
		if written, err = json.Marshal(p); err != nil {
			return err
		}
	}
	_, _ = all.Write(written)
	return nil
}
