package upstream

import (
	"fmt"
	"maps"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// PrivyOf returns what a provider is told with a prompt.
func PrivyOf(key string, prompt answering.Prompt) Privy {
	all := Privy{Key: key, Names: []string{prompt.Model}, Tools: len(prompt.Tools), Said: []string{prompt.System}}
	for _, one := range prompt.Tools {
		all.Names = append(all.Names, one.Name)
	}
	for _, m := range prompt.Messages {
		all.Said = append(all.Said, m.Text)
	}
	for _, round := range prompt.Rounds {
		all.Said = append(all.Said, round.Text)
		for _, call := range round.Calls {
			all.Said = append(all.Said, call.Arguments, call.Outcome)
		}
	}
	return all
}

// Given returns the images that came with the results of a round's calls, for the message after these, and what says whose
// they are.
func Given(round answering.Round) (note string, all []images.Image) {
	for _, call := range round.Calls {
		if len(call.Images) > 0 {
			note += fmt.Sprintf("[Images of the result of %s: %d]", FitName(call.Name), len(call.Images))
			all = append(all, call.Images...)
		}
	}
	return note, all
}

// Over returns headers with ours over them, whatever their case.
func Over(given, ours map[string]string) map[string]string {
	all := maps.Clone(ours)
	for name, value := range given {
		isOurs := false
		for one := range ours {
			isOurs = isOurs || strings.EqualFold(name, one)
		}
		if !isOurs {
			all[name] = value
		}
	}
	return all
}
