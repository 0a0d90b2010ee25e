package toolcall

import "github.com/chatsdk/chatsdk/sdk/wire"

// Round is what a model said when it was asked once, and the calls that it made.
type Round struct {
	Text  string     `json:"text"`
	Calls []MadeCall `json:"calls"`
	// Model wrote the round, and Returned is what its provider wants back with it. Nothing else reads that.
	Model    string    `json:"model,omitempty"`
	Returned wire.JSON `json:"returned,omitempty"`
}

// MadeCall is a call as the model made it, and its outcome.
type MadeCall struct {
	ModelCall
	// CallID is the id of the Call, empty if there is none.
	CallID string `json:"call_id,omitempty"`
	// Misfit says why no Call was made of it.
	Misfit string `json:"misfit,omitempty"`
}

// ModelCall is a call as the model made it.
type ModelCall struct {
	// ID is the provider's; later rounds name the call by it.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments are what the model wrote, JSON or not.
	Arguments string `json:"arguments"`
	// Extra belongs to the provider, which wants it back with the call; nil for none. Nothing
	// else reads it.
	Extra wire.JSON `json:"extra,omitempty"`
}
