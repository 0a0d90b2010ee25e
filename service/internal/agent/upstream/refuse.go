package upstream

import (
	"regexp"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// What providers say of a prompt that they refuse as it is. Templates of models in vLLM and llama.cpp want roles that
// alternate, and some take no system message.
var (
	aboutRoles = regexp.MustCompile(`(?i)\broles? (must|should|need|have to)\b.*\balternat|alternat\w* (user|role)|\bsystem[ _](role|message|prompt|instruction)s?\b.*` +
		`(not|n't|only|unsupported|must|should)|(not|n't) support.*\bsystem\b|consecutive|(first|last|final) message\b.*\b(must|should|has to|cannot)|` +
		`(must|should) (start|begin|end|be followed|come (before|after))|after (the )?(optional )?system message|unexpected role|invalid role`)
	aboutImages = regexp.MustCompile(`(?i)\b(images?|image_url|vision|multi-?modal|picture|media)\b`)
)

// refuses returns the part of a prompt that is refused for this kind of failure, empty if no other prompt would be
// taken.
func (t told) refuses(k kind) answering.Refused {
	switch {
	case t.refusesTools():
		return answering.RefusedTool
	case k == tooLong:
		return answering.RefusedLength
	case k != rejected && k != broken:
		return ""
	case aboutRoles.MatchString(t.text):
		return answering.RefusedRoles
	case k == broken:
		return ""
	case aboutTool.MatchString(t.text):
		return answering.RefusedTool
	case aboutImages.MatchString(t.text):
		return answering.RefusedImages
	}
	return answering.RefusedForm
}

var aboutTool = regexp.MustCompile(`(?i)\b(tools?|functions?)(\[|\.|_?declarations)|\b(schema|parameters?) (for|of) (function|tool)|invalid (function|tool)`)
