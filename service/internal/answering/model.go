package answering

import "maps"

// Abilities are what is known of a model. The zero value of a field says that nothing is known, or that the provider's
// own default holds.
type Abilities struct {
	// Window is how many tokens a request and its answer may have together. Of this and the agent's window the
	// smaller counts.
	Window int
	// OutputTokens is how many tokens an answer has at most; room is kept for them.
	OutputTokens int
	// Images is how many images a request has at most, NoImages for none; ImageBytes is how many bytes these
	// have together.
	Images, ImageBytes int
	// NoTools says that the model can call nothing.
	NoTools bool
	// Documents says that the model reads PDF files itself.
	Documents bool
	// Alternates says that the messages of the user and of the assistant must alternate, beginning with the user.
	Alternates bool
	// Vocabulary is one of Vocabularies; empty means that the model's name decides.
	Vocabulary string
}

// NoImages is Abilities.Images of a model that takes none.
const NoImages = -1

// Parameters say how a model is asked. What is nil or empty is left to the provider.
type Parameters struct {
	Temperature, TopP *float64
	// MaxOutputTokens is how many tokens the answer may have.
	MaxOutputTokens int
	// ReasoningEffort is a word of the provider's, for example "low" or "high".
	ReasoningEffort string
	// Stop are texts that end the answer.
	Stop []string
	Seed *int64
	// Headers and Query are added to the request, and Body to the members of its JSON. Ours cannot be overwritten.
	Headers, Query map[string]string
	Body           map[string]any
}

// With returns the parameters with others over them, member by member.
func (p Parameters) With(later Parameters) Parameters {
	if later.Temperature != nil {
		p.Temperature = later.Temperature
	}
	if later.TopP != nil {
		p.TopP = later.TopP
	}
	if later.MaxOutputTokens != 0 {
		p.MaxOutputTokens = later.MaxOutputTokens
	}
	if later.ReasoningEffort != "" {
		p.ReasoningEffort = later.ReasoningEffort
	}
	if later.Stop != nil {
		p.Stop = later.Stop
	}
	if later.Seed != nil {
		p.Seed = later.Seed
	}
	p.Headers, p.Query, p.Body = merged(p.Headers, later.Headers), merged(p.Query, later.Query), merged(p.Body, later.Body)
	return p
}

// merged returns a map with another over it, and changes neither.
func merged[V any](all, later map[string]V) map[string]V {
	if len(later) == 0 {
		return all
	}
	both := maps.Clone(all)
	if both == nil {
		both = map[string]V{}
	}
	maps.Copy(both, later)
	return both
}

// Refusal is a *fault.Error of a provider that refused a whole prompt before it answered, and may take another one. A
// provider that knows no more than that the prompt was refused says RefusedForm.
type Refusal struct {
	// Error is what clients see if the prompt is not changed.
	Err  error
	What Refused
	// Tool is the name of the tool that was refused, for RefusedTool; empty if nobody knows.
	Tool string
}

func (r Refusal) Error() string { return r.Err.Error() }

// Unwrap returns Err.
func (r Refusal) Unwrap() error { return r.Err }

// Refused is the part of a prompt that a provider refused.
type Refused string

// What a provider may refuse.
const (
	RefusedForm   Refused = "form"   // anything in it
	RefusedLength Refused = "length" // the prompt is too long
	RefusedRoles  Refused = "roles"  // roles must alternate, or no system message is taken
	RefusedImages Refused = "images" // too many images, or any
	RefusedTool   Refused = "tool"   // the definition of a tool, or tools at all
)
