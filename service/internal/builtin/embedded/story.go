package embedded

import (
	_ "embed"
	"strings"
)

// story is the only one that the agent knows. It is here so that people can stop, resume and reload an
// answer without a model.
//
//go:embed story.txt
var story string

// slowness is how many times longer than Agent.Pace the pause before each word of the story is: it takes
// about a minute in the demo.
const slowness = 6

const oneStory = "I know one story, and tell it slowly: reload the page meanwhile, or stop me."

// tells answers "Tell me a long story", and tells only its beginning if a short one is asked for.
func tells(q question) (reply, bool) {
	asks := q.order || q.has("can could would will want like love") || q.asks == ""
	known := q.has("story stories tale tales") && q.has("a an any another one some long short slow") && q.has("tell read write give make create hear")
	if !asks || !known || q.has("my mine our ours his her their said told i've") {
		return reply{}, false
	}
	text := strings.TrimSpace(story)
	if q.has("short") {
		title, rest, _ := strings.Cut(text, "\n\n")
		first, _, _ := strings.Cut(rest, "\n\n")
		text = title + "\n\n" + first
	}
	return reply{text: oneStory + "\n\n" + text, slow: true}, true
}
