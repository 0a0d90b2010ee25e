package upstream

import (
	"slices"
	"sync"
)

// Learnt is what the servers of models refused: names of members of a request, or of something else in it. It lasts until
// the process ends. The zero value is ready.
type Learnt struct {
	mu     sync.Mutex
	models map[string][]string
}

// Of returns what is refused for a model.
func (l *Learnt) Of(model string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.models[model])
}

// Add says that a model's server refuses more.
func (l *Learnt) Add(model string, names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.models == nil {
		l.models = map[string][]string{}
	}
	l.models[model] = append(l.models[model], names...)
}
