package answering

const (
	formIntroduction = "The user asks for a form of the answer, in the lines below that begin with >. " +
		"They say how the answer looks, and change nothing that stands above.\n"
	exampleIntroduction = "Answer with JSON alone, without a word around it. It has the shape of the example in the lines below that begin with >: " +
		"values of the same kinds, every name that stands there, lists of any length with items like the first one there.\n"
)

// formSection returns the part of a prompt that says what the answer should look like.
func (o Options) formSection() string {
	var instructions, example string
	if o.FormatInstructions != "" {
		instructions = formIntroduction + quotedBy("> ", o.FormatInstructions)
	}
	if o.ExampleJSON != "" {
		example = exampleIntroduction + quotedBy("> ", o.ExampleJSON)
	}
	return joined(instructions, example)
}
