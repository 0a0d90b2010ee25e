package answer

import "math"

// Enough is the confidence from which on an answer is given: one that was meant
// to be right for three in four answerable questions.
const Enough = 0.5

// confidence is a logistic regression over the evidence, from 0 to 1. The
// weights are those that tell the answerable questions from the others in the
// half of the evaluation's data that was in view, rounded.
func (e evidence) confidence() float64 {
	odds := -0.8 +
		1.4*e.order +
		0.7*e.density -
		2.7*e.scattered -
		1.8*e.names -
		1.8*e.negation -
		3.2*e.opposite -
		0.4*e.verb +
		0.12*math.Min(e.length, longest)
	return 1 / (1 + math.Exp(-odds))
}

// longest is how many terms of a question count.
const longest = 12
