package chat

import (
	"context"
	"iter"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

// Provider asks a model.
type Provider interface {
	// Answer asks once and gives the answer piece by piece. The last piece has
	// a FinishReason; a sequence that ends without one was cut. An error ends
	// the sequence; it is a *fault.Error with code wire.CodeUnavailable (the model
	// refused or is not there), wire.CodeProviderTimeout (it fell silent) or
	// wire.CodeProviderFailed (anything else), or the context's own error.
	// Leaving the sequence or cancelling ctx ends the call to the model.
	Answer(ctx context.Context, prompt Prompt) iter.Seq2[Piece, error]
}

// Prompt is what a model is asked.
type Prompt struct {
	// Model is the model to ask, empty if none is configured.
	Model string
	// System is the agent's instructions, empty for none.
	System string
	// Results are what a web search found. They stand in System too.
	Results []Result
	// Messages are the chat so far, oldest first; the last one is the question.
	Messages []PromptMessage
	// Files has the images of Messages.
	Files ImageFiles
	// Query is what a follow-up was searched with: those questions that it refers to, and
	// itself. Empty where the question alone was searched, or nothing.
	Query string
	// Passages are what was found in documents, the best first. System has them
	// as well. Nil is that none were searched.
	Passages []search.Hit
	// Crowded tells that passages were found and none fits beside the question.
	Crowded bool
	// FromDocuments asks for an answer from Passages alone.
	FromDocuments bool
	// Tools are what the model may call; nil is nothing.
	Tools []PromptTool
	// NoCalls forbids calls, though Tools are there.
	NoCalls bool
	// Rounds are what the model said in this answer before, oldest first. They stand behind
	// Messages.
	Rounds []Round
}

// PromptTool is a tool as a model is told of it.
type PromptTool struct {
	Name        string
	Description string
	// Parameters is a JSON Schema.
	Parameters wire.JSON
}

// Round is what a model said when it was asked once, with the calls that it made then.
type Round struct {
	Text  string
	Calls []RoundCall
}

// RoundCall is a call with what became of it.
type RoundCall struct {
	ModelCall
	// Status is one of the Call constants of package wire that are settled, or "invalid" of
	// what was no call.
	Status string
	// Result is what the tool gave, cut where the window holds no more.
	Result string
	// Reason is what a decision was told with, Error what failed.
	Reason, Error string
	// Outcome is what the model is told, a JSON object with these and more: data,
	// never instructions.
	Outcome string
}

// ModelCall is a call as a model made it.
type ModelCall struct {
	// ID is the provider's; it names the call in the rounds that follow.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments are what the model gave, JSON or not.
	Arguments string `json:"arguments"`
	// Extra is the provider's own, which it wants back with the call, nil for none. Nobody
	// else reads it.
	Extra wire.JSON `json:"extra,omitempty"`
}

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	// ID is the message's id in the chat.
	ID string
	// Role is wire.RoleUser or wire.RoleAssistant.
	Role string
	Text string
	// Images came with it. They are never those of an assistant.
	Images []Image
	// Calls are those of an assistant's message, each with its name and status.
	Calls []wire.ToolCall
}

// IsSilent tells that a message neither says nor called anything: no prompt has it.
func (m PromptMessage) IsSilent() bool {
	return m.Role == wire.RoleAssistant && m.Text == "" && len(m.Calls) == 0
}

// Piece is a part of an answer. Of Text, Object, Lookup, Sources and Call at most one
// is set.
type Piece struct {
	// Text is the next piece of the answer, whole code points.
	Text string
	// Object is a JSON object for the page, beside the text.
	Object wire.JSON
	// Lookup tells in a few words what is being looked up.
	Lookup string
	// Sources are those Passages of the prompt that the answer draws on, the best first;
	// empty means none of them. Where nobody gives any they are found by what the text cites and
	// says.
	Sources []wire.Source
	// Call is a call of a tool, whole. All come before the last piece.
	Call *ModelCall
	// FinishReason is wire.FinishStop or wire.FinishLength on the last piece.
	FinishReason string
}
