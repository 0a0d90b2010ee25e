package gemini

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// thinkingConfig says how the model thinks before it answers; see https://ai.google.dev/gemini-api/docs/thinking.
type thinkingConfig struct {
	IncludeThoughts bool   `json:"includeThoughts,omitempty"`
	ThinkingBudget  *int   `json:"thinkingBudget,omitempty"`
	ThinkingLevel   string `json:"thinkingLevel,omitempty"`
}

// generation is the number in a model's name: 205 for gemini-2.5-flash.
type generation int

// From these on models know what later ones do not give up.
const (
	thinks generation = 205  // with a budget
	levels generation = 300  // with a level; and a call is refused without its signature
	newest generation = 9900 // a name without a number
)

var numbers = regexp.MustCompile(`gemini-(\d{1,2})(?:\.(\d{1,2}))?(?:\D|$)`)

func generationOf(model string) generation {
	model = strings.ToLower(model)
	found := numbers.FindStringSubmatch(model)
	switch {
	case strings.Contains(model, "gemma"), strings.Contains(model, "learnlm"):
		return 0
	case found == nil:
		return newest
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ := strconv.Atoi(found[2])
	return generation(100*major + minor)
}

// budgets are those of the efforts, for models without levels. leastBudget is the least that all of these take but none, and
// 2.5 Pro cannot be kept from thinking.
var budgets = map[string]int{"none": 0, "minimal": 512, "low": 1024, "medium": 8192, "high": 24_576, "xhigh": 24_576, "max": 24_576}

const leastBudget = 128

// thinkingOf says how a model thinks about a prompt, nil for its default. The effort is a word or a number of tokens.
func thinkingOf(prompt answering.Prompt) *thinkingConfig {
	model, effort := generationOf(prompt.Model), strings.ToLower(prompt.Parameters.ReasoningEffort)
	if model < thinks || effort == "" && !prompt.Reasoning {
		return nil
	}
	config := &thinkingConfig{IncludeThoughts: prompt.Reasoning}
	isPro := strings.Contains(strings.ToLower(prompt.Model), "pro")
	budget, err := strconv.Atoi(effort)
	switch {
	case effort == "":
	case err == nil:
		config.ThinkingBudget = &budget
	case model < levels:
		budget, isKnown := budgets[effort]
		if isPro {
			budget = max(budget, leastBudget)
		}
		if isKnown {
			config.ThinkingBudget = &budget
		}
	default:
		config.ThinkingLevel = levelOf(effort, isPro)
	}
	return config
}

// levelOf returns the level that an effort asks for. Pro models have none below low.
func levelOf(effort string, isPro bool) string {
	switch {
	case effort == "none" && isPro:
		return "LOW"
	case effort == "none":
		return "MINIMAL"
	case effort == "xhigh", effort == "max":
		return "HIGH"
	}
	return strings.ToUpper(effort)
}
