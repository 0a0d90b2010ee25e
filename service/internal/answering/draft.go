package answering

import (
	"context"
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
	// Images are the ids of the images that the answer has.
	Images []string

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
	// less is what a provider refused of this round's prompt. mark is that of the prompt. counted is how many tokens
	// the prompt was counted, without a correction; 0 if that says nothing about the model. history is how many the chat
	// took in it.
	less             less
	mark             string
	counted, history int
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
	// ids: whole exchanges whose PromptMessage.Size is at most tokens together.
	Recent(ctx context.Context, tokens int) ([]PromptMessage, error)
	// Image returns an image of the chat's project, without its file.
	Image(ctx context.Context, imageID string) (images.Image, error)
	images.Files
}

// LeftOutInAll is the most that a round left out, nil for nothing.
func (d *Draft) LeftOutInAll() *wire.LeftOut {
	rounds := []toolcall.Round{}
	for _, past := range d.Rounds {
		rounds = append(rounds, toolcall.Round{Details: past.Details})
	}
	return toolcall.LeftOut(rounds, d.LeftOut)
}
