package openai

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// drawn is an image of a model, as OpenRouter sends it: a data URL.
type drawn struct {
	Image struct {
		URL string `json:"url"`
	} `json:"image_url"`
}

// draw yields the images of a delta, each once: some servers repeat them at the end.
func (c *call) draw(list json.RawMessage, yield func(answering.Piece, error) bool) error {
	if len(list) == 0 || string(list) == "null" {
		return nil
	}
	var all []drawn
	if json.Unmarshal(list, &all) != nil {
		c.Miss("images that cannot be read")
		return nil
	}
	for _, one := range all {
		_, encoded, _ := strings.Cut(one.Image.URL, ";base64,")
		content, err := base64.StdEncoding.DecodeString(encoded)
		files, wrong := images.Read([][]byte{content})
		if err != nil || wrong != nil {
			c.Miss("an image that cannot be read")
			continue
		}
		sum := sha256.Sum256(content)
		if c.drew[sum] || len(c.drew) == images.MaxOfAnswer {
			continue
		}
		c.drew[sum], c.spoke = true, true
		c.goesOn()
		if !yield(answering.Piece{Image: &files[0]}, nil) {
			return errLeft
		}
	}
	return nil
}
