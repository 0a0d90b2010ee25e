package upstream

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
	case aboutTool.MatchString(t.param + " " + t.text):
		return answering.RefusedTool
	case aboutImages.MatchString(t.text):
		return answering.RefusedImages
	}
	return answering.RefusedForm
}

// toolAt finds the index of a tool: "tools[1].function.parameters", "tools.1.custom.input_schema", and Gemini's
// "tools[0].function_declarations[1]".
var toolAt = regexp.MustCompile(`(?i)(?:\bfunction_?declarations|\btools)(?:\[|\.)(\d+)`)

// toolNamed finds what may be the name of a tool: "function 'x'", "tool x", or anything in quotation marks.
var toolNamed = regexp.MustCompile("(?i)\\b(?:function|tool)s?(?: named?)?[ :=]+([\\w.-]+)|[\"'`“‘]([\\w.-]+)[\"'`”’]")

// tool returns the name of the tool that is refused, empty if nobody says which.
func (t told) tool(what answering.Refused, p Privy) string {
	offered := p.Names[max(0, len(p.Names)-p.Tools):]
	if what != answering.RefusedTool || t.refusesTools() {
		return ""
	}
	if found := toolAt.FindAllStringSubmatch(t.param+" "+t.text, -1); len(found) > 0 {
		// Of nested indices the last one counts.
		if at, err := strconv.Atoi(found[len(found)-1][1]); err == nil && at < len(offered) {
			return offered[at]
		}
	}
	for _, found := range toolNamed.FindAllStringSubmatch(t.text, -1) {
		if name := strings.TrimRight(cmp.Or(found[1], found[2]), "."); slices.Contains(offered, name) {
			return name
		}
	}
	return ""
}

var aboutTool = regexp.MustCompile(`(?i)\b(tools?|functions?)(\[|\.|_?declarations)|\b(schema|parameters?) (for|of) (function|tool)|invalid (function|tool)`)
