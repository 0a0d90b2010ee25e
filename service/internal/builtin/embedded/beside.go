package embedded

import (
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// showImages adds a description of the images in a question.
func (r *reply) showImages(images []images.Image) {
	var all []string
	for _, image := range images {
		all = append(all, fmt.Sprintf("a %s image of %d × %d", image.Kind(), image.Width, image.Height))
	}
	if len(all) > 0 {
		r.instead("You sent " + enumerated(all) + ". Describing images takes a model.")
	}
}

// shownResults is how many results of a search are shown.
const shownResults = 3

// showResults adds the results of a web search, which this agent cannot judge.
func (r *reply) showResults(results []answering.Result) {
	if len(results) == 0 || r.greets {
		return
	}
	text := "A web search found this, which nobody has checked:"
	for i, result := range results[:min(len(results), shownResults)] {
		text += fmt.Sprintf("\n%d. “%s” (%s, %s)", i+1, shortened(result.Snippet, listedRunes), result.Title, result.URL)
	}
	r.instead(text)
}

// instead adds a text to an answer, or replaces an answer that says "I don't know". "What is
// this?" is a question about the agent only if it can mean nothing else.
func (r *reply) instead(text string) {
	if r.text == notSaid || r.text == noModel || r.text == identity {
		*r = reply{text: text}
		return
	}
	r.text += "\n\n" + text
}

// enumerated returns "a", "a and b" or "a, b and c".
func enumerated(all []string) string {
	last := len(all) - 1
	if last == 0 {
		return all[0]
	}
	return strings.Join(all[:last], ", ") + " and " + all[last]
}
