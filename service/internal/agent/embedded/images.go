package embedded

import (
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// showImages adds what can be told of the images that came with a question.
func (r *reply) showImages(images []chat.Image) {
	if len(images) > 0 {
		r.instead("You sent " + described(images) + ". What can be seen there takes a model.")
	}
}

// instead adds a text to an answer, and puts it in the place of one that says
// that there is none.
func (r *reply) instead(text string) {
	switch {
	case r.text == notSaid || r.text == noModel || r.text == identity: // "what is this?" asks who speaks where nothing else is there
		r.text, r.looked, r.offer = "", false, false
	default:
		r.text += "\n\n"
	}
	r.text += text
}

// described is "a PNG image of 640 × 480 and a GIF image of 8 × 8".
func described(images []chat.Image) string {
	var all []string
	for _, image := range images {
		all = append(all, fmt.Sprintf("a %s image of %d × %d", image.Kind(), image.Width, image.Height))
	}
	return enumerated(all)
}

// enumerated is "a", "a and b" or "a, b and c".
func enumerated(all []string) string {
	last := len(all) - 1
	if last == 0 {
		return all[0]
	}
	return strings.Join(all[:last], ", ") + " and " + all[last]
}
