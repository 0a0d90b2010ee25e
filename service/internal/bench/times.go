package main

import (
	"fmt"
	"slices"
	"time"
)

// times are how long the runs of one thing took, sorted.
type times []time.Duration

func (t times) median() time.Duration { return t[len(t)/2] }

// String is the median with the shortest and the longest, in milliseconds.
func (t times) String() string {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return fmt.Sprintf("%8.3f (%.3f to %.3f)", ms(t.median()), ms(t[0]), ms(t[len(t)-1]))
}

// alternate runs both things a number of times in turns, so that what else the
// machine does affects both. It does not measure an additional first turn.
func alternate(runs int, a, b func() error) (ofA, ofB times, err error) {
	for i := range runs + 1 {
		for _, one := range []struct {
			do func() error
			to *times
		}{{a, &ofA}, {b, &ofB}} {
			start := time.Now()
			if err := one.do(); err != nil {
				return nil, nil, err
			}
			if took := time.Since(start); i > 0 {
				*one.to = append(*one.to, took)
			}
		}
	}
	slices.Sort(ofA)
	slices.Sort(ofB)
	return ofA, ofB, nil
}
