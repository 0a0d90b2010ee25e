package answering

import (
	"context"
	"iter"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// Provider asks a model.
type Provider interface {
	// Answer asks once and yields the answer piece by piece. The last piece has a FinishReason; a
	// sequence that ends without one was cut. An error ends the sequence. It is the context's own
	// error or a *fault.Error with one of these codes: wire.CodeUnavailable (the model refused or
	// cannot be reached), wire.CodeProviderTimeout (it stopped sending) or
	// wire.CodeProviderFailed (anything else), in a Refusal if another prompt may be taken. Leaving the
	// sequence or cancelling ctx ends the call to the model.
	Answer(ctx context.Context, prompt Prompt) iter.Seq2[Piece, error]
}

// Prompt is the input of a model.
type Prompt struct {
	// User tells the prompts of one user from those of others, and says nothing else. Whoever asks
	// for no user has an empty one. It is not for the model.
	User string
	// Model is the model to ask, empty if none is configured.
	Model string
	// FallbackModels are asked in this order if Model cannot be.
	FallbackModels []string
	// System has the agent's instructions, the memories, and everything else that precedes the messages and stays the
	// same in the next prompt.
	System string
	// Results are what a web search found. The last message contains them too.
	Results []Result
	// Messages are the chat so far, oldest first. The last one is the question, behind passages, results, the form and
	// everything else that is only told with it. Question is what the user wrote.
	Messages []PromptMessage
	Question string
	// Files reads the files of the images of Messages.
	Files images.Files
	// Query is the text that was searched for a follow-up: the questions that it refers to, and
	// itself. It is empty if only the question was searched for, or nothing.
	Query string
	// Passages are what was found in documents, the best first. The last message contains them too. Nil
	// means that no documents were searched.
	Passages []search.Hit
	// Crowded says that passages were found, but none fits beside the question.
	Crowded bool
	// FromDocuments asks for an answer only from Passages.
	FromDocuments bool
	// Tools are what the model may call; nil means nothing.
	Tools []PromptTool
	// NoCalls forbids calls even if there are Tools.
	NoCalls bool
	// Rounds are what the model said earlier in this answer, oldest first. They follow Messages.
	Rounds []Round
	// Parameters say how the model is asked.
	Parameters Parameters
	// Reasoning asks for what the model thinks, in a form that may be shown. A provider that sends it anyway may
	// always yield it.
	Reasoning bool
	// Alternate says that the roles of Messages alternate, beginning with the user, because the model wants it.
	Alternate bool
}

// PromptTool is a tool in the form in which a model gets it.
type PromptTool struct {
	Name        string
	Description string
	// Parameters is a JSON Schema.
	Parameters wire.JSON
}

// Round is what a model said when it was asked once, and the calls that it made.
type Round struct {
	Text  string
	Calls []RoundCall
	// Model wrote the round, and Returned is what its provider wants back with it; see Piece. Another model gets
	// none of it.
	Model    string
	Returned wire.JSON
	// written is how many tokens the model wrote, 0 if its provider did not say.
	written int
}

// RoundCall is a call with its outcome.
type RoundCall struct {
	toolcall.ModelCall
	// Status is one of package wire's settled Call constants, or "invalid" if no call could be
	// made of it.
	Status string
	// Result is what the tool returned, cut if the window doesn't hold more.
	Result string
	// Reason came with the decision; Error says what failed.
	Reason, Error string
	// Images came with the result. A provider that takes none with an outcome gives them in a message behind it.
	Images []images.Image
	// Outcome is what the model gets, a JSON object with these fields and more. It is data, never
	// instructions.
	Outcome string
}

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	// ID is the message's id in the chat.
	ID string
	// Role is wire.RoleUser or wire.RoleAssistant.
	Role string
	Text string
	// Images came with the message, those of an answer with the question after it. Messages of the assistant have none
	// when a provider gets them.
	Images []images.Image
	// Calls are the calls of an assistant's message, each with its name, arguments, status and the beginning of its
	// result. The last message of a prompt tells them.
	Calls []wire.ToolCall
	// Marks are those that were removed from an assistant's Text, in their order. No prompt has them: they are in the
	// text, or were not asked for.
	Marks []Mark
}

// IsSilent reports whether a message has neither text nor calls: prompts leave it out.
func (m PromptMessage) IsSilent() bool {
	return m.Role == wire.RoleAssistant && m.Text == "" && len(m.Calls) == 0 && len(m.Images) == 0
}

// Piece is a part of an answer. At most one of Text, Reasoning, Object, Lookup, Sources, Image and Call is set.
type Piece struct {
	// Text is the next part of the answer, in whole code points.
	Text string
	// Reasoning is the next part of what the model thinks, in whole code points. It is no part of the answer.
	Reasoning string
	// Image is an image that the model made, with its file.
	Image *images.File
	// Object is a JSON object for the page, in addition to the text.
	Object wire.JSON
	// Lookup says in a few words what is being looked up.
	Lookup string
	// Sources are those Passages of the prompt that the answer uses, the best first; empty means
	// none of them. If the provider never sends any, they are derived from what the text cites
	// and says.
	Sources []wire.Source
	// Call is a complete tool call. All calls precede the last piece.
	Call *toolcall.ModelCall
	// FinishReason is wire.FinishStop or wire.FinishLength on the last piece.
	FinishReason string

	// The last piece has the following, too.

	// Model is the model that answered, if it is not Prompt.Model.
	Model string
	// Returned is what the provider wants back with this round, a JSON value that nothing else reads; nil for none.
	Returned wire.JSON
	// Usage is how many tokens the request took, nil if the provider does not say.
	Usage *wire.Usage
}
