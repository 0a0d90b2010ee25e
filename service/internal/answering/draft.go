package answering

import (
	"context"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// Draft is an answer while it is being written: its state after the events that are stored.
type Draft struct {
	Basis
	Text    strings.Builder
	Chunks  int
	Finish  string
	Sources []wire.Source

	// Rounds are the earlier rounds, in which the model was asked before.
	Rounds []PastRound
	// Found are the results of searches in an earlier round; nil if this is the first round, or
	// if another process ran the earlier one.
	Found *Finds
	// IsLast says that this round may not make calls.
	IsLast bool
	// Said and calls are the model's text in this round, without marks, and the calls it wants.
	Said  strings.Builder
	Calls []toolcall.ModelCall
	// Returned is what the provider wants back with this round. Usage is what the requests for the answer took, in all
	// rounds, and Spent what those of this round took; nil if no provider says. LeftOut is what the model did not get
	// in this round. Answered is the model that answered last, empty for none yet.
	Returned     wire.JSON
	Usage, Spent *wire.Usage
	LeftOut      wire.LeftOut
	Answered     string
	// Thought is what the model thought in this answer, if Basis.Reasoning is set. ThoughtBefore is how many bytes of it
	// are from earlier rounds.
	Thought       strings.Builder
	ThoughtBefore int
	// evidence is what this round may use as sources. marks reads what the model cites; nil if it
	// was not asked for marks. named are the sources that the provider names, nil if it names
	// none.
	evidence []evidence
	marks    *marks
	named    []wire.Source
	// Before is how many bytes of text are from earlier rounds, and most how many the answer may have;
	// 0 for no bound.
	Before, Most int
}

// Finds are the results of searches for an answer.
type Finds struct {
	query    string // what was searched for
	passages []search.Hit
	results  []Result // of a web search
}

// Past is what an answer may read of its chat.
type Past interface {
	// Recent returns the newest finished exchanges before the question, oldest first, images only with their
	// ids: whole exchanges that cost at most tokens together.
	Recent(ctx context.Context, tokens int) ([]PromptMessage, error)
	// Image returns an image of the chat's project, without its file.
	Image(ctx context.Context, imageID string) (images.Image, error)
	images.Files
}

// prompt makes the model's input: the instructions, memories of the user, results of the web
// search, passages of documents, the form that the user wants, the chat up to now, and the
// question. If this is more than the agent's window holds, the oldest messages are left out, each
// as a whole, with its images. Passages take at most half of what the other parts leave, so that
// the chat keeps the other half; the worst passages are left out, each as a whole. What earlier
// rounds of the answer said and called is always included, and their results share the room that
// is left.
func (d *Draft) prompt(ctx context.Context, found Finds, past Past) (Prompt, error) {
	b := d.Basis
	p := Prompt{
		User: b.User, Model: b.Model, System: b.system(b.Memories, found.results), Results: found.results, Files: past,
		Tools: b.promptTools(), NoCalls: d.IsLast, FallbackModels: b.Agent.FallbackModels, Parameters: b.Agent.Parameters,
	}
	if found.query != b.Question.Content {
		p.Query = found.query
	}
	question := asked(b.Question)
	room := b.Agent.Tokens() - tokens(p.System) - question.Cost() - b.costOfTools()
	room -= b.Library.addPassages(&p, found.passages, room/2)
	if room = d.addRounds(&p, room); room < 0 && len(d.Rounds) > 0 {
		return Prompt{}, errOutgrown
	}
	if !b.NoHistory {
		var err error
		if p.Messages, err = past.Recent(ctx, room); err != nil {
			return Prompt{}, err
		}
		p.Messages = withCalls(p.Messages, room)
	}
	p.Messages = append(p.Messages, question)
	return p, describeImages(ctx, past, p.Messages)
}

// promptImageBytes is the largest total size of the image files in one prompt. The files of the question's own images are always
// included.
const promptImageBytes = 20 << 20

// describeImages looks up the images of a prompt, whose last message is the question, beginning
// with the newest. If the files of an earlier message would exceed promptImageBytes, this message
// and all before it keep only the descriptions of their images.
func describeImages(ctx context.Context, past Past, messages []PromptMessage) error {
	left, full := promptImageBytes, false
	for i, message := range slices.Backward(messages) {
		if full {
			messages[i].Images = nil
			continue
		}
		for n, named := range message.Images {
			one, err := past.Image(ctx, named.ID)
			if err != nil {
				return err
			}
			message.Images[n] = one
			left -= one.Size
		}
		if full = left < 0; full && i < len(messages)-1 {
			messages[i].Images = nil
		}
	}
	return nil
}

// LeftOutInAll is the most that a round left out, nil for nothing.
func (d *Draft) LeftOutInAll() *wire.LeftOut {
	rounds := []toolcall.Round{}
	for _, past := range d.Rounds {
		rounds = append(rounds, toolcall.Round{Details: past.Details})
	}
	return toolcall.LeftOut(rounds, d.LeftOut)
}
