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
// alternate, and some take no system message. DeepSeek's server finds a list where images make one of a content.
var (
	aboutRoles = regexp.MustCompile(`(?i)\b(roles?|conversations?) (must|should|need|have to)\b.*\balternat|\balternat\w* (between )?["']?(user|role)|` +
		`consecutive|message_order|(first|last|final) (message|role)\b.*\b(must|should|has to|cannot)|` +
		`(must|should) (start|begin|end|be followed|come (before|after))|` +
		`(unexpected|invalid|expected last) role|roles? (is|are) supported|no user query|\bturn comes immediately after|preceeding message`)
	aboutSystem = regexp.MustCompile(`(?i)\b(system|developer)[ _](roles?|messages?|prompts?|instructions?)\b.*(\bnot\b|n't|unsupported)|` +
		`(not|n't) support.*\bsystem\b|roles? (is|are) supported.*\bsystem\b|only user and assistant roles`)
	alternating = regexp.MustCompile(`(?i)\balternat`)
	aboutImages = regexp.MustCompile(`(?i)\b(images?|image_url|vision|multi-?modal|picture|media)\b|` +
		`messages\[\d+\]: (invalid type: sequence|data did not match any variant)`)
	noImages  = regexp.MustCompile(`(?i)\b(images?|vision)\b.*\b(not|un)[ -]?supported|(not|n't) support\b.*\b(images?|vision)\b|required for image`)
	aboutTool = regexp.MustCompile(`(?i)\b(tools?|functions?)(\[|\.|_?declarations|['"]?: )|\b(schema|parameters?) (for|of) (function|tool)|` +
		`invalid (function|tool)\b|^function name\b|input_schema`)
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
	case t.refusesSystem(), aboutRoles.MatchString(t.kind + " " + t.text):
		return answering.RefusedRoles
	case noImages.MatchString(t.text):
		return answering.RefusedImages
	case k == broken:
		return ""
	case aboutTool.MatchString(t.text), toolAt.MatchString(t.param):
		return answering.RefusedTool
	case aboutImages.MatchString(t.text):
		return answering.RefusedImages
	}
	return answering.RefusedForm
}

// refusesSystem reports whether a provider takes no system message. That roles must alternate after one says that it does.
func (t told) refusesSystem() bool {
	return aboutSystem.MatchString(t.text) && !alternating.MatchString(t.text)
}

// toolAt finds the index of a tool: "tools[1].function.parameters", "tools.1.custom.input_schema", and Gemini's
// "tools[0].function_declarations[1]".
var toolAt = regexp.MustCompile(`(?i)(?:\bfunction_?declarations|\btools)(?:\[|\.)(\d+)`)

// toolNamed finds what may be the name of a tool: "tool x", "function name was x", or anything in quotation marks.
var toolNamed = regexp.MustCompile("(?i)\\b(?:function|tool)s?(?: name(?:d| was| is)?)?[ :=]+([\\w.-]+)|[\"'`“‘]([\\w.-]+)[\"'`”’]")

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
