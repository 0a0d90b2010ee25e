package anthropic

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// thinking says how the model thinks before it answers.
type thinking struct {
	Type         string `json:"type"` // "adaptive" or "enabled"
	BudgetTokens int    `json:"budget_tokens,omitempty"`
	Display      string `json:"display,omitempty"` // "summarized"; empty means the model's default
}

// generation is the number in a model's name: 405 for claude-sonnet-4-5.
type generation int

// From these on models know what later ones do not give up; see
// https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting.
const (
	larger   generation = 305  // 8,192 tokens in an answer
	thinks   generation = 307  // with a budget, and 64,000 tokens
	chooses  generation = 401  // temperature or top_p, not both
	adapts   generation = 406  // decides itself how long to think, for an effort
	unswayed generation = 407  // takes neither temperature nor top_p
	always   generation = 500  // cannot be kept from thinking
	newest   generation = 9900 // a name without a number
)

var numbers = regexp.MustCompile(`claude\D*(\d{1,2})(?:[-.](\d{1,2}))?(?:\D|$)`)

func generationOf(model string) generation {
	found := numbers.FindStringSubmatch(strings.ToLower(model))
	if found == nil {
		return newest
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ := strconv.Atoi(found[2])
	return generation(100*major + minor)
}

// Tokens of answers for which nothing is configured, and of budgets.
const (
	smallest = 4096
	small    = 8192
	usual    = 32_000
	// leastBudget is what the API takes; as much is left for the answer.
	leastBudget = 1024
)

// budgets are those of the efforts, for models that don't decide themselves.
var budgets = map[string]int{"minimal": leastBudget, "low": 2048, "medium": 8192, "high": 16_384, "xhigh": 24_576, "max": 30_000}

// think sets how long the answer may be, and how the model thinks. The effort is a word, "none", or a number of tokens.
func (b *body) think(prompt answering.Prompt) {
	model, effort := generationOf(prompt.Model), strings.ToLower(prompt.Parameters.ReasoningEffort)
	b.MaxTokens = prompt.Parameters.MaxOutputTokens
	switch {
	case b.MaxTokens > 0:
	case model < larger:
		b.MaxTokens = smallest
	case model < thinks:
		b.MaxTokens = small
	default:
		b.MaxTokens = usual
	}
	budget, err := strconv.Atoi(effort)
	isNumber := err == nil
	switch {
	case effort == "none" || effort == "" && !prompt.Reasoning:
		if effort == "none" && model >= always {
			b.OutputConfig = &outputConfig{"low"}
		}
	case model >= adapts:
		b.Thinking = &thinking{Type: "adaptive"}
		if effort == "minimal" {
			effort = "low"
		}
		if effort != "" && !isNumber {
			b.OutputConfig = &outputConfig{effort}
		}
	case model < thinks:
		b.leftOut = append(b.leftOut, "reasoning_effort")
	case effort != "":
		if !isNumber {
			budget = budgets[effort]
		}
		b.budget(budget, prompt.Rounds)
	}
	if b.Thinking != nil && prompt.Reasoning && model >= adapts {
		b.Thinking.Display = "summarized"
	}
}

// budget lets the model think with a budget. A round that another model wrote has no thoughts, without which such a
// request is refused.
func (b *body) budget(tokens int, rounds []answering.Round) {
	for _, round := range rounds {
		if len(round.Calls) > 0 && !beginsWithThought(returnedOf(round)) {
			b.leftOut = append(b.leftOut, "reasoning_effort of an answer that another model began")
			return
		}
	}
	if b.MaxTokens < 2*leastBudget {
		b.leftOut = append(b.leftOut, "reasoning_effort with so few output tokens")
		return
	}
	b.Thinking = &thinking{Type: "enabled", BudgetTokens: max(leastBudget, min(tokens, b.MaxTokens-leastBudget))}
}

// sample sets what chooses among the next words, as far as the model takes it.
func (b *body) sample(p answering.Parameters) {
	const leastTopP = 0.95 // beside thoughts
	model := generationOf(b.Model)
	if p.Temperature != nil && model < unswayed && b.Thinking == nil {
		given := min(*p.Temperature, 1)
		b.Temperature = &given
	}
	if p.TopP != nil && model < unswayed && (b.Thinking == nil || *p.TopP >= leastTopP) && (b.Temperature == nil || model < chooses) {
		b.TopP = p.TopP
	}
	for name, isLeft := range map[string]bool{
		"temperature": p.Temperature != nil && b.Temperature == nil, "top_p": p.TopP != nil && b.TopP == nil, "seed": p.Seed != nil,
	} {
		if isLeft {
			b.leftOut = append(b.leftOut, name)
		}
	}
}
