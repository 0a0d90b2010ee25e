package answering

import "sync"

// Learned is what a process learns of models by what their providers say. Make it with NewLearned. It is safe for concurrent
// use, and a nil one learns nothing.
type Learned struct {
	mu     sync.Mutex
	models map[string]lesson
}

// lesson is what was learnt of one model.
type lesson struct {
	// alternates says that roles must alternate, noSystem that no system message is taken.
	alternates, noSystem bool
	// ratios are those of the last requests: what the provider counted, by what was counted here.
	ratios []float64
}

const (
	// mostModels bounds the memory; all is learnt again behind it.
	mostModels = 1000
	mostRatios = 8
	// leastFactor and mostFactor bound what a provider's counts change.
	leastFactor, mostFactor = 0.75, 2
	// leastCounted is how many tokens a request has whose count says something.
	leastCounted = 200
)

// NewLearned returns one that has learnt nothing.
func NewLearned() *Learned { return &Learned{models: map[string]lesson{}} }

func (l *Learned) of(model string) lesson {
	if l == nil {
		return lesson{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.models[model]
}

func (l *Learned) change(model string, change func(*lesson)) {
	if l == nil || model == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.models) >= mostModels {
		clear(l.models)
	}
	one := l.models[model]
	change(&one)
	l.models[model] = one
}

// factor corrects a count of tokens for a model: the largest ratio of the last requests; 0 if nothing is known.
func (l *Learned) factor(model string) (most float64) {
	for _, ratio := range l.of(model).ratios {
		most = max(most, ratio)
	}
	return most
}

// counted learns from a request that was counted as many tokens here, without a correction, and by the provider.
func (l *Learned) counted(model string, here, there int) {
	if here < leastCounted || there <= 0 {
		return
	}
	l.change(model, func(one *lesson) {
		ratio := min(mostFactor, max(leastFactor, float64(there)/float64(here)))
		last := one.ratios[max(0, len(one.ratios)-mostRatios+1):]
		one.ratios = append(append([]float64{}, last...), ratio)
	})
}
