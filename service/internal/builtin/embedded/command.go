package embedded

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

const (
	noCallNow = "No tool may be called now."
	howToCall = "A line such as /name {\"key\": \"value\"} calls one."
	// outcomeRunes is how many characters of a call's outcome are shown.
	outcomeRunes = 2000
)

// command is a line that calls a tool: a slash, its name, and arguments.
type command struct{ name, arguments string }

var commandLine = regexp.MustCompile(`^/([a-zA-Z0-9_-]{1,64})(?:[ \t]+|$)`)

// commands returns the commands of a message that begins with one, in order. Other lines of the
// message are ignored.
func commands(text string) (all []command) {
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimLeft(rest, " \t\r\n") {
		match := commandLine.FindStringSubmatch(firstLine(rest))
		if match == nil {
			if len(all) == 0 {
				return nil
			}
			rest = strings.TrimPrefix(rest, firstLine(rest))
			continue
		}
		arguments := argumentsOf(rest[len(match[0]):])
		rest = rest[len(match[0])+len(arguments):]
		all = append(all, command{match[1], cmp.Or(strings.TrimSpace(arguments), "{}")})
	}
	return all
}

// argumentsOf returns an object that ends at the end of a line and may span lines, or else the
// rest of the line.
func argumentsOf(rest string) string {
	if strings.HasPrefix(rest, "{") {
		decoder := json.NewDecoder(strings.NewReader(rest))
		var object json.RawMessage
		if err := decoder.Decode(&object); err == nil {
			end := int(decoder.InputOffset())
			if strings.TrimSpace(firstLine(rest[end:])) == "" {
				return rest[:end]
			}
		}
	}
	return firstLine(rest)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// useTools makes the calls that a message asks for, and reports the outcomes of calls that were made
// before. ok is false if there are none of either.
func useTools(prompt answering.Prompt) (r reply, ok bool) {
	if prompt.Passages != nil {
		r.sources = []wire.Source{} // it uses none
	}
	if len(prompt.Rounds) > 0 {
		r.text = outcomes(prompt.Rounds)
		return r, true
	}
	if len(prompt.Tools) == 0 || len(prompt.Messages) == 0 {
		return r, false
	}
	asked := commands(prompt.Messages[len(prompt.Messages)-1].Text)
	if len(asked) == 0 {
		return r, false
	}
	var unknown, called, said []string
	for _, one := range asked {
		switch known := slices.ContainsFunc(prompt.Tools, func(tool answering.PromptTool) bool { return tool.Name == one.name }); {
		case !known:
			unknown = append(unknown, one.name)
		case !prompt.NoCalls:
			called = append(called, one.name)
			r.calls = append(r.calls, toolcall.ModelCall{ID: fmt.Sprintf("call%d", len(called)), Name: one.name, Arguments: one.arguments})
		}
	}
	if len(unknown) > 0 {
		said = append(said, noTool(unknown, prompt.Tools))
	} else if prompt.NoCalls {
		said = append(said, noCallNow)
	}
	if len(called) > 0 {
		said = append(said, "Calling "+listing(called)+".")
	}
	r.text = strings.Join(said, "\n\n")
	return r, true
}

// noTool says which tools there are.
func noTool(unknown []string, tools []answering.PromptTool) string {
	text := "There is no tool " + listing(unknown) + ". The tools are:"
	for _, tool := range tools {
		text += "\n/" + tool.Name
		if description := strings.Join(strings.Fields(tool.Description), " "); description != "" {
			text += ": “" + shortened(description, listedRunes) + "”"
		}
	}
	return text + "\n" + howToCall
}

// listing is "a, b and c", each name once.
func listing(names []string) string {
	var each []string
	listed := map[string]bool{}
	for _, name := range names {
		if !listed[name] {
			listed[name] = true
			each = append(each, name)
		}
	}
	return enumerated(each)
}

// outcomes reports the outcome of each call, and quotes the results of tools, which are only data.
func outcomes(rounds []answering.Round) string {
	var all []string
	for _, round := range rounds {
		for _, call := range round.Calls {
			all = append(all, outcome(call))
		}
	}
	if len(all) == 0 {
		return noCallNow
	}
	return strings.Join(all, "\n\n")
}

func outcome(call answering.RoundCall) string {
	text := call.Name + " " + fates[call.Status]
	switch {
	case call.Status == wire.CallDone && call.Result == "":
		return text + ", and gave nothing."
	case call.Status == wire.CallDone:
		return text + ". It gave:\n" + quotedLines(call.Result)
	case call.Error != "":
		return text + ":\n" + quotedLines(call.Error)
	case call.Reason != "":
		return text + ", with the reason:\n" + quotedLines(call.Reason)
	}
	return text + "."
}

// fates explains the statuses of calls.
var fates = map[string]string{
	wire.CallDone:    "is done",
	wire.CallFailed:  "failed",
	wire.CallUnknown: "was begun, and nobody knows what became of it",
	wire.CallDenied:  "was denied, and was not carried out",
	wire.CallExpired: "was not carried out, since nobody decided in time",
	"invalid":        "could not be called",
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// quotedLines marks each line of a text, and says where it left out the rest.
func quotedLines(text string) string {
	text = strings.TrimRight(lineEnds.Replace(strings.ToValidUTF8(text, "\ufffd")), "\n")
	note, runes := "", utf8.RuneCountInString(text)
	if runes > outcomeRunes {
		text = text[:bytesOf(text, outcomeRunes)]
		note = fmt.Sprintf("\n(These are the first %d of %d characters.)", outcomeRunes, runes)
	}
	return "> " + strings.ReplaceAll(text, "\n", "\n> ") + note
}
