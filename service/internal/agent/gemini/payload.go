package gemini

import (
	"maps"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// payload puts the contents first. The files of their images are read while they are sent.
func (b body) payload(prompt answering.Prompt, refused []string) (upstream.Payload, error) {
	all := upstream.Payload{Files: prompt.Files}
	more := maps.Clone(prompt.Parameters.Body)
	delete(more, "contents")
	head, err := upstream.Merge(b, more, refused...)
	if err != nil {
		return all, err
	}
	write := func(text string) { _, _ = all.Write([]byte(text)) }
	write(`{"contents":[`)
	for i, one := range b.contents(prompt) {
		if i > 0 {
			write(",")
		}
		write(`{"role":"` + one.role + `","parts":[`)
		for i, one := range one.parts {
			if i > 0 {
				write(",")
			}
			if one.image == nil {
				_, _ = all.Write(one.json)
				continue
			}
			write(`{"inlineData":{"mimeType":"` + one.image.MediaType + `","data":"`)
			all.WriteImage(*one.image)
			write(`"}}`)
		}
		write("]}")
	}
	write("]," + string(head[1:]))
	return all, nil
}
