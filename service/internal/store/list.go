package store

import (
	"fmt"
	"strings"
)

// List is a query that is composed of the conditions that are set, so that it can use an index.
type List struct {
	Text string
	Args []any
}

// And adds a condition with a value for each ?.
func (l *List) And(condition string, values ...any) { l.Add(` AND `+condition, values...) }

// Add adds a part with a value for each ?.
func (l *List) Add(text string, values ...any) {
	for _, value := range values {
		l.Args = append(l.Args, value)
		text = strings.Replace(text, "?", fmt.Sprint("$", len(l.Args)), 1)
	}
	l.Text += text
}
